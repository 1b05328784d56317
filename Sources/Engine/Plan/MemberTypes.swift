package import JSONText
import Primitives

/// The types of the members of records, as far as they have been seen; a member may have several.
package struct MemberTypes: Sendable {
  /// A type of JSON Schema.
  package enum Kind: String, CaseIterable, Sendable {
    case null, boolean, integer, number, string, array, object
  }

  /// Number of values.
  package private(set) var count = 0
  /// Number of values that are objects.
  package private(set) var objectCount = 0
  package private(set) var kinds: Set<Kind> = []
  /// True if all texts so far are dates with times (RFC 3339) that other readers accept.
  private var areTimes = true
  /// True if all texts so far are dates, with or without a time.
  package private(set) var areDates = true
  /// True if all texts so far are absolute URLs of the web.
  package private(set) var areURLs = true
  package private(set) var members: [(name: String, types: MemberTypes)] = []
  private var indices: [String: Int] = [:]
  /// Types of the elements; at most one.
  package private(set) var elements: [MemberTypes] = []

  package init() {}

  /// Adds the types of a value; returns true if they are new.
  package mutating func add(_ value: JSONValue) -> Bool {
    count += 1
    let kind = Self.kind(of: value)
    var isNews = kinds.insert(kind).inserted
    switch kind {
    case .string:
      let text = Array((value.string ?? "").utf8)[...]
      let isTime = (areTimes || areDates) && Timestamp(rfc3339: text) != nil
      if areTimes, !isTime || !Self.isPlainTime(text) {
        areTimes = false
        isNews = true
      }
      areDates = areDates && (isTime || CivilDate(text) != nil)
      areURLs = areURLs && Self.isURL(text)
    case .object:
      objectCount += 1
      for member in value.members where addMember(member.name, member.value) { isNews = true }
    case .array:
      for element in value.elements {
        if elements.isEmpty { elements.append(MemberTypes()) }
        if elements[0].add(element) { isNews = true }
      }
    case .integer, .number, .null, .boolean: break
    }
    return isNews
  }

  private mutating func addMember(_ name: String, _ value: JSONValue) -> Bool {
    let isNew = indices[name] == nil
    let index = indices[name] ?? members.count
    if isNew {
      indices[name] = index
      members.append((name, MemberTypes()))
    }
    return members[index].types.add(value) || isNew
  }

  private static func isURL(_ text: ArraySlice<UInt8>) -> Bool {
    ["http://", "https://"].contains { text.starts(with: $0.utf8) && text.count > $0.utf8.count }
      && text.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  /// Reports that a time has an upper-case `T`, and no leap second: many readers refuse others.
  private static func isPlainTime(_ text: ArraySlice<UInt8>) -> Bool {
    text.contains(UInt8(ascii: "T")) && !text.dropFirst(17).starts(with: "60".utf8)
  }

  private static func kind(of value: JSONValue) -> Kind {
    switch value.kind {
    case .null: .null
    case .boolean: .boolean
    // Where `1.0` occurs, `1.5` may follow, and many readers do not take `1.0` for an integer.
    case .number: value.bytes.contains { ".eE".utf8.contains($0) } ? .number : .integer
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// JSON Schema (draft-07) of these types.
  ///
  /// Every member may be null, since it may be missing.
  var schema: JSONValue { JSONValue(members: schemaMembers(isOptional: true)) }

  /// JSON Schema of a record.
  package var recordSchema: JSONValue {
    var types = self
    types.kinds.insert(.object)
    return JSONValue(members: types.schemaMembers(isOptional: false))
  }

  private func schemaMembers(isOptional: Bool) -> [(name: String, value: JSONValue)] {
    var kinds = kinds
    if isOptional { kinds.insert(.null) }
    // `number` includes all integers.
    if kinds.contains(.number) { kinds.remove(.integer) }
    let names = Kind.allCases.filter(kinds.contains).map { JSONValue($0.rawValue) }
    var schema: [(name: String, value: JSONValue)] = [
      ("type", names.count == 1 ? names[0] : JSONValue(elements: names))
    ]
    if kinds.contains(.string), areTimes { schema.append(("format", JSONValue("date-time"))) }
    if kinds.contains(.object) {
      schema.append(("properties", JSONValue(members: members.map { ($0.name, $0.types.schema) })))
    }
    if kinds.contains(.array) { schema.append(("items", elements.first?.schema ?? JSONValue(members: []))) }
    return schema
  }
}
