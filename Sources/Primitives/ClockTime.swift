// The time of day as RFC 3339 and HTTP spell it.

/// A time of day such as `23:59:59`. The second 60 is a leap second; whether there can be one depends on the day.
struct ClockTime {
  /// Seconds since midnight.
  let seconds: Int
  let isLeapSecond: Bool

  init?(_ cursor: inout ByteCursor) {
    guard let hour = cursor.number(digits: 2, in: 0...23), cursor.takes(":"),
      let minute = cursor.number(digits: 2, in: 0...59), cursor.takes(":"),
      let second = cursor.number(digits: 2, in: 0...60)
    else { return nil }
    seconds = hour * 3_600 + minute * 60 + second
    isLeapSecond = second == 60
  }
}
