// Spans of `each` over dates, times and whole numbers, and windows of them.

import Diagnostics
package import JSONText
package import PipelineSpec
import Primitives
import Wire

/// A range of whole numbers that are written as themselves, as dates or as times.
struct EachSpan: Sendable {
  struct SpanError: Error {
    /// The key whose value is wrong; `from` also if several are.
    enum Culprit { case from, to, step }

    let problem: String
    var culprit = Culprit.from
  }

  typealias Unit = EachBound.Unit

  private let unit: Unit
  let form: TimeForm?
  private let from: Int
  /// Fraction of a second that all times of the span have.
  private let fraction: String
  /// Number of digits after the seconds of a time: as 'from' and 'to' are spelled, or as the form says.
  ///
  /// The last digit is the smallest unit.
  private let digitCount: Int
  private let to: EachBound
  private let step: EachStep
  /// Last position; nil if the end is before the start.
  let last: UInt?

  /// Creates a span.
  ///
  /// If one end is a date and the other a time, the span has dates, unless a form spells times. A span of dates begins
  /// with the first day that `from` may belong to, and ends with the last day of `to`. So records of a day may come
  /// twice, but none are lost.
  ///
  /// - Parameters:
  ///   - form: spelling of dates and times; nil for the spelling of `from` and `to`.
  ///   - least: number of digits after the seconds of a time, if neither `from` nor `to` has so many.
  init(
    from: RedactableJSON, to: RedactableJSON, step: String?, form: TimeForm? = nil, digits least: Int = 0
  ) throws(SpanError) {
    var (first, last) = (try EachBound(from, form), try EachBound(to, form, isEnd: true))
    let given = [first.unit, last.unit]
    let isOfDays = form.map(\.isOfDays) ?? given.contains(.date)
    let isOfTimes = !given.contains(.integer)
    let digits = form?.fractionDigits ?? max(first.digitCount, last.digitCount, least)
    if isOfTimes, isOfDays {
      (first, last) = (first.firstDay, last.lastDay)
    } else if isOfTimes, form != nil {
      (first, last) = (first.asTime(digits), last.asTime(digits, isEnd: true))
    }
    // What the form writes alike is one value; a step counted from within it could pass over the value of `to`.
    if isOfTimes, let form { first = first.start(of: form.smallestUnit) }
    guard first.unit == last.unit else {
      let problem = "'from' is \(first.unit.rawValue) and 'to' is \(last.unit.rawValue); both are of one kind"
      throw SpanError(problem: problem)
    }
    guard form == nil || first.unit != .integer else {
      throw SpanError(problem: "'as' is of times, and the span is of whole numbers")
    }
    beginsWithDayOfTime = isOfTimes && isOfDays && given[0] == .time
    (unit, self.form, digitCount) = (first.unit, form, digits)
    (self.from, fraction, self.to) = (first.number, first.fraction, last)
    do throws(SpanError) {
      self.step = try EachStep(step, unit, isOfDays: !given.contains(.time), form)
    } catch {
      throw SpanError(problem: error.problem, culprit: .step)
    }
    self.last = self.step.last(from: first, to: last)
  }

  /// True if 'from' is a time, and the span begins with its whole day.
  let beginsWithDayOfTime: Bool
  /// True for a span of dates or times.
  var isOfTimes: Bool { unit != .integer }

  /// True if a window's end may leave out events of its last second, or of a longer unit that is the form's smallest.
  func losesFractions(isSplit: Bool) -> Bool { unit == .time && digitCount == 0 && (isSplit || (last ?? 0) > 0) }

  /// Returns the value at a position, which is at most `last`.
  subscript(position: UInt) -> JSONValue { written(step.number(at: position, from: from), fraction) }

  /// Returns the end of the window that begins at a position.
  ///
  /// It is one unit before the value at the next position: one day, number, second or part of a second. The last window
  /// ends with `to`.
  func end(of position: UInt) -> JSONValue {
    guard position != last else { return written(to.number, to.fraction) }
    let next = step.number(at: position + 1, from: from)
    switch unit {
    case .integer: return written(next &- 1, "")
    case .date: return written(next &- Timestamp.secondsPerDay, "")
    case .time:
      let (borrowed, fraction) = EachFraction(fraction, digitCount).before
      return written(next &- borrowed, fraction)
    }
  }

  /// Returns the exclusive end of the window that begins at a position: the next one's start, or one unit after `to`.
  ///
  /// Null after the year 9999.
  func limit(of position: UInt) -> JSONValue {
    guard position == last else { return self[position + 1] }
    guard unit != .integer else { return written(to.number &+ 1, "") }
    let smallest = form?.smallestUnit ?? (unit == .date ? .day : .second)
    if smallest == .second {
      let (carried, fraction) = EachFraction(to.fraction, digitCount).after
      return written(to.number &+ carried, fraction)
    }
    // A form without seconds would write the next second like `to` itself.
    let next = CivilShift(1, smallest).flatMap { Timestamp(seconds: to.number)?.shifted(by: $0) }
    return next.map { written($0.seconds, "") } ?? .null
  }

  /// Returns the window that begins at a position.
  func window(at position: UInt) -> JSONValue {
    let names = Each.windowMembers
    return JSONValue(members: [
      (name: names.start, value: self[position]), (names.end, end(of: position)), (names.next, limit(of: position)),
    ])
  }

  /// Returns the halves of a window, the first one not shorter; nil for a window of one unit.
  static func halves(of window: JSONValue, _ form: TimeForm?) -> (JSONValue, JSONValue)? {
    let names = Each.windowMembers
    guard let start = window[names.start].map({ RedactableJSON($0) }),
      let end = window[names.end].map({ RedactableJSON($0) }), let first = try? EachBound(start, form),
      let last = try? EachBound(end, form, isEnd: true), first.unit == last.unit
    else { return nil }
    // The last digits of the end, or those of the start of what follows, are no zeros, which are not written.
    let next = window[names.next].flatMap { try? EachBound(RedactableJSON($0), form) }
    let digits = max(last.digitCount, next?.digitCount ?? 0)
    let smallest = form?.smallestUnit ?? (first.unit == .date ? .day : .second)
    let unit = first.unit == .integer ? "" : smallest.rawValue
    guard let units = try? EachSpan(from: start, to: end, step: "1\(unit)", form: form, digits: digits).last, units > 0,
      let span = try? EachSpan(from: start, to: end, step: "\(units / 2 + 1)\(unit)", form: form, digits: digits),
      span.last == 1
    else { return nil }
    return (span.window(at: 0), span.window(at: 1))
  }

  private func written(_ number: Int, _ fraction: String) -> JSONValue {
    guard unit != .integer else { return JSONValue(number) }
    guard let time = Timestamp(seconds: number, fraction: Array(fraction.utf8)) else { return .null }
    return (form ?? (unit == .date ? .date : .rfc3339)).value(time)
  }
}

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

// Windows that are halved: `split`.

/// The parts of an input record whose window is halved where it has too many records, in order.
package struct WindowParts: Sendable {
  private enum Entry: Sendable {
    case part(JSONValue)
    /// The parts of a window, which come before this entry, should have so many records in total; so many came.
    case sum(window: JSONValue, total: Int, came: Int)
  }

  private let record: JSONValue
  private let name: String
  private let form: TimeForm?
  /// What is to be done, the next at the end.
  private var entries: [Entry]
  /// Number of records of the parts that are done, as the server counts them.
  package private(set) var received = 0
  /// Number of pages of these parts.
  package private(set) var pages = 0

  /// Nil if the job halves no windows.
  package init?(_ job: Job, of record: JSONValue?) {
    guard let (name, form) = job.each?.split, let record, let window = record[name] else { return nil }
    (self.record, self.name, self.form) = (record, name, form)
    entries = [.part(window)]
  }

  /// The input record with the window of the next part; nil after the last one.
  package var current: JSONValue? {
    if case .part(let window)? = entries.last { record.setting(name, to: window) } else { nil }
  }

  /// Replaces the next part by its halves; returns false if it is a single unit.
  ///
  /// - Parameter total: number of the part's records, as the server says it.
  package mutating func split(total: Int?) -> Bool {
    guard case .part(let window)? = entries.last, let (first, second) = EachSpan.halves(of: window, form) else {
      return false
    }
    entries.removeLast()
    if let total { entries.append(.sum(window: window, total: total, came: 0)) }
    entries += [.part(second), .part(first)]
    return true
  }

  /// Goes on after the next part, which is whole.
  ///
  /// - Parameter repeats: number of its records that an earlier part gave as well. Those of a window's first part came
  ///   before that window.
  /// - Returns: evidence for each window whose parts had fewer records together than it should have, and a sentence if
  ///   they had more.
  package mutating func finish(
    received count: Int, repeats: Int = 0, pages pageCount: Int
  ) -> (missing: [Evidence], surplus: String?) {
    received += count
    pages += pageCount
    entries.removeLast()
    for index in entries.indices {
      guard case .sum(let window, let total, let came) = entries[index] else { continue }
      entries[index] = .sum(window: window, total: total, came: came + count - (came > 0 ? repeats : 0))
    }
    var missing: [Evidence] = []
    var surplus: String?
    while case .sum(let window, let total, let came)? = entries.last {
      entries.removeLast()
      let parts =
        "the parts of the window from \(Self.text(window, Each.windowMembers.start)) to "
        + "\(Self.text(window, Each.windowMembers.end)) had \(came) records, and the window a total of \(total)"
      if came < total { missing.append(Evidence(.total, "\(parts): there may be more")) }
      if came > total {
        surplus =
          "\(parts): records were added meanwhile, or those at the ends of the parts came twice; write '.end' where "
          + "the API's upper end is inclusive, and '.next' where it is not"
      }
    }
    return (missing, surplus)
  }

  private static func text(_ window: JSONValue, _ name: String) -> String {
    window[name].map { $0.string ?? $0.text } ?? ""
  }

  /// The state as one JSON object, which `resumed(from:)` reads.
  package var json: JSONValue {
    MemberWriter.object { members in
      members.add("received", received)
      members.add("pages", pages)
      members.add(
        "left",
        JSONValue(
          elements: entries.map { entry in
            switch entry {
            case .part(let window): window
            case .sum(let window, let total, let came):
              JSONValue(elements: [window, JSONValue(total), JSONValue(received - came)])
            }
          }))
    }
  }

  /// Returns these parts in the state that another process has written; nil if the value is no such state.
  package func resumed(from json: JSONValue) -> WindowParts? {
    guard let received = json["received"]?.integer, let pages = json["pages"]?.integer, let left = json["left"],
      left.kind == .array
    else { return nil }
    var parts = self
    (parts.received, parts.pages, parts.entries) = (received, pages, [])
    for entry in left.elements {
      if entry.kind == .object {
        parts.entries.append(.part(entry))
      } else {
        let values = Array(entry.elements)
        guard values.count == 3, let total = values[1].integer, let before = values[2].integer,
          (0...received).contains(before)
        else { return nil }
        parts.entries.append(.sum(window: values[0], total: total, came: received - before))
      }
    }
    return parts
  }
}
