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
