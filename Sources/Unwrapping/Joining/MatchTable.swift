// How fetched records get into an input record: a table to find them by, and lists made of lines.

package import JSONText

/// Fetched records, found by what an input record says: `match: {userId: id}`.
///
/// Numbers compare by value, strings by text, never across; a member that is missing or null matches nothing.
package struct MatchTable: Sendable {
  private let fetched: [String]
  private let input: [String]
  private var records: [JoinedKey: [JSONValue]] = [:]

  /// - Parameter pairs: names of members of the fetched and of the input records that must be equal, all of them.
  package init(pairs: [(fetched: String, input: String)]) {
    fetched = pairs.map(\.fetched)
    input = pairs.map(\.input)
  }

  /// Adds a page's records, in their order. Those that can match nothing are not kept.
  ///
  /// - Parameter lines: whole lines, as `Page` gives them.
  package mutating func add(lines: [UInt8], _ tokenIndex: TokenIndex = TokenIndex()) {
    for record in TokenIndexedRecords(lines, tokenIndex) {
      guard let key = Self.key(of: record, fetched) else { continue }
      // What is known of its tokens is of no more use.
      records[key, default: []].append(JSONValue(validated: record.bytes))
    }
  }

  package var isEmpty: Bool { records.isEmpty }

  /// The fetched records that match, in the order in which they came.
  package func matches(for record: JSONValue) -> [JSONValue] {
    Self.key(of: record, input).flatMap { records[$0] } ?? []
  }

  /// Those that match a record whose members have that key.
  package func matches(for key: JoinedKey) -> [JSONValue] { records.isEmpty ? [] : records[key] ?? [] }

  private static func key(of record: JSONValue, _ names: [String]) -> JoinedKey? {
    var key = JoinedKey()
    for name in names {
      guard let part = record[name], key.append(part) else { return nil }
    }
    return key
  }
}

/// The record with a member that lists the records of these lines. They are joined, not parsed again.
///
/// Nil when the record is no object. An existing member is replaced in place.
/// - Parameter lines: pieces of NDJSON of whole lines, as `Page.lines` gives them; none is the empty list.
package func attached(_ record: JSONValue, name: String, elements lines: [[UInt8]]) -> JSONValue? {
  var list = [Mark.openArray]
  list.reserveCapacity(lines.reduce(2) { $0 + $1.count })
  for piece in lines { list += piece }
  // Compact JSON has no line feed but the one after each record.
  for place in list.indices where list[place] == Mark.lineFeed { list[place] = Mark.comma }
  if list.last == Mark.comma { list.removeLast() }
  list.append(Mark.closeArray)
  return record.setting(name, to: JSONValue(validated: list[...]))
}

/// The record with a member that is the one record of this line, or null where there is none.
///
/// Nil when the record is no object. An existing member is replaced in place.
package func attached(_ record: JSONValue, name: String, one line: [UInt8]?) -> JSONValue? {
  guard let line else { return record.setting(name, to: .null) }
  return record.setting(name, to: JSONValue(validated: line[..<line.endOfValue(at: 0)]))
}
