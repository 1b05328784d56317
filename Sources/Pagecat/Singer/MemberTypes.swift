import JSONText
import Primitives

/// The types of the members of records, as far as they have been seen: each may be several.
struct MemberTypes: Sendable, Hashable {
  /// A type of JSON Schema.
  private enum Kind: String, CaseIterable, Sendable {
    case null, boolean, integer, number, string, array, object
  }

  private var kinds: Set<Kind> = []
  /// True if all texts so far are dates with times (RFC 3339).
  private var areTimes = true
  private var members: [(name: String, types: MemberTypes)] = []
  private var places: [String: Int] = [:]
  /// Types of the elements; at most one.
  private var elements: [MemberTypes] = []

  /// Adds the types of a value; returns true if they are news.
  mutating func add(_ value: JSONValue) -> Bool {
    let kind = Self.kind(of: value)
    var isNews = kinds.insert(kind).inserted
    switch kind {
    case .string:
      if areTimes, Timestamp(rfc3339: Array((value.string ?? "").utf8)[...]) == nil {
        areTimes = false
        isNews = true
      }
    case .object: for member in value.members where addMember(member.name, member.value) { isNews = true }
    case .array:
      for element in value.elements {
        if elements.isEmpty { elements.append(MemberTypes()) }
        if elements[0].add(element) { isNews = true }
      }
    case .null, .boolean, .integer, .number: break
    }
    return isNews
  }

  private mutating func addMember(_ name: String, _ value: JSONValue) -> Bool {
    let isNew = places[name] == nil
    let place = places[name] ?? members.count
    if isNew {
      places[name] = place
      members.append((name, MemberTypes()))
    }
    return members[place].types.add(value) || isNew
  }

  private static func kind(of value: JSONValue) -> Kind {
    switch value.kind {
    case .null: .null
    case .boolean: .boolean
    case .number: value.isWholeNumber ? .integer : .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// JSON Schema (draft-07) of these types. Every member may be null, since it may be missing.
  var schema: JSONValue { JSONValue(members: schemaMembers(isOptional: true)) }

  /// JSON Schema of a record.
  var recordSchema: JSONValue {
    var types = self
    types.kinds.insert(.object)
    return JSONValue(members: types.schemaMembers(isOptional: false))
  }

  private func schemaMembers(isOptional: Bool) -> [(name: String, value: JSONValue)] {
    var kinds = kinds
    if isOptional { kinds.insert(.null) }
    // Each whole number is a number.
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

  static func == (a: MemberTypes, b: MemberTypes) -> Bool { a.schema == b.schema }

  func hash(into hasher: inout Hasher) { hasher.combine(schema) }
}
