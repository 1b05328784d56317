// The types that records had, in the words of `model`.

import Engine
import Diagnostics
import YAMLText

extension MemberTypes {
  /// Most members of a map: with more, it is rather a table whose names are data.
  private static let mostMembers = 100
  /// Most levels of maps and lists.
  private static let mostLevels = 8

  /// Lines of a model that all these records match; nil if they are no objects, or if `model` can't express a name.
  var modelLines: [String]? {
    guard kinds == [.object], !members.isEmpty, members.count <= Self.mostMembers else { return nil }
    let lines = members.map { name, types in line(name, types, levels: Self.mostLevels) }
    return lines.contains { $0 == nil } ? nil : lines.compactMap { $0 }
  }

  /// Returns `name?: type`; `?` marks a member that was missing or null.
  private func line(_ name: String, _ types: MemberTypes, levels: Int) -> String? {
    // A '?' at the end of a name would have another meaning, and so would a template.
    guard !name.hasSuffix("?"), !name.contains("${"), !name.isEmpty, name.utf8.count <= WritableNames.longest else {
      return nil
    }
    let isOptional = types.count < objectCount || types.kinds.contains(.null)
    return "\(YAMLScalar.text(name + (isOptional ? "?" : ""))): \(types.modelType(levels: levels - 1))"
  }

  private func modelType(levels: Int) -> String {
    let kinds = kinds.subtracting([.null])
    guard levels > 0 else { return "any" }
    switch kinds {
    case [.boolean]: return "boolean"
    case [.integer]: return "integer"
    case [.number], [.integer, .number]: return "number"
    case [.string]: return areDates ? "date" : areURLs ? "url" : "string"
    case [.array]:
      guard let element = elements.first, !element.kinds.contains(.null) else { return "any" }
      return "[\(element.modelType(levels: levels - 1))]"
    case [.object]:
      guard !members.isEmpty, members.count <= Self.mostMembers else { return "any" }
      let inner = members.map { line($0, $1, levels: levels) }
      return inner.contains { $0 == nil } ? "any" : "{ \(inner.compactMap { $0 }.joined(separator: ", ")) }"
    default: return "any"
    }
  }
}
