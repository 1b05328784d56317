// Decodes paths: of values in bodies and records, and of values in an answer, which begin with a root.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  /// Returns the path that a value is.
  ///
  /// - Parameters:
  ///   - key: the key in which `*` is refused; nil where it can stand.
  mutating func path(_ node: Node, example: String, single key: String? = nil) -> JSONPath? {
    guard let text = pathText(node, example: example), !refusesTemplate(text, node) else { return nil }
    return path(text, at: node.range, example: example, single: key)
  }

  /// Returns the text of a path; digits alone are an element, or the member of that name.
  mutating func pathText(_ node: Node, example: String) -> String? {
    let advice = "write '\(example)'"
    switch node.content {
    case .string(let text): return text
    case .number where node.spelling.utf8.allSatisfy { (48...57).contains($0) }: return node.spelling
    case .number:
      refuse(
        node, expected: "a path",
        advice: "write '[\"\(node.spelling.printable)\"]', with single quotes around it, for a member of that name")
    case .list(let nodes):
      // YAML reads `["@graph"]` as a list.
      if nodes.count == 1, case .string(let name) = nodes[0].content {
        let path = "[\"\(name)\"]".printable
        refuse(
          node, expected: "a path",
          advice: "write '\(path)' with single quotes around it: YAML reads brackets as a list")
      } else {
        refuse(node, expected: "a path", advice: advice)
      }
    case .null, .boolean, .map: refuse(node, expected: "a path", advice: advice)
    }
    return nil
  }

  /// Returns the path that a text is, or nil after a diagnostic.
  mutating func path(_ text: String, at range: Range<Int>, example: String, single key: String? = nil) -> JSONPath? {
    guard !text.isEmpty else {
      refuse("an empty path", at: range, advice: "write '\(example)'")
      return nil
    }
    if text.utf8.last == UInt8(ascii: "?"), (try? JSONPath(String(text.dropLast()))) != nil {
      refuse("a '?' behind a path", at: range, advice: "leave it out: what this path names may always be missing")
      return nil
    }
    do {
      let path = try JSONPath(text)
      guard let key, path.hasEvery else { return path }
      refuse(
        "'*' in '\(key)'", at: range,
        advice: "it names several values: write the member's name, or the element's number from 0")
      return nil
    } catch {
      refuse(error.message.printable, at: range, advice: error.advice?.printable)
      return nil
    }
  }

  // MARK: Answers

  /// Roots at which a path in an answer begins.
  private static let answerRoots: [Template.Hole.Root] = [.body, .headers, .last, .input, .param]

  /// Returns a value of `pages` or `failure`: a path that begins with a root, or a text with templates.
  mutating func answerTemplate(_ text: String, _ node: Node, example: String) -> Template? {
    guard text.contains("${") else { return answerPath(text, node, example: example) }
    if text.hasPrefix("${"), text.hasSuffix("}"), let path = try? JSONPath(String(text.dropFirst(2).dropLast())),
      let root = path.steps.first?.name, TemplateParser.otherRoots[root] == "body"
    {
      let likely = "body\(JSONPath(Array(path.steps.dropFirst())).suffix)"
      refuse("unknown template root '\(root.printable)'", at: node.range, advice: "write '\(likely.printable)'")
      return nil
    }
    guard let template = template(text, node, .pages) else { return nil }
    if let hole = template.onlyHole, hole.isPathAlone {
      let path = String(hole.spelling.dropFirst(2).dropLast())
      refuse(
        "'\(hole.spelling.printable)' alone is a path", at: node.range,
        advice: "write '\(path.printable)': '${…}' is for a value inside a text")
      return nil
    }
    return template
  }

  private mutating func answerPath(_ text: String, _ node: Node, example: String) -> Template? {
    let inside = text.hasPrefix("{{") && text.hasSuffix("}}") ? text.dropFirst(2).dropLast(2) : text[...]
    let words = inside.split(separator: " ")
    // A comparison, or an operator of another language.
    guard words.count == 1, inside.count == text.count, let word = words.first.map(String.init) else {
      refuse(
        "'\(text.printable)' is not a path", at: node.range,
        advice: "write where an answer has it, such as '\(Self.likely(words.first ?? "") ?? example)'")
      return nil
    }
    let isOptional = word.utf8.last == UInt8(ascii: "?")
    let bare = isOptional ? String(word.dropLast()) : word
    let path: JSONPath
    do {
      path = try JSONPath(bare)
    } catch {
      let likely = shifted(bare, node) ?? error.likely.map { Self.rooted($0) }
      refuse(error.message.printable, at: node.range, advice: "write '\((likely ?? example).printable)'")
      return nil
    }
    guard let root = path.steps.first, Self.answerRoots.contains(where: { $0.rawValue == root.name }) else {
      let rooted = Self.rooted(path)
      let isMember = path.steps.count == 1 && rooted.hasPrefix("body")
      refuse(
        "'\(text.printable)' begins with no root", at: node.range,
        advice: "write '\(rooted.printable)'"
          + (isMember ? ", or 'last\(path.suffix.printable)' for the last record's" : ""))
      return nil
    }
    return rootedPath(word, node, .pages)
  }

  /// Returns the template for a path with a shift, such as `last.id+1`; nil for other texts.
  private func shifted(_ text: String, _ node: Node) -> String? {
    guard text.contains("+") else { return nil }
    let parser = TemplateParser(LocatedText("${\(text)}", of: node, in: source), in: source)
    return parser.mistakes.isEmpty ? "\"${\(text)}\"" : nil
  }

  /// Returns a path with the root that it probably has.
  static func rooted(_ path: JSONPath) -> String {
    var path = path
    let others = ["response", "resp", "res", "reply"]
    if path.steps.count > 1, others.contains(path.steps[0].name) { path.steps.removeFirst() }
    guard let first = path.steps.first, !answerRoots.contains(where: { $0.rawValue == first.name }) else {
      return path.description
    }
    // Header fields have hyphens, members rarely do.
    let isField = path.steps.count == 1 && first.name.contains("-") && !first.isEvery
    return (isField ? "headers" : "body") + path.suffix
  }

  private static func likely(_ word: Substring) -> String? {
    let path = (try? JSONPath(String(word))) ?? PathError(String(word)).likely
    guard let path, path.steps.contains(where: { $0.name.contains("_") }) || path.steps.count > 1 else { return nil }
    return rooted(path)
  }
}

extension Template.Hole {
  /// True if the template is only a path, and could stand without `${`.
  var isPathAlone: Bool {
    [.body, .headers, .last, .input].contains(root) && isVerbatim && urlForm == nil
  }
}

// MARK: Decodes `read`

extension NodeDecoder {
  mutating func bodyFormat(_ node: Node) -> BodyFormat? {
    let expected = "'json', 'lines', 'sequence', 'csv' or {csv: {…}}"
    guard case .map(let entries) = node.content else {
      guard let text = string(node, expected: expected) else { return nil }
      switch text {
      case "json": return .json
      case "lines": return .lines
      case "sequence": return .sequence
      case "csv": return .csv(CSVDialect())
      default:
        let word = text.lowercased()
        let near = Self.otherFormats[word] ?? suggestion(for: word, among: ["json", "lines", "sequence", "csv"])
        let other = "pagecat reads no other format: ask the API for JSON or CSV, such as 'query: { format: json }'"
        let advice = near.map { "did you mean '\($0)'?" } ?? other
        refuse("expected \(expected), found '\(text.printable)'", at: node.range, advice: advice)
        return nil
      }
    }
    var format: BodyFormat?
    map(node, keys: SpecKeys.readKeys, into: &format)
    if entries.isEmpty {
      refuse("no format in 'read'", at: node.range, advice: "write '{ csv: { delimiter: \";\" } }'")
    }
    return format
  }

  /// Other names of the formats.
  private static let otherFormats = [
    "ndjson": "lines", "jsonl": "lines", "jsonlines": "lines", "json-lines": "lines",
    "json-seq": "sequence", "jsonseq": "sequence", "geojsonseq": "sequence", "concatenated": "sequence",
    "tsv": "{ csv: { delimiter: \"\\t\" } }",
  ]

  /// Returns the path of column names; its last `*` goes through the columns.
  mutating func columns(_ node: Node) -> JSONPath? {
    guard let path = path(node, example: "meta.columns.*.name") else { return nil }
    guard path.steps.first?.isEvery != true else {
      refuse("'columns' begins with '*'", at: node.range, advice: "name what has the columns: 'columns.*.name'")
      return nil
    }
    guard path.steps.count(where: \.isEvery) <= 1 else {
      refuse("two '*' in 'columns'", at: node.range, advice: "one goes through the columns: 'columns.*.name'")
      return nil
    }
    return columns(path)
  }

  /// Returns the path with a `*`.
  private func columns(_ path: JSONPath) -> JSONPath {
    var path = path
    if !path.hasEvery { path.steps.append(.every) }
    return path
  }

  private static let delimiterAdvice = "write ';', '|', or a tab as \"\\t\", in double quotes"

  mutating func delimiter(_ node: Node) -> UInt8? {
    guard let text = string(node, expected: "one character", advice: Self.delimiterAdvice) else { return nil }
    guard text.utf8.count == 1, let byte = text.utf8.first else {
      refuse(
        "expected one ASCII character, found '\(text.printable)'", at: node.range,
        advice: Self.delimiterAdvice)
      return nil
    }
    guard ![0, 0x0A, 0x0D, UInt8(ascii: "\"")].contains(byte) else {
      refuse("a quote or a line end can't be the delimiter", at: node.range, advice: Self.delimiterAdvice)
      return nil
    }
    return byte
  }

  mutating func csvHeader(_ node: Node) -> CSVDialect.Header? {
    switch node.content {
    case .boolean(let isThere): return isThere ? .firstLine : CSVDialect.Header.none
    case .string("first"): return .firstPage
    case .list(let nodes) where !nodes.isEmpty:
      let names = nodes.map { string($0, expected: "a member's name") }
      var seen: Set<[UInt8]> = []
      for (name, node) in zip(names, nodes) {
        guard let name, !refusesTemplate(name, node) else { continue }
        if !seen.insert(Array(name.utf8)).inserted {
          refuse("'\(name.printable)' is given twice", at: node.range, advice: "give each column a name of its own")
        }
      }
      return names.contains(nil) ? nil : .names(names.compactMap { $0 })
    default:
      refuse(node, expected: "true, false, 'first' or a list of names")
      return nil
    }
  }
}

// MARK: `contentIdentifier`

extension NodeDecoder {
  /// Returns the path of the content, or those of several lists.
  mutating func contentIdentifier(_ node: Node) -> ContentIdentifier? {
    guard case .list(let nodes) = node.content else { return contentPath(node).map { ContentIdentifier([$0]) } }
    if nodes.count == 1, case .string(let name) = nodes[0].content, (try? JSONPath(name))?.steps.count == 1 {
      return contentPath(nodes[0]).map { ContentIdentifier([$0]) }
    }
    // YAML reads `["@graph"]` as a list.
    guard nodes.count > 1 else { return contentPath(node).map { ContentIdentifier([$0]) } }
    let paths = nodes.compactMap { contentPath($0) }
    guard paths.count == nodes.count else { return nil }
    let shapes = paths.compactMap(\.template.contentShape)
    if let twice = nodes.indices.first(where: { shapes[..<$0].contains(shapes[$0]) }) {
      refuse(
        "'\(paths[twice].template.spelling.printable)' twice", at: nodes[twice].range, advice: "name each list once")
      return nil
    }
    let identifier = ContentIdentifier(paths)
    guard identifier.contentShape != nil else {
      refuse(
        "the paths of 'contentIdentifier' differ in more than one name", at: node.range,
        advice:
          "lists that stand in one map can be read together, such as '[data.users, data.groups]'; write a step for "
          + "each of the others")
      return nil
    }
    return identifier
  }

  /// Returns a path of content, in which templates may be pieces of names, and whether it may be missing.
  private mutating func contentPath(_ node: Node) -> ContentIdentifier.Path? {
    guard let text = pathText(node, example: "data.items") else { return nil }
    let mayBeMissing = text.utf8.last == UInt8(ascii: "?")
    let bare = mayBeMissing ? String(text.dropLast()) : text
    guard !bare.isEmpty, !bare.utf8.contains(0) else {
      refuse("an empty path", at: node.range, advice: "write 'data.items', or leave it out for the body itself")
      return nil
    }
    guard let path = template(bare, node, .request) else { return nil }
    do {
      _ = try JSONPath(shape: path.pieces.map { $0.shape }.joined())
      return ContentIdentifier.Path(path, isOptional: mayBeMissing)
    } catch {
      // A NUL stands for each template.
      var spellings = path.holes.map(\.spelling)[...]
      func written(_ text: String) -> String {
        text.split(separator: "\0", omittingEmptySubsequences: false).enumerated().map { index, part in
          index == 0 ? String(part) : (spellings.popFirst() ?? "") + part
        }.joined().printable
      }
      let message = written(error.message)
      spellings = path.holes.map(\.spelling)[...]
      refuse(message, at: node.range, advice: error.advice.map { written($0) })
      return nil
    }
  }
}

extension Template.Piece {
  fileprivate var shape: String {
    if case .text(let text) = self { text } else { "\0" }
  }
}
