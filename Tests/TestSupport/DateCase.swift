// One table of dates for all rooms that read any: each has the same rule.

/// A time as RFC 3339 spells it, and whether there is such a time.
///
/// The rule: the years 0001 to 9999, no day that its month does not have, and a leap second only at 23:59:60 UTC at the
/// end of a month.
package struct DateCase: CustomStringConvertible, Sendable {
  package let text: String
  package let isTime: Bool
  /// Whether there is the day that the text begins with.
  package let hasDay: Bool

  package var description: String { text }

  /// The same in UTC as HTTP spells it: `Wed, 31 Jan 2024 12:00:00 GMT`; nil where the text has an offset or a fraction.
  package var httpDate: String? {
    let parts = text.split { "-T:Z".contains($0) }
    guard text.hasSuffix("Z"), parts.count == 6, parts[5].count == 2, let month = Int(parts[1]) else { return nil }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let name = (1...12).contains(month) ? months[month - 1] : "Foo"
    return "Mon, \(parts[2]) \(name) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
  }

  package static let all: [DateCase] = times + noTimes + noDays

  private static let times = [
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024-02-29T00:00:00Z", "2000-02-29T12:00:00Z",
    "1600-02-29T12:00:00Z", "2023-02-28T23:59:59Z", "2024-04-30T00:00:00Z", "2024-12-31T00:00:00Z",
    "1582-10-10T00:00:00Z", "2024-01-01T00:00:00+23:59", "2024-01-01T00:00:00.25-23:59",
    // Leap seconds, where an offset may hide the end of the month.
    "2016-12-31T23:59:60Z", "2024-02-29T23:59:60Z", "2023-02-28T23:59:60Z", "2015-06-30T23:59:60.5Z",
    "1990-12-31T15:59:60-08:00", "2017-01-01T05:29:60+05:30",
  ].map { DateCase(text: $0, isTime: true, hasDay: true) }

  private static let noTimes = [
    "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-31T23:59:61Z", "2024-01-01T00:00:00+24:00",
    "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    // A leap second's following second would be in the year 10000.
    "9999-12-31T23:59:60Z",
    // Seconds of 60 that are not at the end of a month in UTC.
    "2016-12-30T23:59:60Z", "2016-12-31T23:58:60Z", "2016-12-31T12:59:60Z", "2024-02-28T23:59:60Z",
    "2016-12-31T23:59:60+01:00", "2017-01-01T00:00:60Z", "2016-12-31T23:59:60-08:00",
  ].map { DateCase(text: $0, isTime: false, hasDay: true) }

  private static let noDays = [
    "0000-01-01T00:00:00Z", "0000-12-31T23:59:59-01:00", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "2024-02-31T00:00:00Z", "2024-04-31T00:00:00Z",
    "2024-06-31T00:00:00Z", "2024-09-31T00:00:00Z", "2024-11-31T00:00:00Z", "2024-01-32T00:00:00Z",
    "2024-01-00T00:00:00Z", "2024-00-01T00:00:00Z", "2024-13-01T00:00:00Z",
  ].map { DateCase(text: $0, isTime: false, hasDay: false) }
}
