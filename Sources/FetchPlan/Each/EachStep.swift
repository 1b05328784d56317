import Diagnostics
import Primitives

/// The distance between a span's values: a fixed number of units, or months, whose lengths differ.
enum EachStep: Sendable {
  case fixed(UInt)
  case months(Int)

  /// - Parameters:
  ///   - isOfDays: whether both ends are dates, so that a day is the step if there is none.
  ///   - form: spelling of dates and times; if it shows no days, its smallest unit is the step if there is none.
  init(_ text: String?, _ unit: EachBound.Unit, isOfDays: Bool, _ form: TimeForm?) throws(EachSpan.SpanError) {
    guard let text else {
      if unit == .time, !isOfDays {
        throw EachSpan.SpanError(problem: "a span of times needs a 'step', such as 1h or 1d")
      }
      if unit == .date, let shift = form.flatMap({ CivilShift(1, $0.smallestUnit) }), shift.months > 0 {
        self = .months(shift.months)
      } else {
        self = .fixed(unit == .integer ? 1 : UInt(Timestamp.secondsPerDay))
      }
      return
    }
    let isNegative = text.hasPrefix("-")
    let unsigned = text.dropFirst(isNegative ? 1 : 0)
    let digits = unsigned.utf8.prefix(while: \.isDigit).count
    let letters = String(unsigned.dropFirst(digits))
    guard digits > 0 else {
      let form = unit == .integer ? "a whole number" : "a whole number with a unit, such as 1d"
      throw EachSpan.SpanError(problem: "the 'step' '\(text.printable)' has no number: write \(form)")
    }
    guard let number = Int(unsigned.prefix(digits)) else {
      throw EachSpan.SpanError(problem: "the 'step' is too large")
    }
    guard number > 0, !isNegative else {
      throw EachSpan.SpanError(problem: "a 'step' is more than 0")
    }
    if unit == .integer, letters.isEmpty {
      self = .fixed(UInt(number))
      return
    }
    guard unit != .integer, let factor = CivilShift.Unit(rawValue: letters) else {
      throw EachSpan.SpanError(
        problem: unit == .integer ? "a step over whole numbers has no unit" : "a 'step' is such as 1h, 1d, 1w or 1mo")
    }
    guard let shift = CivilShift(number, factor) else { throw EachSpan.SpanError(problem: "the 'step' is too large") }
    guard unit == .time || shift.isOfDays else {
      throw EachSpan.SpanError(problem: "a step over dates is in days, weeks, months or years, such as 1d or 1mo")
    }
    if let form, let least = CivilShift(1, form.smallestUnit), shift.isShorter(than: least) {
      throw EachSpan.SpanError(
        problem: "a step of \(text.printable) is too short for the form '\(form.spelling.printable)', which would "
          + "spell several values alike")
    }
    self = shift.months > 0 ? .months(shift.months) : .fixed(UInt(shift.seconds))
  }

  /// Returns the number at a position that is at most the last one, so that any intermediate overflow cancels out.
  ///
  /// Months are counted from the start. From a 31st, a shorter month gives its last day, and the next longer one its
  /// 31st.
  func number(at position: UInt, from start: Int) -> Int {
    switch self {
    case .fixed(let step):
      return Int(bitPattern: UInt(bitPattern: start) &+ position &* step)
    case .months(let step):
      let shift = Int(exactly: position)
        .flatMap { CivilShift($0.multipliedReportingOverflow(by: step).partialValue, .month) }
      // Beyond the year 9999.
      guard let shift, let time = Timestamp(seconds: start)?.shifted(by: shift) else { return .max }
      return time.seconds
    }
  }

  /// Returns the position of the last value that is not after the end; nil if the end is before the start.
  func last(from start: EachBound, to end: EachBound) -> UInt? {
    guard (end.number, end.fraction) >= (start.number, start.fraction) else { return nil }
    switch self {
    case .fixed(let step):
      // The distance of two `Int`s fits a `UInt`, whatever their signs. Fractions sort by their digits.
      let distance = UInt(bitPattern: end.number &- start.number)
      return (end.fraction < start.fraction ? distance - 1 : distance) / step
    case .months(let step):
      guard let first = Timestamp(seconds: start.number)?.date, let last = Timestamp(seconds: end.number)?.date else {
        return 0
      }
      let count = ((last.year - first.year) * 12 + last.month - first.month) / step
      let number = number(at: UInt(max(0, count)), from: start.number)
      return UInt(max(0, (number, start.fraction) > (end.number, end.fraction) ? count - 1 : count))
    }
  }
}
