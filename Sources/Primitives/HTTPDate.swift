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
