// Joins fetched records to input records: by key (`MatchTable`), or as a list or single value (`attached`).

package import JSONText

/// Fetched records by the key that an input record gives, such as `match: {userId: id}`.
///
/// Numbers compare by value, strings by text, and a number never equals a string. A missing or null member matches
/// nothing.
package struct MatchTable: Sendable {
  private let fetched: [JSONPath]
  private let input: [JSONPath]
  private var records: [JoinedKey: [JSONValue]] = [:]

  /// Creates an empty table.
  ///
  /// - Parameter pairs: paths in the fetched and in the input records; all pairs must be equal.
  package init(pairs: [(fetched: JSONPath, input: JSONPath)]) {
    fetched = pairs.map(\.fetched)
    input = pairs.map(\.input)
  }

  /// Adds a page's records in their order, except records that can match nothing.
  ///
  /// - Parameter lines: whole lines, from `Page.nextLines()`.
  package mutating func add(lines: [UInt8], _ tokenIndex: TokenIndex = TokenIndex()) {
    for record in TokenIndexedRecords(lines, tokenIndex) {
      if first == nil { first = JSONValue(validated: record.bytes) }
      guard let key = Self.key(of: record, fetched) else { continue }
      // The token index is of no more use here.
      records[key, default: []].append(JSONValue(validated: record.bytes))
    }
  }

  /// The first record that was fetched.
  package private(set) var first: JSONValue?

  /// Returns the fetched records that match the record, in the order in which they were added.
  package func matches(for record: JSONValue) -> [JSONValue] {
    Self.key(of: record, input).flatMap { records[$0] } ?? []
  }

  /// Returns the fetched records that match an input record with this key.
  package func matches(for key: JoinedKey) -> [JSONValue] { records.isEmpty ? [] : records[key] ?? [] }

  private static func key(of record: JSONValue, _ paths: [JSONPath]) -> JoinedKey? {
    var key = JoinedKey()
    for path in paths {
      guard let part = record[path], key.append(part) else { return nil }
    }
    return key
  }
}

/// Returns the record with a member that lists the records of these lines, or nil if the record is no object.
///
/// The lines are joined, not parsed again. An existing member is replaced in place.
///
/// - Parameter lines: pieces of NDJSON of whole lines, from `Page.nextLines()`; no pieces make the empty list.
package func attached(_ record: JSONValue, name: String, elements lines: [[UInt8]]) -> JSONValue? {
  var list = [JSONByte.openArray]
  list.reserveCapacity(lines.reduce(2) { $0 + $1.count })
  for piece in lines { list += piece }
  // Compact JSON has no line feed except the one after each record.
  for offset in list.indices where list[offset] == JSONByte.lineFeed { list[offset] = JSONByte.comma }
  if list.last == JSONByte.comma { list.removeLast() }
  list.append(JSONByte.closeArray)
  return record.setting(name, to: JSONValue(validated: list[...]))
}

/// Returns the record with a member that is the record of this line, or nil if the record is no object.
///
/// Without a line, the member is null. An existing member is replaced in place.
package func attached(_ record: JSONValue, name: String, one line: [UInt8]?) -> JSONValue? {
  guard let line else { return record.setting(name, to: .null) }
  return record.setting(name, to: JSONValue(validated: line[..<line.endOfValue(at: 0)]))
}
