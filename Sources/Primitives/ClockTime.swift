// The time of day as RFC 3339 and HTTP spell it.

/// A time of day such as `23:59:59`.
///
/// The second 60 is a leap second; whether there can be one depends on the day.
struct ClockTime {
  /// Seconds since midnight.
  let seconds: Int
  let isLeapSecond: Bool

  init(hour: Int = 0, minute: Int = 0, second: Int = 0) {
    seconds = hour * 3_600 + minute * 60 + second
    isLeapSecond = second == 60
  }

  init?(_ cursor: inout ByteCursor) {
    guard let hour = cursor.number(digits: 2, in: 0...23), cursor.takes(":"),
      let minute = cursor.number(digits: 2, in: 0...59), cursor.takes(":"),
      let second = cursor.number(digits: 2, in: 0...60)
    else { return nil }
    self.init(hour: hour, minute: minute, second: second)
  }
}

extension ByteCursor {
  /// Takes `Z`, `+02:00` or `-02:00`, as seconds east of UTC.
  mutating func offset(colonIsOptional: Bool) -> Int? {
    if takes("Z", or: "z") { return 0 }
    let isWest = takes("-")
    guard isWest || takes("+"), let hours = number(digits: 2, in: 0...23), takes(":") || colonIsOptional,
      let minutes = number(digits: 2, in: 0...59)
    else { return nil }
    let seconds = hours * 3_600 + minutes * 60
    return isWest ? -seconds : seconds
  }
}
