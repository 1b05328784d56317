// Seconds and what they are called: RFC 3339 times and ISO dates, in UTC, of the years 1 to 9999.
//
// Foundation's formats are not used: they count Julian days before 1582 and read 2024-02-30 as March 1st.

/// A second of the years that RFC 3339 has names for (but 0, which has no date in ISO 8601 without agreement).
struct Instant: Hashable, Sendable {
  static let day = 86_400
  private static let named = -62_135_596_800...253_402_300_799

  /// Unix seconds.
  let seconds: Int
  /// The digits behind them, without zeros at the end.
  let fraction: String

  init?(seconds: Int, fraction: String = "") {
    guard Self.named.contains(seconds) else { return nil }
    (self.seconds, self.fraction) = (seconds, fraction)
  }

  /// `2024-01-31`.
  init?(date text: some StringProtocol) {
    guard let day = Self.days(date: Array(text.utf8)[...]) else { return nil }
    self.init(seconds: day * Self.day)
  }

  /// `2024-01-31T12:00:00Z`, perhaps with a fraction, or with an offset.
  init?(time text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes[10] | 0x20 == UInt8(ascii: "t"), let day = Self.days(date: bytes[..<10]),
      let clock = Self.clock(bytes[11..<19])
    else { return nil }
    var (zone, fraction) = (bytes[19...], bytes[19..<19])
    if zone.first == UInt8(ascii: ".") {
      fraction = zone.dropFirst().prefix { (48...57).contains($0) }
      guard !fraction.isEmpty else { return nil }
      zone = bytes[fraction.endIndex...]
    }
    while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    guard let offset = Self.offset(zone) else { return nil }
    self.init(seconds: day * Self.day + clock - offset, fraction: String(decoding: fraction, as: UTF8.self))
  }

  /// `2024-01-31`.
  var date: String {
    let (year, month, day) = Self.civil(days: Self.floor(seconds, Self.day))
    return "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))"
  }

  /// `2024-01-31T12:00:00Z`.
  var time: String {
    let second = seconds - Self.floor(seconds, Self.day) * Self.day
    let clock = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0, to: 2) }
    return "\(date)T\(clock.joined(separator: ":"))\(fraction.isEmpty ? "" : ".\(fraction)")Z"
  }

  /// `Wed, 31 Jan 2024 12:00:00 GMT` (RFC 9110 §5.6.7).
  var httpDate: String {
    let days = Self.floor(seconds, Self.day)
    let (year, month, day) = Self.civil(days: days)
    // 1970 began on a Thursday.
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days - Self.floor(days, 7) * 7]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let clock = time.dropFirst(11).dropLast()
    return "\(weekday), \(Self.padded(day, to: 2)) \(months[month - 1]) \(Self.padded(year, to: 4)) \(clock) GMT"
  }

  // MARK: Reading

  private static func days(date bytes: ArraySlice<UInt8>) -> Int? {
    let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], let year = number(parts[0]), let month = number(parts[1]),
      let day = number(parts[2]), (1...12).contains(month)
    else { return nil }
    let days = days(year: year, month: month, day: day)
    // A day that the month does not have would be called otherwise.
    return civil(days: days) == (year, month, day) ? days : nil
  }

  /// `hh:mm:ss`; 60 seconds are a leap second.
  private static func clock(_ bytes: ArraySlice<UInt8>) -> Int? {
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [2, 2, 2], let hour = number(parts[0]), let minute = number(parts[1]),
      let second = number(parts[2]), hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3_600 + minute * 60 + second
  }

  private static func offset(_ zone: ArraySlice<UInt8>) -> Int? {
    guard let sign = zone.first else { return nil }
    if sign | 0x20 == UInt8(ascii: "z") { return zone.count == 1 ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    guard let offset = clock(zone.dropFirst() + Array(":00".utf8)) else { return nil }
    return sign == UInt8(ascii: "-") ? -offset : offset
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
  }

  // MARK: Calendar

  // Days from civil dates and back, Gregorian for all years. March is the first month of the year, so that the day that
  // comes and goes is the last one of it; an era is 400 years (Howard Hinnant, "chrono-compatible low-level date
  // algorithms").

  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = floor(year, 400)
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let era = floor(days + 719_468, 146_097)
    let dayOfEra = days + 719_468 - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
  }

  /// The quotient, rounded down.
  private static func floor(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : (number + 1) / divisor - 1
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
