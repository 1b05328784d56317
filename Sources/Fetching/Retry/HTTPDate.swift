// Dates as HTTP writes them (RFC 9110 §5.6.7): one form that is sent, and two old ones that have to be read.

/// A time of HTTP, in whole seconds.
package enum HTTPDate {
  /// Unix seconds, or nil for what is no date: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`,
  /// `Sun Nov  6 08:49:37 1994`. The name of the day is not looked at.
  ///
  /// - Parameter now: Unix seconds, which tell what century a year of two digits is in.
  package static func seconds(of text: String, now: Double) -> Double? {
    let words = text.split(separator: " ").map(String.init)
    switch words.count {
    case 6 where words[0].hasSuffix(",") && isZone(words[5]):
      return seconds(day: words[1], month: words[2], year: number(words[3], digits: 4...4), time: words[4])
    case 4 where words[0].hasSuffix(",") && isZone(words[3]):
      let date = words[1].split(separator: "-").map(String.init)
      guard date.count == 3, let year = number(date[2], digits: 2...2) else { return nil }
      return seconds(day: date[0], month: date[1], year: fullYear(year, now), time: words[2])
    case 5:
      return seconds(day: words[2], month: words[1], year: number(words[4], digits: 4...4), time: words[3])
    default:
      return nil
    }
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func isZone(_ word: String) -> Bool { ["GMT", "UTC", "Z"].contains(word.uppercased()) }

  private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(text)
  }

  /// A year that looks more than 50 years ahead is the last one with these digits (RFC 9110 §5.6.7).
  private static func fullYear(_ digits: Int, _ now: Double) -> Int {
    let current = 1970 + Int(now / (365.2425 * 86_400))
    let year = current - current % 100 + digits
    return year > current + 50 ? year - 100 : year
  }

  private static func seconds(day: String, month: String, year: Int?, time: String) -> Double? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2...2) }
    guard let day = number(day, digits: 1...2), (1...31).contains(day), let year,
      let month = months.firstIndex(of: month.lowercased()), clock.count == 3,
      let hour = clock[0], hour < 24, let minute = clock[1], minute < 60, let second = clock[2], second <= 60
    else { return nil }
    let days = HARTime.days(year: year, month: month + 1, day: day)
    return Double(days * 86_400 + hour * 3_600 + minute * 60 + second)
  }
}
