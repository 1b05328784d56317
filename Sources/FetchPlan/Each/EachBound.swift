import Diagnostics
import JSONText
import Primitives

/// An end of a span.
struct EachBound: Sendable {
  enum Unit: String {
    case integer = "a whole number"
    case date = "a date"
    case time = "a time"
  }

  let unit: Unit
  let number: Int
  /// Digits without zeros at their end, so that fractions sort by their digits.
  private(set) var fraction = ""
  /// Number of digits of the fraction, as it is spelled.
  private(set) var digitCount = 0
  /// Starts of the days that a date or a time belongs to.
  ///
  /// A time with an offset may belong to two days: its day in UTC, and the day that it is spelled with. The API may
  /// mean either, so a span includes both.
  private var days: ClosedRange<Int>

  private init(unit: Unit, number: Int) {
    (self.unit, self.number, days) = (unit, number, number...number)
  }

  private init(_ time: Timestamp, spelled text: String) {
    (unit, number, digitCount) = (.time, time.seconds, time.fraction.count)
    fraction = String(decoding: time.significantFraction, as: UTF8.self)
    let days = [time.date, CivilDate(String(text.prefix(10)))].compactMap { $0 }
      .map { $0.daysSince1970 * Timestamp.secondsPerDay }
    self.days = (days.min() ?? number)...(days.max() ?? number)
  }

  /// Reads a date, a time, a whole number, or a text of the span's own form.
  init(_ json: RedactableJSON, _ form: TimeForm?, isEnd: Bool = false) throws(EachSpan.SpanError) {
    let text = json.value.string ?? (json.value.kind == .number ? json.value.text : "")
    if let date = CivilDate(text) {
      self.init(unit: .date, number: date.daysSince1970 * Timestamp.secondsPerDay)
    } else if let time = Timestamp(rfc3339: text) ?? form?.timestamp(of: Array(text.utf8)[...]) {
      self.init(time, spelled: text)
    } else if let number = json.value.integer ?? Int(text) {
      // A parameter from the command line is text.
      self.init(unit: .integer, number: number)
    } else {
      var problem = "\(json.redacted.text) is no date (2024-01-31), time (2024-01-31T00:00:00Z) or whole number"
      if let form { problem += ", nor a time of the form '\(form.spelling.printable)'" }
      throw EachSpan.SpanError(problem: problem, culprit: isEnd ? .to : .from)
    }
  }

  var firstDay: EachBound { EachBound(unit: .date, number: days.lowerBound) }
  var lastDay: EachBound { EachBound(unit: .date, number: days.upperBound) }

  /// Returns the start of the minute, hour, day, month or year that the bound belongs to.
  ///
  /// A bound in another unit than seconds has no fraction.
  func start(of calendarUnit: CivilShift.Unit) -> EachBound {
    guard calendarUnit != .second, let time = Timestamp(seconds: number) else { return self }
    let date = time.date
    let second = number - date.daysSince1970 * Timestamp.secondsPerDay
    let length = CivilShift(1, calendarUnit)
    let day = CivilDate(
      year: date.year, month: calendarUnit == .year ? 1 : date.month,
      day: (length?.months ?? 0) > 0 ? 1 : date.day)
    guard let day, let seconds = length?.seconds else { return self }
    let kept = seconds > 0 ? second - second % seconds : 0
    return EachBound(unit: unit, number: day.daysSince1970 * Timestamp.secondsPerDay + kept)
  }

  /// Returns the bound as a time with at most `digits` digits in its fraction; a date that ends a span includes its
  /// whole day.
  func asTime(_ digits: Int, isEnd: Bool = false) -> EachBound {
    let isWholeDay = unit == .date && isEnd
    var bound = EachBound(unit: .time, number: isWholeDay ? number + Timestamp.secondsPerDay - 1 : number)
    let kept = isWholeDay ? String(repeating: "9", count: digits) : String(fraction.prefix(digits))
    bound.fraction = String(kept.reversed().drop { $0 == "0" }.reversed())
    return bound
  }
}

/// A fraction of a second, counted in its smallest unit.
struct EachFraction {
  private let digits: [UInt8]

  init(_ fraction: String, _ digitCount: Int) {
    digits = Array(fraction.utf8) + Array(repeating: UInt8(ascii: "0"), count: max(0, digitCount - fraction.utf8.count))
  }

  /// The fraction one unit before this one, and the seconds borrowed for it (0 or 1).
  var before: (seconds: Int, fraction: String) { stepped(over: UInt8(ascii: "0"), to: UInt8(ascii: "9")) { $0 - 1 } }

  /// The fraction one unit after this one, and the seconds carried for it (0 or 1).
  var after: (seconds: Int, fraction: String) { stepped(over: UInt8(ascii: "9"), to: UInt8(ascii: "0")) { $0 + 1 } }

  private func stepped(
    over edge: UInt8, to other: UInt8, _ change: (UInt8) -> UInt8
  ) -> (seconds: Int, fraction: String) {
    var digits = digits
    var place = digits.count - 1
    while place >= 0, digits[place] == edge {
      digits[place] = other
      place -= 1
    }
    if place >= 0 { digits[place] = change(digits[place]) }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return (place < 0 ? 1 : 0, String(decoding: digits, as: UTF8.self))
  }
}
