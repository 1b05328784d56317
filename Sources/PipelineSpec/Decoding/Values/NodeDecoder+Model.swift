// Decodes `model`: the types that a Swift `Codable` struct would name.

import YAMLText

internal import Diagnostics

extension NodeDecoder {
  fileprivate static let types: [(name: String, kind: Model.Kind)] = [
    ("string", .string), ("integer", .integer), ("number", .number), ("boolean", .boolean), ("date", .date),
    ("url", .url), ("any", .any),
  ]

  /// Names of the types in other languages.
  private static let foreign = [
    "int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number", "bool": "boolean",
    "str": "string", "text": "string", "datetime": "date", "timestamp": "date", "uri": "url", "object": "any",
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
          advice: "leave one of them out: '?' is no part of the name")
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
    if let type = Self.types.first(where: { $0.name == text }) { return type.kind }
    refuse("unknown type '\(text.printable)'", at: node.range, advice: advice(forType: text))
    return nil
  }

  private func advice(forType text: String) -> String {
    if text.utf8.last == UInt8(ascii: "?") { return "'?' belongs to the member's name: 'email?: string'" }
    let near = suggestion(for: text, among: Self.types.map(\.name)) ?? Self.foreign[text.lowercased()]
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
