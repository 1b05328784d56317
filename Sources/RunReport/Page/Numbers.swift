// Numbers as people read them.

/// Spellings of numbers on the page.
enum Numbers {
  /// `12,345`.
  static func grouped(_ number: Int) -> String {
    var digits = String(number.magnitude)
    var parts: [String] = []
    while digits.count > 3 {
      parts.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (number < 0 ? "-" : "") + ([digits] + parts).joined(separator: ",")
  }

  /// `1 request`, `12,345 requests`.
  static func counted(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : noun.hasSuffix("s") ? "es" : "s")"
  }

  /// `1 retry`, `2 retries`.
  static func retries(_ number: Int) -> String { "\(grouped(number)) \(number == 1 ? "retry" : "retries")" }

  /// `0`, `0.4 ms`, `84 ms`, `1.24 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
  static func time(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "?" }
    switch seconds {
    case ..<0.000_05: return "0"
    case ..<0.001: return "\((seconds * 10_000).rounded() / 10) ms"
    case ..<0.999_5: return "\(Int((seconds * 1_000).rounded())) ms"
    case ..<59.995: return "\(trimmed((seconds * 100).rounded() / 100)) s"
    case ..<3_599.5: return pair(Int(seconds.rounded()), 60, "min", 1, "s")
    case ..<86_370: return pair(Int((seconds / 60).rounded()) * 60, 3_600, "h", 60, "min")
    case ..<1e15: return pair(Int((seconds / 3_600).rounded()) * 3_600, 86_400, "d", 3_600, "h")
    default: return "?"
    }
  }

  private static func pair(_ seconds: Int, _ large: Int, _ first: String, _ small: Int, _ second: String) -> String {
    let rest = seconds % large / small
    return "\(grouped(seconds / large)) \(first)" + (rest > 0 ? " \(rest) \(second)" : "")
  }

  private static func trimmed(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// `12.34%`, for a place on an axis.
  static func percent(_ part: Double, of whole: Double) -> String {
    let share = whole > 0 ? min(max(part / whole, 0), 1) : 0
    return "\(trimmed((share * 10_000).rounded() / 100))%"
  }
}
