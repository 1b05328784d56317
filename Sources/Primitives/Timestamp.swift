// Points in time, exact to the last digit that was written. No floating point, no time zone but UTC.

//
// One rule for all calendars of this program:
// - The years are 0001 to 9999, in the text and in UTC.
// - A day that its month does not have is refused.
// - A leap second is taken only at 23:59:60 UTC at the end of a month (RFC 3339 §5.7), in any offset.

/// A point in time: whole seconds since 1970 and the digits of the fraction.
package struct Timestamp: Sendable {
  package static let secondsPerDay = 86_400
  private static let years0001to9999 = -62_135_596_800...253_402_300_799

  /// Unix seconds.
  ///
  /// A leap second has those of the second that follows.
  package let seconds: Int
  /// ASCII digits as they were written, perhaps none.
  package let fraction: [UInt8]
  package let isLeapSecond: Bool

  /// Nil outside the years 0001 to 9999.
  ///
  /// - Parameter fraction: ASCII digits.
  package init?(seconds: Int, fraction: [UInt8] = []) {
    guard Self.years0001to9999.contains(seconds) else { return nil }
    (self.seconds, self.fraction, isLeapSecond) = (seconds, fraction, false)
  }

  /// The first second of a day in UTC.
  package init(midnightOf date: CivilDate) {
    (seconds, fraction, isLeapSecond) = (date.daysSince1970 * Self.secondsPerDay, [], false)
  }

  /// - Parameter offset: seconds east of UTC.
  init?(_ date: CivilDate, _ clock: ClockTime, fraction: [UInt8] = [], offset: Int = 0) {
    seconds = date.daysSince1970 * Self.secondsPerDay + clock.seconds - offset
    self.fraction = fraction
    isLeapSecond = clock.isLeapSecond
    guard Self.years0001to9999.contains(seconds) else { return nil }
    guard !isLeapSecond || beginsMonth else { return nil }
  }

  /// The nearest millisecond to a Unix time, with three digits.
  ///
  /// A time outside the years 0001 to 9999 becomes the nearest time inside them.
  package init(clamping unixTime: Double) {
    let range = Self.years0001to9999
    let milliseconds = (min(max(unixTime, Double(range.lowerBound)), Double(range.upperBound)) * 1_000).rounded()
    let (seconds, part) = Int(milliseconds).divided(flooringBy: 1_000)
    var digits: [UInt8] = []
    digits.append(part, width: 3)
    (self.seconds, fraction, isLeapSecond) = (seconds, digits, false)
  }

  /// The day in UTC.
  package var date: CivilDate { split.date }

  /// The fraction without zeros at its end, which say nothing.
  package var significantFraction: ArraySlice<UInt8> {
    fraction[..<((fraction.lastIndex { $0 != UInt8(ascii: "0") } ?? -1) + 1)]
  }

  /// Unix time, as exact as floating point is.
  package var unixTime: Double {
    var (part, scale) = (0.0, 1.0)
    for digit in fraction {
      scale /= 10
      part += scale * Double(digit - 48)
    }
    return Double(seconds) + part
  }

  /// Seconds since midnight in UTC.
  var secondOfDay: Int { seconds.divided(flooringBy: Self.secondsPerDay).remainder }

  private var beginsMonth: Bool {
    let (days, second) = seconds.divided(flooringBy: Self.secondsPerDay)
    return second == 0 && CivilDate(daysSince1970: days).day == 1
  }

  /// The day in UTC and the seconds since midnight; of a leap second, those of the second before.
  var split: (date: CivilDate, second: Int) {
    let (days, second) = (isLeapSecond ? seconds - 1 : seconds).divided(flooringBy: Self.secondsPerDay)
    return (CivilDate(daysSince1970: days), second)
  }
}

extension Timestamp: Comparable {
  package static func < (a: Timestamp, b: Timestamp) -> Bool {
    guard a.seconds == b.seconds else { return a.seconds < b.seconds }
    guard a.isLeapSecond == b.isLeapSecond else { return a.isLeapSecond }
    return a.significantFraction.lexicographicallyPrecedes(b.significantFraction)
  }

  package static func == (a: Timestamp, b: Timestamp) -> Bool {
    a.seconds == b.seconds && a.isLeapSecond == b.isLeapSecond && a.significantFraction == b.significantFraction
  }
}

// RFC 3339 §5.6.
extension Timestamp {
  package init?(rfc3339 text: some StringProtocol, offsetColonIsOptional: Bool = false) {
    self.init(rfc3339: Array(text.utf8)[...], offsetColonIsOptional: offsetColonIsOptional)
  }

  /// Reads `2024-01-31T12:00:00Z` and nothing after it; perhaps with a fraction, or with an offset.
  ///
  /// - Parameter offsetColonIsOptional: whether `+0200` is read too, which some browsers write.
  package init?(rfc3339 text: ArraySlice<UInt8>, offsetColonIsOptional: Bool = false) {
    var cursor = ByteCursor(text)
    guard let date = CivilDate(&cursor), cursor.takes("T", or: "t"), let clock = ClockTime(&cursor) else { return nil }
    var fraction: [UInt8] = []
    if cursor.takes(".") {
      fraction = Array(cursor.digits())
      guard !fraction.isEmpty else { return nil }
    }
    guard let offset = cursor.offset(colonIsOptional: offsetColonIsOptional), cursor.isAtEnd else { return nil }
    self.init(date, clock, fraction: fraction, offset: offset)
  }

  /// Returns the offset that an RFC 3339 time has, in seconds; nil for other texts.
  package static func offset(ofRFC3339 text: String) -> Int? {
    var cursor = ByteCursor(Array(text.utf8)[...])
    guard CivilDate(&cursor) != nil, cursor.takes("T", or: "t"), ClockTime(&cursor) != nil else { return nil }
    if cursor.takes("."), cursor.digits().isEmpty { return nil }
    return cursor.offset(colonIsOptional: true)
  }

  /// RFC 3339 in UTC: `2024-01-31T12:00:00.5Z`.
  package var rfc3339: String { String(decoding: rfc3339Bytes, as: UTF8.self) }

  package var rfc3339Bytes: [UInt8] {
    let (date, second) = split
    var text: [UInt8] = []
    text.reserveCapacity(24 + fraction.count)
    date.append(to: &text)
    text.append(UInt8(ascii: "T"))
    appendClock(second, to: &text)
    if !fraction.isEmpty {
      text.append(UInt8(ascii: "."))
      text += fraction
    }
    text.append(UInt8(ascii: "Z"))
    return text
  }

  func appendClock(_ second: Int, to text: inout [UInt8]) {
    text.append(second / 3_600, width: 2)
    text.append(UInt8(ascii: ":"))
    text.append(second / 60 % 60, width: 2)
    text.append(UInt8(ascii: ":"))
    text.append(isLeapSecond ? 60 : second % 60, width: 2)
  }
}

// RFC 9110 §5.6.7.
extension Timestamp {
  /// The time as HTTP writes it, without its fraction: `Wed, 31 Jan 2024 12:00:00 GMT`.
  package var httpDate: String {
    let (date, second) = split
    // 1970 began on a Thursday.
    let weekday = date.daysSince1970.divided(flooringBy: 7).remainder
    var text = Array(["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][weekday].utf8)
    text += ", ".utf8
    text.append(date.day, width: 2)
    text += " \(HTTPDate.months[date.month - 1]) ".utf8
    text.append(date.year, width: 4)
    text.append(UInt8(ascii: " "))
    appendClock(second, to: &text)
    return String(decoding: text, as: UTF8.self) + " GMT"
  }
}

// Numbers of seconds or milliseconds since 1970, exact to the last digit that was written.

extension Timestamp {
  /// The most digits of a fraction that are written; only an exponent such as `1e-99999999` asks for more.
  private static let mostFractionDigits = 100

  /// Reads a decimal number (RFC 8259 §6, leading zeros allowed) of seconds, or of that power of ten of them.
  ///
  /// Nil for other text, for numbers far outside the years 0001 to 9999, and for fractions of absurd length.
  package init?(decimal text: ArraySlice<UInt8>, powerOfTen: Int) {
    var cursor = ByteCursor(text)
    let isNegative = cursor.takes("-")
    let (whole, part) = (cursor.digits(), cursor.takes(".") ? cursor.digits() : nil)
    guard !whole.isEmpty, part?.isEmpty != true, let exponentText = cursor.exponent(), cursor.isAtEnd else {
      return nil
    }
    var digits = (whole + (part ?? [])).drop { $0 == UInt8(ascii: "0") }
    guard !digits.isEmpty else {
      self.init(seconds: 0)
      return
    }
    let zeros = digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeLast(zeros)
    // An exponent that is no `Int` is out of all bounds.
    guard let given = exponentText.isEmpty ? 0 : Int(String(decoding: exponentText.dropFirst(), as: UTF8.self)),
      given.magnitude < 1 << 40
    else { return nil }
    let wholeDigits = digits.count + zeros - (part?.count ?? 0) + given + powerOfTen
    guard wholeDigits <= 12, digits.count - wholeDigits <= Self.mostFractionDigits else { return nil }
    let leading = digits.prefix(max(wholeDigits, 0))
    let scale = (0..<max(wholeDigits, 0) - leading.count).reduce(1) { scale, _ in scale * 10 }
    let missing = Array(repeating: UInt8(ascii: "0"), count: max(-wholeDigits, 0))
    self.init(
      magnitude: leading.reduce(0) { $0 * 10 + Int($1 - 48) } * scale,
      fraction: missing + digits.dropFirst(leading.count), isNegative: isNegative)
  }

  /// - Parameter fraction: digits without a zero at the end.
  private init?(magnitude: Int, fraction: [UInt8], isNegative: Bool) {
    guard isNegative, let last = fraction.last else {
      self.init(seconds: isNegative ? -magnitude : magnitude, fraction: fraction)
      return
    }
    // -1.25 s is 0.75 s after -2 s: the ten's complement of a fraction that does not end in zero.
    let (nine, ten) = (UInt8(ascii: "9") + 48, UInt8(ascii: "9") + 49)
    self.init(seconds: -magnitude - 1, fraction: fraction.dropLast().map { nine - $0 } + [ten - last])
  }
}

// Dates as HTTP writes them (RFC 9110 §5.6.7): one form that is sent, and two old ones that have to be read.

/// The three forms of an HTTP date, in whole seconds.
package enum HTTPDate {
  static let months = MonthName.all.map { String($0.prefix(3)) }

  /// Returns Unix seconds; nil for a text that is no date.
  ///
  /// The forms are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. The
  /// name of the day is not checked.
  ///
  /// - Parameter now: Unix seconds, from which the century of a year with two digits follows.
  package static func seconds(of text: String, now: Double) -> Double? {
    timestamp(text, now: now).map { Double($0.seconds) }
  }

  private static func timestamp(_ text: String, now: Double) -> Timestamp? {
    let words = text.split(separator: " ")
    switch words.count {
    case 6 where words[0].hasSuffix(",") && isZone(words[5]):
      return timestamp(day: words[1], month: words[2], year: number(words[3], digits: 4...4), clock: words[4])
    case 4 where words[0].hasSuffix(",") && isZone(words[3]):
      let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
      guard date.count == 3, let year = number(date[2], digits: 2...2) else { return nil }
      return latest(before: now) { timestamp(day: date[0], month: date[1], year: $0 + year, clock: words[2]) }
    case 5:
      return timestamp(day: words[2], month: words[1], year: number(words[4], digits: 4...4), clock: words[3])
    default:
      return nil
    }
  }

  /// Returns the latest time of the possible centuries that is not more than 50 years ahead.
  private static func latest(before now: Double, in century: (Int) -> Timestamp?) -> Timestamp? {
    let today = Timestamp(clamping: now)
    let current = today.date.year / 100 * 100
    return [current + 100, current, current - 100].lazy.compactMap(century).first { time in
      (time.date.year - 50, time.date.month, time.date.day, time.secondOfDay)
        <= (today.date.year, today.date.month, today.date.day, today.secondOfDay)
    }
  }

  private static func isZone(_ word: Substring) -> Bool { ["GMT", "UTC", "Z"].contains(word.uppercased()) }

  private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int(text)
  }

  private static func timestamp(day: Substring, month: Substring, year: Int?, clock: Substring) -> Timestamp? {
    var cursor = ByteCursor(Array(clock.utf8)[...])
    guard let day = number(day, digits: 1...2), let year, let clock = ClockTime(&cursor), cursor.isAtEnd,
      let month = months.firstIndex(where: { $0.lowercased() == month.lowercased() }),
      let date = CivilDate(year: year, month: month + 1, day: day)
    else { return nil }
    return Timestamp(date, clock)
  }
}
