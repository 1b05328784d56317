// Decodes names: of jobs, methods, members.

import YAMLText

internal import Diagnostics

extension NodeDecoder {
  mutating func printableName(_ node: Node) -> String? {
    guard let name = name(node, expected: "a name") else { return nil }
    guard name.printable == name else {
      refuse("control characters in a name", at: node.range, advice: "leave them out")
      return nil
    }
    return name
  }

  /// Returns the names of `unique`.
  mutating func uniqueMembers(_ node: Node) -> [String] {
    guard case .list(let nodes) = node.content, !nodes.isEmpty else {
      refuse(node, expected: "a list of members", advice: "write '[id]'")
      return []
    }
    let names = nodes.compactMap { name($0, expected: "a member's name") }
    if Set(names).count < names.count { refuse("a member twice", at: node.range, advice: "name each once") }
    return names
  }

  /// Returns the signs that `ignore` names: one, or a list.
  mutating func signs(_ node: Node) -> Set<Sign> {
    let nodes = if case .list(let nodes) = node.content { nodes } else { [node] }
    return Set(nodes.compactMap { word($0, among: Sign.ignorable) })
  }

  /// Returns a method: a case-sensitive token (RFC 9110 §9.1); all methods in use are upper case.
  mutating func method(_ node: Node) -> String? {
    guard let method = name(node, expected: "a method such as GET or POST") else { return nil }
    guard method.isToken else {
      refuse("'\(method.printable)' is no method", at: node.range, advice: "write one such as GET or POST")
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
    return name(node, expected: "a member's name, or {one: NAME}").map { .list($0) }
  }

  mutating func matchPairs(_ node: Node) -> [Job.MatchPair]? {
    let expected = "a map of fetched to input members"
    let advice = "write '{ fetched: input }'"
    guard let entries = named(node, expected: expected, advice: advice) else { return nil }
    if entries.isEmpty { refuse("no members in 'match'", at: node.range, advice: advice) }
    return entries.compactMap { entry in
      memberName(entry.value).map { Job.MatchPair(fetched: entry.key, input: $0) }
    }
  }

  private mutating func memberName(_ node: Node) -> String? {
    guard let text = string(node, expected: "a member of the input record", advice: "write its name") else {
      return nil
    }
    return refusesTemplate(text, node, advice: "write only the member's name") ? nil : text
  }
}

extension String {
  /// True for an HTTP token, such as a header's name or a method (RFC 9110 §5.6.2).
  var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
