package import JSONText
package import Primitives

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
  private let leavesOutKnown: Bool
  /// The saved mark, and the records at it and above it in the last run, which are left out if they come again.
  ///
  /// Without a mark, all of that run's records were later than its end.
  private let repeated: (mark: MarkOrder?, records: RecordHashes)?
  /// True if the hashes of the records at the highest mark are wanted.
  let wantsHashes: Bool
  /// The moment at which the page arrives, in Unix seconds; a mark that is later counts as none.
  package var now = Int.max

  /// - Parameter repeated: hashes of the records at the saved mark and above it in the last run.
  package init(
    path: JSONPath, form: TimeForm? = nil, known: JSONValue? = nil, keepsEqual: Bool = false, leavesOut: Bool = false,
    repeated: (mark: JSONValue?, records: RecordHashes)? = nil, wantsHashes: Bool = false
  ) throws(HighWaterMark.Mixed) {
    (self.path, self.form, self.keepsEqual, leavesOutKnown) = (path, form, keepsEqual, leavesOut)
    self.wantsHashes = wantsHashes
    self.known = try known.flatMap { (known) throws(HighWaterMark.Mixed) in try MarkOrder(known, form) }
    self.repeated = try repeated.flatMap { (repeated) throws(HighWaterMark.Mixed) in
      guard !repeated.records.isEmpty else { return nil }
      let mark = try repeated.mark.flatMap { (mark) throws(HighWaterMark.Mixed) in try MarkOrder(mark, form) }
      return (mark, repeated.records)
    }
  }

  /// True if some records may be left out.
  var leavesOut: Bool { leavesOutKnown || repeated != nil }

  /// Reports that a record with this mark came in an earlier run, or is too old.
  func isKnown(_ mark: MarkOrder) throws(HighWaterMark.Mixed) -> Bool {
    guard let known else { return false }
    let (a, b) = (mark.asTime(beside: known), known.asTime(beside: mark))
    return keepsEqual ? try b.isAbove(a) : try !b.isBelow(a)
  }

  /// Reports that the record is left out: it is known, or the last run has written the same bytes.
  func isLeftOut(_ mark: MarkOrder, isKnown: Bool, hash: @autoclosure () -> Int) throws(HighWaterMark.Mixed) -> Bool {
    if isKnown && leavesOutKnown { return true }
    guard let repeated else { return false }
    if let saved = repeated.mark, try mark.asTime(beside: saved).isBelow(saved.asTime(beside: mark)) { return false }
    return repeated.records.contains(hash())
  }

  /// Reports that a mark is a time after now, or a date or a time without a zone more than a day after now.
  func isLater(_ mark: MarkOrder) -> Bool {
    guard now != .max else { return false }
    let isWithoutZone =
      switch form {
      case .date, .pattern: true
      case .seconds, .milliseconds, .rfc3339, nil: false
      }
    return mark.isTime(after: now, toleratingDay: isWithoutZone)
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
