// Dates and times as text, as far as a spec can be wrong about them: `2024-02-30` is no day.

/// What a text looks like and whether that exists.
enum DateText {
  /// `yyyy-MM-dd` of a day there is.
  static func isDate(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10])
    else { return false }
    return year > 0 && (1...12).contains(month) && (1...length(ofMonth: month, in: year)).contains(day)
  }

  /// RFC 3339 §5.6: a date, `T`, a time with or without a fraction, and `Z` or an offset.
  static func isTime(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, isDate(text.prefix(10)), bytes[10] | 0x20 == UInt8(ascii: "t") else { return false }
    guard isClock(bytes[11..<19]) else { return false }
    var zone = bytes[19...]
    if zone.first == UInt8(ascii: ".") {
      let digits = zone.dropFirst().prefix { (48...57).contains($0) }
      guard !digits.isEmpty else { return false }
      zone = bytes[digits.endIndex...]
    }
    return isZone(zone)
  }

  /// `hh:mm:ss`; 60 seconds are a leap second.
  private static func isClock(_ bytes: ArraySlice<UInt8>) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ $0.count == 2 }) else { return false }
    guard let hour = number(parts[0]), let minute = number(parts[1]), let second = number(parts[2]) else {
      return false
    }
    return hour < 24 && minute < 60 && second <= 60
  }

  private static func isZone(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let sign = bytes.first else { return false }
    if sign | 0x20 == UInt8(ascii: "z") { return bytes.count == 1 }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
    let parts = bytes.dropFirst().split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }) else { return false }
    guard let hour = number(parts[0]), let minute = number(parts[1]) else { return false }
    return hour < 24 && minute < 60
  }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1) - 48 }
  }
}
