// The highest value of the member that gives the age of a record (`incremental.mark`), and the records that have it.

package import JSONText
package import Primitives

/// Highest of the values seen so far that are not later than now.
///
/// Times compare as instants, numbers and texts of digits by value, other text by bytes.
package struct HighWaterMark: Sendable {
  /// Error for a value that can't be compared with the values before it.
  package struct Mixed: Error, Hashable, Sendable {
    package let expected: String
    package let found: String
  }

  package private(set) var value: JSONValue?
  /// Hashes of the records with that value.
  package private(set) var records = RecordHashes()
  /// Hashes of the records whose marks are later than now.
  package private(set) var laterRecords = RecordHashes()
  /// The first mark that is later than now.
  package private(set) var later: JSONValue?
  private let form: TimeForm?
  /// Comparable form of `value`.
  private var highest: MarkOrder?

  /// - Parameters:
  ///   - form: spelling of marks; nil for RFC 3339, numbers and other text.
  ///   - records: hashes of the records with that value.
  package init(_ value: JSONValue? = nil, form: TimeForm? = nil, records: RecordHashes = RecordHashes()) {
    self.value = value
    self.form = form
    self.records = records
    highest = value.flatMap { try? MarkOrder($0, form) }
  }

  /// True if no record with a mark was seen.
  package var isEmpty: Bool { value == nil && later == nil }

  /// Hashes of the records that an inclusive filter sends again in the next run.
  package var repeatedRecords: RecordHashes { records.union(laterRecords) }

  /// Compares a value with the highest so far and keeps the higher; null is ignored.
  package mutating func see(_ other: JSONValue) throws(Mixed) {
    guard !other.isNull else { return }
    try see(other, MarkOrder(other, form), RecordHashes())
  }

  /// Compares a record's mark with the highest so far.
  ///
  /// - Parameter hash: the record's hash; nil if the records at the mark are not wanted.
  mutating func see(
    _ other: JSONValue, _ order: MarkOrder, isLater: Bool, hash: @autoclosure () -> Int?
  ) throws(Mixed) {
    guard !isLater else {
      later = later ?? other
      return laterRecords.insert(hash())
    }
    guard let highest else {
      (value, self.highest) = (other, order)
      return records.insert(hash())
    }
    if try highest.isBelow(order) {
      (value, self.highest, records) = (other, order, RecordHashes())
      records.insert(hash())
    } else if try !order.isBelow(highest) {
      records.insert(hash())
    }
  }

  package mutating func see(_ other: HighWaterMark) throws(Mixed) {
    if let value = other.value, let order = other.highest { try see(value, order, other.records) }
    later = later ?? other.later
    laterRecords = laterRecords.union(other.laterRecords)
  }

  /// Throws if the mark is a word, such as `never`, and the saved one before it is a time, a date or a number.
  package func checkNoWord(after saved: JSONValue) throws(Mixed) {
    guard let highest, let order = try? MarkOrder(saved, form) else { return }
    try highest.checkNoWord(after: order)
  }

  private mutating func see(_ other: JSONValue, _ order: MarkOrder, _ others: RecordHashes) throws(Mixed) {
    guard let highest else { return (value, self.highest, records) = (other, order, others) }
    if try highest.isBelow(order) {
      (value, self.highest, records) = (other, order, others)
    } else if try !order.isBelow(highest) {
      records = records.union(others)
    }
  }
}

/// Hashes of records, as many as a state file may keep.
package struct RecordHashes: Sendable, Hashable {
  /// Most hashes that are kept.
  package static let limit = 10_000
  private var hashes: Set<Int> = []
  /// True if there were more records than hashes that are kept.
  package private(set) var isCut = false

  package init() {}

  /// Reads hashes, as `json` has them; other values are ignored.
  package init(_ json: JSONValue?) {
    for text in (json ?? .null).elements.compactMap(\.string) {
      insert(UInt64(text, radix: 16).map { Int(truncatingIfNeeded: $0) })
    }
  }

  package var isEmpty: Bool { hashes.isEmpty }

  package func contains(_ hash: Int) -> Bool { hashes.contains(hash) }

  package mutating func insert(_ hash: Int?) {
    guard let hash else { return }
    guard hashes.count < Self.limit || hashes.contains(hash) else { return isCut = true }
    hashes.insert(hash)
  }

  package func union(_ other: RecordHashes) -> RecordHashes {
    guard !other.isEmpty || other.isCut else { return self }
    var all = self
    all.isCut = isCut || other.isCut
    for hash in other.hashes { all.insert(hash) }
    return all
  }

  /// Returns the hashes that an older set lacks; nil if the older one has others than this one.
  package func added(to older: RecordHashes) -> RecordHashes? {
    guard older.hashes.isSubset(of: hashes) else { return nil }
    var added = RecordHashes()
    added.hashes = hashes.subtracting(older.hashes)
    return added
  }

  /// The hashes as texts of 16 hexadecimal digits, in order.
  package var json: JSONValue {
    JSONValue(
      elements: hashes.map { UInt64(bitPattern: Int64($0)) }.sorted().map { hash in
        let digits = String(hash, radix: 16)
        return JSONValue(String(repeating: "0", count: 16 - digits.utf8.count) + digits)
      })
  }
}
