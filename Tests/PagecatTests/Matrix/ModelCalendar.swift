/// January 2024 as text, by counting.
enum ModelCalendar {
  /// The start of 2024 in Unix seconds.
  static let start = 1_704_067_200
  static let secondsADay = 86_400

  static func day(_ second: Int) -> String { "2024-01-\(padded(1 + second / secondsADay))" }

  static func time(_ second: Int) -> String {
    let clock = [second / 3_600 % 24, second / 60 % 60, second % 60].map(padded)
    return "\(day(second))T\(clock.joined(separator: ":"))Z"
  }

  /// Seconds since the start of 2024 of a text that `day` or `time` gave.
  static func second(_ text: String) -> Int {
    let parts = text.split { !$0.isNumber }.compactMap { Int($0) }
    let clock = parts.count > 3 ? parts[3] * 3_600 + parts[4] * 60 + parts[5] : 0
    return (parts[2] - 1) * secondsADay + clock
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
