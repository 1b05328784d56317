// The highest value of the member that gives the age of a record (`incremental.mark`).

package import JSONText
package import Primitives

/// Highest of the values seen so far.
///
/// Times compare as instants, numbers and texts of digits by value, other text by bytes.
package struct HighWaterMark: Sendable {
  /// Error for a value that can't be compared with the values before it.
  package struct Mixed: Error, Hashable, Sendable {
    package let expected: String
    package let found: String
  }

  package private(set) var value: JSONValue?
  private let form: TimeForm?
  /// Comparable form of `value`.
  private var highest: MarkOrder?

  /// - Parameter form: spelling of marks; nil for RFC 3339, numbers and other text.
  package init(_ value: JSONValue? = nil, form: TimeForm? = nil) {
    self.value = value
    self.form = form
    highest = value.flatMap { try? MarkOrder($0, form) }
  }

  /// Compares a value with the highest so far and keeps the higher; null is ignored.
  package mutating func see(_ other: JSONValue) throws(Mixed) {
    guard !other.isNull else { return }
    try see(other, MarkOrder(other, form))
  }

  package mutating func see(_ other: HighWaterMark) throws(Mixed) {
    if let value = other.value, let order = other.highest { try see(value, order) }
  }

  /// Throws if the mark is a word, such as `never`, and the saved one before it is a time, a date or a number.
  package func checkNoWord(after saved: JSONValue) throws(Mixed) {
    guard let highest, let order = try? MarkOrder(saved, form) else { return }
    try highest.checkNoWord(after: order)
  }

  private mutating func see(_ other: JSONValue, _ order: MarkOrder) throws(Mixed) {
    guard let highest else { return (value, self.highest) = (other, order) }
    if try highest.isBelow(order) { (value, self.highest) = (other, order) }
  }
}

/// The handling of marks: finds the highest mark, and compares each mark with the saved one.
package struct MarkReading: Sendable {
  /// Path of the mark in a record.
  let path: JSONPath
  let form: TimeForm?
  /// The saved mark; nil if there is none, or if no record is compared with it.
  private let known: MarkOrder?
  /// True if a record with exactly the mark `known` is new, as with the `start` of the first run.
  private let keepsEqual: Bool
  /// True if known records are left out.
  let leavesOut: Bool

  package init(
    path: JSONPath, form: TimeForm? = nil, known: JSONValue? = nil, keepsEqual: Bool = false, leavesOut: Bool = false
  ) throws(HighWaterMark.Mixed) {
    (self.path, self.form, self.keepsEqual, self.leavesOut) = (path, form, keepsEqual, leavesOut)
    self.known = try known.flatMap { (known) throws(HighWaterMark.Mixed) in try MarkOrder(known, form) }
  }

  /// Reports that a record with this mark came in an earlier run, or is too old.
  func isKnown(_ value: JSONValue) throws(HighWaterMark.Mixed) -> Bool {
    guard let known, !value.isNull else { return false }
    let mark = try MarkOrder(value, form)
    let (a, b) = (mark.asTime(beside: known), known.asTime(beside: mark))
    return keepsEqual ? try b.isAbove(a) : try !b.isBelow(a)
  }
}

extension [UInt8] {
  /// Returns whole lines without the records with these numbers, from 0, in order.
  func leavingOut(_ numbers: [Int]) -> [UInt8] {
    var kept: [UInt8] = []
    var (start, number, leftOut) = (0, 0, numbers[...])
    while start < count {
      let end = (self[start...].firstIndex(of: JSONByte.lineFeed) ?? count - 1) + 1
      if leftOut.first == number { leftOut.removeFirst() } else { kept += self[start..<end] }
      (start, number) = (end, number + 1)
    }
    return kept
  }
}

// The pass over the records of one body that reads their marks.

/// Reads the marks of a page's records.
struct MarkPass: Sendable {
  private let reading: MarkReading?
  private(set) var highest: HighWaterMark
  /// Number of records whose mark was read.
  private var count = 0
  /// True if a record is not above the saved mark.
  private(set) var hasKnown = false
  /// True if a record above the saved mark follows one that is not.
  private(set) var hasNewAfterKnown = false

  /// - Parameter reading: nil reads no marks.
  init(_ reading: MarkReading?) {
    self.reading = reading
    highest = HighWaterMark(form: reading?.form)
  }

  /// Reads the marks of whole lines, and returns the numbers of the records to leave out, from 0.
  mutating func read(_ lines: [UInt8], _ tokenIndex: TokenIndex) throws(ContentError) -> [Int] {
    guard let reading else { return [] }
    var known: [Int] = []
    for (index, record) in TokenIndexedRecords(lines, tokenIndex).enumerated() {
      count += 1
      do {
        guard let value = record[reading.path] else { continue }
        try highest.see(value)
        guard try reading.isKnown(value) else {
          hasNewAfterKnown = hasNewAfterKnown || hasKnown && !value.isNull
          continue
        }
        hasKnown = true
        if reading.leavesOut { known.append(index) }
      } catch {
        throw .decoding(
          record: count, keyPath: reading.path.steps.map(\.name).joined(separator: "."), expected: error.expected,
          found: error.found)
      }
    }
    return known
  }
}
