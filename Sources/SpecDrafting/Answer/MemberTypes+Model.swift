// The types that records had, in the words of `model`.

import Diagnostics
import Engine
import JSONText
import Wire
import YAMLText

extension MemberTypes {
  /// Most members of a map: with more, it is rather a table whose names are data.
  private static let mostMembers = 100
  /// Most levels of maps and lists.
  private static let mostLevels = 8

  /// Lines of a model that all these records match; nil if they are no objects, or if `model` can't express a name.
  var modelLines: [String]? {
    guard kinds == [.object], !members.isEmpty, members.count <= Self.mostMembers else { return nil }
    let lines = members.map { name, types in line(name, types, levels: Self.mostLevels, inFlow: false) }
    return lines.contains { $0 == nil } ? nil : lines.compactMap { $0 }
  }

  /// Returns `name?: type`; `?` marks a member that was missing or null.
  private func line(_ name: String, _ types: MemberTypes, levels: Int, inFlow: Bool) -> String? {
    // A '?' at the end of a name would have another meaning, and so would a template.
    guard !name.hasSuffix("?"), !name.contains("${"), !name.isEmpty, name.utf8.count <= WritableNames.longest else {
      return nil
    }
    let isOptional = types.count < objectCount || types.kinds.contains(.null)
    let key = YAMLScalar.text(name + (isOptional ? "?" : ""), inFlow: inFlow)
    return "\(key): \(types.modelType(levels: levels - 1))"
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
      let inner = members.map { line($0, $1, levels: levels, inFlow: true) }
      return inner.contains { $0 == nil } ? "any" : "{ \(inner.compactMap { $0 }.joined(separator: ", ")) }"
    default: return "any"
    }
  }
}

// The names of an answer that a draft may have: neither secrets nor texts of megabytes.

/// Removes the members of an answer whose names no draft may have.
struct WritableNames {
  private let secrets: SecretStore
  private var known: [String: Bool] = [:]
  /// Lists and objects outside of lists that were removed because a secret of the request is in their names.
  private var secretCount = 0
  /// Sizes of the names that were removed because they are too long, outside of lists.
  private var sizes: [Int] = []

  /// Most bytes of a name.
  static let longest = 1_000

  init(without secrets: SecretStore) {
    self.secrets = secrets
  }

  /// The comment about what was removed; empty for nothing.
  var comment: [String] {
    let search = "was left out of the search for records, because its name has"
    return (secretCount > 0 ? ["A member \(search) a secret of the request."] : [])
      + sizes.prefix(3).map { "A member \(search) \($0) bytes." }
  }

  /// Returns the answer without the members whose names can't be written.
  mutating func keep(_ value: JSONValue) -> JSONValue { reduced(value, isInList: false) ?? value }

  /// Returns nil for a value that can stay as it is.
  private mutating func reduced(_ value: JSONValue, isInList: Bool) -> JSONValue? {
    var isChanged = false
    switch value.kind {
    case .object:
      var members: [(name: String, value: JSONValue)] = []
      for member in value.members {
        let isHolder = member.value.kind == .object || member.value.kind == .array
        guard canWrite(member, isTold: isHolder && !isInList) else {
          isChanged = true
          continue
        }
        let inner = isHolder ? reduced(member.value, isInList: isInList) : nil
        isChanged = isChanged || inner != nil
        members.append((member.name, inner ?? member.value))
      }
      return isChanged ? JSONValue(members: members) : nil
    case .array:
      var elements: [JSONValue] = []
      for element in value.elements {
        let inner = reduced(element, isInList: true)
        isChanged = isChanged || inner != nil
        elements.append(inner ?? element)
      }
      return isChanged ? JSONValue(elements: elements) : nil
    case .string, .number, .boolean, .null: return nil
    }
  }

  private mutating func canWrite(_ member: JSONValue.Member, isTold: Bool) -> Bool {
    let size = member.quotedName.count - 2
    guard size <= Self.longest else {
      if isTold { sizes.append(size) }
      return false
    }
    guard !secrets.values.isEmpty else { return true }
    let name = member.name
    let isWritable = known[name] ?? (secrets.redacting(name) == name)
    known[name] = isWritable
    if !isWritable, isTold { secretCount += 1 }
    return isWritable
  }
}
