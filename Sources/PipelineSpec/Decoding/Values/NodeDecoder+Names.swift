// Decodes names: of jobs, methods, members.

internal import Diagnostics
internal import JSONText
internal import Primitives
import YAMLText

extension NodeDecoder {
  mutating func printableName(_ node: Node) -> String? {
    guard let name = name(node, expected: "a name") else { return nil }
    guard name.printable == name else {
      refuse("control characters in a name", at: node.range, advice: "leave them out")
      return nil
    }
    return name
  }

  /// Returns one path, or the paths of a list, each of which occurs once.
  mutating func keyPaths(_ node: Node, of key: String) -> [JSONPath] {
    let nodes = elements(of: node)
    if nodes.isEmpty { refuse(node, expected: "a path, or a list of paths", advice: "write 'id' or '[shop, id]'") }
    let paths = nodes.compactMap { path($0, example: "id", single: key) }
    if Set(paths).count < paths.count { refuse("a member twice", at: node.range, advice: "name each once") }
    return paths
  }

  /// Returns one name, or the names of a list, each of which occurs once.
  mutating func memberNames(_ node: Node, areGiven: Bool = false) -> [String] {
    let nodes = elements(of: node)
    if nodes.isEmpty { refuse(node, expected: "a member's name, or a list of them", advice: "write '[time, price]'") }
    let names = nodes.compactMap { node in
      areGiven ? givenName(node, expected: "a member's name") : name(node, expected: "a member's name")
    }
    if Set(names).count < names.count { refuse("a name twice", at: node.range, advice: "give each a name of its own") }
    return names.count == nodes.count ? names : []
  }

  /// Returns the members of `rename` with their new names.
  mutating func renamedMembers(_ node: Node) -> [Job.Rename] {
    let advice = "write '{ old_name: name }'"
    guard let entries = named(node, expected: "a map of members and their new names", advice: advice) else { return [] }
    if entries.isEmpty { refuse("no member in 'rename'", at: node.range, advice: advice) }
    var seen: Set<[String]> = []
    return entries.compactMap { entry in
      let path = objectPath(entry.key, at: entry.keyRange, of: "rename")
      guard let text = name(entry.value, expected: "a member's new name", advice: advice), let path,
        let name = givenName(text, at: entry.value.range)
      else { return nil }
      let target = path.steps.dropLast().map(\.name) + [name]
      if !seen.insert(target).inserted {
        refuse("two members become '\(name.printable)'", at: entry.value.range, advice: "give each a name of its own")
      } else if path.steps.map(\.name) == target {
        refuse("'\(name.printable)' has this name already", at: entry.keyRange, advice: "leave it out")
      }
      return Job.Rename(path: path, name: name)
    }
  }

  /// Returns the signs that `ignore` names: one, or a list.
  mutating func signs(_ node: Node) -> Set<Sign> {
    Set(elements(of: node).compactMap { word($0, among: Sign.ignorable) })
  }

  /// Returns a method: a case-sensitive token (RFC 9110 §9.1); all methods in use are upper case.
  mutating func method(_ node: Node) -> String? {
    guard let method = name(node, expected: "a method such as GET or POST") else { return nil }
    guard method.isToken else {
      refuse("'\(method.printable)' is not a method", at: node.range, advice: "write one such as GET or POST")
      return nil
    }
    let upper = method.uppercased()
    guard method == upper else {
      refuse("methods are upper case", at: node.range, advice: "write '\(upper)'")
      return nil
    }
    return method
  }

  mutating func attach(_ node: Node) -> Job.Attach? {
    if case .map(let entries) = node.content {
      var attach: Job.Attach?
      map(node, keys: SpecKeys.attachKeys, into: &attach)
      if entries.isEmpty {
        refuse("no 'one' in 'attach'", at: node.range, advice: "write '{ one: name }', or only the name")
      }
      return attach
    }
    return givenName(node, expected: "a member's name, or {one: NAME}").map { .list($0) }
  }

  mutating func matchPairs(_ node: Node) -> [Job.MatchPair]? {
    let expected = "a map of fetched to input members"
    var advice = "write '{ fetched: input }'"
    if case .string(let name) = node.content { advice = "write '{ \(name.printable): \(name.printable) }'" }
    guard let entries = named(node, expected: expected, advice: advice) else { return nil }
    if entries.isEmpty { refuse("no members in 'match'", at: node.range, advice: advice) }
    return entries.compactMap { entry in
      let fetched = path(entry.key, at: entry.keyRange, example: "user.id", single: "match")
      let input = path(entry.value, example: "id", single: "match")
      return fetched.flatMap { fetched in input.map { Job.MatchPair(fetched: fetched, input: $0) } }
    }
  }
}

extension StringProtocol {
  /// True for an HTTP token, such as a header's name or a method (RFC 9110 §5.6.2).
  package var isToken: Bool {
    !isEmpty && utf8.allSatisfy { $0.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
  }
}

// Decodes `model`: the types that a Swift `Codable` struct would name.

internal import Diagnostics

extension NodeDecoder {
  fileprivate static let types: [(name: String, kind: Model.Kind)] = [
    ("string", .string), ("integer", .integer), ("number", .number), ("boolean", .boolean), ("date", .date),
    ("url", .url), ("any", .any),
  ]

  /// Names of the types in other languages.
  private static let foreign = [
    "int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number", "bool": "boolean",
    "str": "string", "text": "string", "datetime": "date", "array": "[any]", "list": "[any]", "timestamp": "date",
    "uri": "url", "object": "any",
  ]

  mutating func model(_ node: Node) -> Model? {
    guard
      let entries = named(
        node, expected: "a map of members and their types", advice: "write '{ id: integer, name?: string }'")
    else { return nil }
    var names: Set<[UInt8]> = []
    let members = entries.map { entry -> Model.Member? in
      let isOptional = entry.key.utf8.last == UInt8(ascii: "?")
      let name = isOptional ? String(entry.key.dropLast()) : entry.key
      if !names.insert(Array(name.utf8)).inserted {
        refuse(
          "member '\(name.printable)' is given twice", at: entry.keyRange,
          advice: "leave one of them out: '?' is not a part of the name")
      }
      if !isOptional, case .string(let type) = entry.value.content, type.utf8.last == UInt8(ascii: "?"),
        kind(word: String(type.dropLast())) != nil
      {
        refuse(
          "'?' belongs to the member's name", at: entry.value.range,
          advice: "write '\(name.printable)?: \(type.dropLast())'")
        return nil
      }
      return kind(entry.value).map { Model.Member(name: name, kind: $0, isOptional: isOptional) }
    }
    return members.contains { $0 == nil } ? nil : Model(members: members.compactMap { $0 })
  }

  private mutating func kind(_ node: Node) -> Model.Kind? {
    switch node.content {
    case .map:
      return model(node).map { .map($0) }
    case .list(let elements):
      guard elements.count == 1 else {
        refuse("a list in a model has one type", at: node.range, advice: "write '[string]'")
        return nil
      }
      return kind(elements[0]).map { .list($0) }
    case .string(let text):
      return kind(named: text, node)
    case .null, .boolean, .number:
      refuse(node, expected: "a type", advice: "types are \(Self.typeNames), [T] and maps")
      return nil
    }
  }

  private mutating func kind(named text: String, _ node: Node) -> Model.Kind? {
    if let kind = kind(word: text) { return kind }
    refuse("unknown type '\(text.printable)'", at: node.range, advice: advice(forType: text))
    return nil
  }

  private func kind(word: String) -> Model.Kind? { Self.types.first { $0.name == word }?.kind }

  private func advice(forType text: String) -> String {
    if text.utf8.last == UInt8(ascii: "?") { return "'?' belongs to the member's name: 'email?: string'" }
    let near = Self.foreign[text.lowercased()] ?? suggestion(for: text, among: Self.types.map(\.name))
    return near.map { "did you mean '\($0)'?" } ?? "types are \(Self.typeNames), [T] and maps"
  }

  private static var typeNames: String { types.map(\.name).joined(separator: ", ") }
}

extension Model.Kind {
  /// The word for it in a spec, or what a list or map of types is.
  var word: String {
    switch self {
    case .list: "a list"
    case .map: "a map"
    case .string, .integer, .number, .boolean, .date, .url, .any:
      NodeDecoder.types.first { $0.kind == self }?.name ?? ""
    }
  }
}

// Decodes `decode`: names, and members that are written as what they mean.

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func decode(_ node: Node, into decode: inout Decode) {
    guard let keys = map(node, keys: SpecKeys.decodeKeys, into: &decode) else { return }
    // The order of a map's keys means nothing.
    decode.members.sort { $0.path.description < $1.path.description }
    decode.nulls.sort { $0.path.description < $1.path.description }
    checkReadOnce(keys.filter { ["dates", "types", "nulls"].contains($0.key) })
  }

  /// Returns the members that `dates` or `types` names.
  mutating func readMembers(
    _ node: Node, of key: String, expected: String, _ reading: (inout NodeDecoder, Node) -> Decode.Reading?
  ) -> [Decode.Member] {
    var members: [Decode.Member] = []
    for entry in named(node, expected: expected, advice: nil) ?? [] {
      guard let reading = reading(&self, entry.value), let path = objectPath(entry.key, at: entry.keyRange, of: key)
      else {
        continue
      }
      members.append(Decode.Member(path: path, reading: reading))
    }
    return members
  }

  /// Returns the members that `nulls` names, each with the values that mean that it has none.
  mutating func nulls(_ node: Node) -> [Decode.Nulls] {
    var nulls: [Decode.Nulls] = []
    for entry in named(node, expected: "a map such as {birth: [\"\", \"0000-00-00\"]}", advice: nil) ?? [] {
      let nodes = elements(of: entry.value)
      if nodes.isEmpty {
        refuse("no value in 'nulls'", at: entry.value.range, advice: "write '[\"\", \"0000-00-00\"]'")
      }
      let values = nodes.compactMap { element($0) }
      guard values.count == nodes.count, let path = objectPath(entry.key, at: entry.keyRange, of: "nulls") else {
        continue
      }
      nulls.append(Decode.Nulls(path: path, values: values))
    }
    return nulls
  }

  /// Refuses a member that is read in two ways, or that is inside another one that is read.
  private mutating func checkReadOnce(_ keys: [Node.Entry]) {
    var known: [(steps: [JSONStep], name: String, key: String)] = []
    for key in keys {
      for entry in entries(of: key.value) ?? [] {
        guard let steps = try? JSONPath(entry.key).steps else { continue }
        let name = entry.key.printable
        let other = known.first { other in
          guard other.steps.starts(with: steps) || steps.starts(with: other.steps) else { return false }
          // A member may have nulls and be read.
          return other.steps != steps || (key.key == "nulls") == (other.key == "nulls")
        }
        if let other {
          let isSame = other.steps == steps
          refuse(
            isSame ? "'\(name)' is in '\(other.key)' already" : "'\(name)' and '\(other.name)' are one in the other",
            at: entry.keyRange, advice: "leave one of them out")
        }
        known.append((steps, name, key.key))
      }
    }
  }
}

// MARK: Decodes the names that a spec gives: of members, and of what `each` makes

extension NodeDecoder {
  /// Returns the name that a spec gives a member; `["a.b"]` is the name `a.b`.
  ///
  /// - Parameter inner: what to write for a member inside another one; nil where there is no such thing.
  mutating func givenName(_ text: String, at range: Range<Int>, inner: ((_ names: [String]) -> String)? = nil)
    -> String?
  {
    if text.utf8.first == UInt8(ascii: "["), let steps = try? JSONPath(text).steps, steps.count == 1, !steps[0].isEvery
    {
      return steps[0].name
    }
    // A template in a name has its own message.
    guard text.contains(where: { ".[*".contains($0) }), !text.contains("${") else { return text }
    let names = (try? JSONPath(text))?.steps.map(\.name) ?? []
    let nested =
      names.count > 1 && !names.contains("*")
      ? inner.map { ", or '\($0(names).printable)' for a member inside another" } : nil
    refuse(
      "'\(text.printable)' is a path, and a name is meant", at: range,
      advice: "write '\(JSONPath(rootKey: text).description.printable)' with single quotes around it for that name"
        + (nested ?? ""))
    return nil
  }

  /// Returns the name that a value gives.
  mutating func givenName(_ node: Node, expected: String) -> String? {
    name(node, expected: expected).flatMap { givenName($0, at: node.range) }
  }

  /// Returns the members of `set`.
  mutating func setMembers(_ node: Node) -> [TemplateValue.Member]? {
    guard let members = members(node, .set, expected: "a map of members and their values") else { return nil }
    var seen: Set<String> = []
    let named = zip(members, entries(of: node) ?? []).map { member, entry -> TemplateValue.Member? in
      let value = sourceText(of: entry.value)
      let name = givenName(entry.key, at: entry.keyRange) { names in
        names.reversed().reduce(value) { "{ \($1): \($0) }" }
      }
      guard let name else { return nil }
      guard seen.insert(name).inserted else {
        refuse("'\(name.printable)' is set twice", at: entry.keyRange, advice: "leave one of them out")
        return nil
      }
      return TemplateValue.Member(name: name, value: member.value)
    }
    return named.contains { $0 == nil } ? nil : named.compactMap { $0 }
  }
}
