// Decodes `read`.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  mutating func bodyFormat(_ node: Node) -> BodyFormat? {
    let expected = "'json', 'lines', 'csv' or {csv: {…}}"
    guard case .map(let entries) = node.content else {
      guard let text = string(node, expected: expected) else { return nil }
      switch text {
      case "json": return .json
      case "lines": return .lines
      case "csv": return .csv(CSVDialect())
      default:
        let word = text.lowercased()
        let near = Self.otherFormats[word] ?? suggestion(for: word, among: ["json", "lines", "csv"])
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
    "tsv": "{ csv: { delimiter: \"\\t\" } }",
  ]

  mutating func unpack(_ node: Node) -> Job.Unpack? {
    if case .string(let text) = node.content, text.lowercased() == "zip" {
      refuse(
        node, expected: "'gzip' or 'auto'",
        advice: "a zip file has several files in it: 'download' saves it as it is")
      return nil
    }
    return word(node, Job.Unpack.self)
  }

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
