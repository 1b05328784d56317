// Spans of `each` over dates, times and whole numbers, and windows of them.

import JSONText
import Primitives

/// A range of whole numbers that are written as themselves, as dates or as times.
struct EachSpan: Sendable {
  struct Fault: Error {
    let problem: String
    /// True if 'to' is wrong, rather than 'from' or both.
    var isOfEnd = false
  }

  enum Unit: String {
    case integer = "a whole number"
    case date = "a date"
    case time = "a time"
  }

  private let unit: Unit
  private let from: Int
  /// Fraction of a second that all times of the span have.
  private let fraction: String
  /// Number of digits after the seconds of a time, as 'from' and 'to' are spelled.
  ///
  /// The last digit is the smallest unit.
  private let digitCount: Int
  private let to: Bound
  private let step: UInt
  /// Last position; nil if the end is before the start.
  let last: UInt?

  /// Where one end is a date and the other a time, the span is of dates. It begins at the first day that `from` may
  /// belong to and ends with the last one of `to`, since records of a day can come twice, but must not be lost.
  init(from: RedactableJSON, to: RedactableJSON, step: String?) throws(Fault) {
    var (first, last) = (try Self.bound(from), try Self.bound(to, isEnd: true))
    if Set([first.unit, last.unit]) == [.date, .time] {
      first = Bound(unit: .date, number: first.days.lowerBound)
      last = Bound(unit: .date, number: last.days.upperBound)
    }
    guard first.unit == last.unit else {
      let problem = "'from' is \(first.unit.rawValue) and 'to' is \(last.unit.rawValue); both are of one kind"
      throw Fault(problem: problem)
    }
    unit = first.unit
    (self.from, fraction, self.to) = (first.number, first.fraction, last)
    digitCount = max(first.digitCount, last.digitCount)
    self.step = try Self.step(step, unit)
    // The distance of two `Int`s fits a `UInt`, whatever their signs.
    let distance = UInt(bitPattern: last.number &- first.number)
    let isEmpty = (last.number, last.fraction) < (first.number, first.fraction)
    // Fractions without trailing zeros sort by their digits.
    let whole = last.fraction < first.fraction && !isEmpty ? distance - 1 : distance
    self.last = isEmpty ? nil : whole / self.step
  }

  /// Returns the value at a position, which is at most `last`, so that any intermediate overflow cancels out.
  subscript(position: UInt) -> JSONValue {
    written(Int(bitPattern: UInt(bitPattern: from) &+ position &* step), fraction)
  }

  /// Returns the end of the window that begins at a position.
  ///
  /// It is one unit before the value at the next position: one day, number, second or part of a second. The last window
  /// ends with `to`.
  func end(of position: UInt) -> JSONValue {
    guard position != last else { return written(to.number, to.fraction) }
    let next = Int(bitPattern: UInt(bitPattern: from) &+ (position + 1) &* step)
    switch unit {
    case .integer: return written(next &- 1, "")
    case .date: return written(next &- Timestamp.secondsPerDay, "")
    case .time:
      let (borrowed, fraction) = partBefore
      return written(next &- borrowed, fraction)
    }
  }

  /// The fraction one smallest unit before this one, and the seconds borrowed for it (0 or 1).
  private var partBefore: (seconds: Int, fraction: String) {
    var digits = Array(fraction.utf8) + Array(repeating: UInt8(ascii: "0"), count: digitCount - fraction.utf8.count)
    var place = digits.count - 1
    while place >= 0, digits[place] == UInt8(ascii: "0") {
      digits[place] = UInt8(ascii: "9")
      place -= 1
    }
    if place >= 0 { digits[place] -= 1 }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return (place < 0 ? 1 : 0, String(decoding: digits, as: UTF8.self))
  }

  private func written(_ number: Int, _ fraction: String) -> JSONValue {
    switch unit {
    case .integer: JSONValue(number)
    case .date: Timestamp(seconds: number).map { JSONValue($0.date.text) } ?? .null
    case .time: Timestamp(seconds: number, fraction: Array(fraction.utf8)).map { JSONValue($0.rfc3339) } ?? .null
    }
  }

  private struct Bound {
    let unit: Unit
    let number: Int
    var fraction = ""
    /// Number of digits of the fraction, as it is spelled.
    var digitCount = 0
    /// Starts of the days that a date or a time belongs to. A time with an offset may belong to two: its day in UTC and
    /// the day that it is spelled with. Which of them the API means is not known, so that a span has both.
    var days: ClosedRange<Int>

    init(unit: Unit, number: Int) {
      (self.unit, self.number, days) = (unit, number, number...number)
    }

    init(_ date: CivilDate) {
      self.init(unit: .date, number: date.daysSince1970 * Timestamp.secondsPerDay)
    }

    init(_ time: Timestamp, spelled text: String) {
      (unit, number, digitCount) = (.time, time.seconds, time.fraction.count)
      fraction = String(decoding: time.significantFraction, as: UTF8.self)
      let days = [time.date, CivilDate(String(text.prefix(10)))].compactMap { $0 }
        .map { $0.daysSince1970 * Timestamp.secondsPerDay }
      self.days = (days.min() ?? number)...(days.max() ?? number)
    }
  }

  private static func bound(_ json: RedactableJSON, isEnd: Bool = false) throws(Fault) -> Bound {
    if let number = json.value.integer { return Bound(unit: .integer, number: number) }
    let text = json.value.string ?? ""
    if let date = CivilDate(text) { return Bound(date) }
    if let time = Timestamp(rfc3339: text) { return Bound(time, spelled: text) }
    // A parameter from the command line is text.
    if let number = Int(text) { return Bound(unit: .integer, number: number) }
    let problem = "\(json.redacted.text) is no date (2024-01-31), time (2024-01-31T00:00:00Z) or whole number"
    throw Fault(problem: problem, isOfEnd: isEnd)
  }

  private static let seconds = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

  private static func step(_ text: String?, _ unit: Unit) throws(Fault) -> UInt {
    guard let text else {
      if unit == .time { throw Fault(problem: "a span of times needs a 'step', such as 1h or 1d") }
      return unit == .date ? UInt(Timestamp.secondsPerDay) : 1
    }
    let digits = text.utf8.prefix(while: \.isDigit).count
    let letters = String(text.dropFirst(digits))
    guard let number = Int(text.prefix(digits)), number > 0 else { throw Fault(problem: "a 'step' is more than 0") }
    if unit == .integer, letters.isEmpty { return UInt(number) }
    guard unit != .integer, let factor = seconds[letters] else {
      throw Fault(
        problem: unit == .integer ? "a step over whole numbers has no unit" : "a 'step' is such as 1h, 1d or 1w")
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow else { throw Fault(problem: "the 'step' is too large") }
    guard unit == .time || product % Timestamp.secondsPerDay == 0 else {
      throw Fault(problem: "a step over dates is in days or weeks, such as 1d or 1w")
    }
    return UInt(product)
  }
}
