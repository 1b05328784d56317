// The one way into the page: what the program says itself is a `StaticString`, all other text is escaped.

/// HTML with inline SVG, written from front to back.
struct Markup: Sendable {
  private(set) var bytes: [UInt8] = []

  /// Number of scalars of a text from outside that are shown.
  static let textLimit = 300

  typealias Attribute = (name: StaticString, value: String)

  /// Adds markup of the program itself.
  mutating func add(_ markup: StaticString) {
    markup.withUTF8Buffer { bytes += $0 }
  }

  /// Adds text, which may come from anywhere.
  mutating func text(_ text: String) {
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      guard count <= Self.textLimit else { return add("…") }
      escape(scalar)
    }
  }

  /// Adds a start tag.
  mutating func open(_ name: StaticString, _ attributes: [Attribute] = []) {
    add("<")
    add(name)
    for (name, value) in attributes {
      add(" ")
      add(name)
      add("=\"")
      text(value)
      add("\"")
    }
    add(">")
  }

  /// Adds a start tag with a path, which may be longer than a text: only its digits, signs and letters are kept.
  mutating func open(_ name: StaticString, _ attributes: [Attribute] = [], path: String) {
    open(name, attributes)
    bytes.removeLast()
    add(" d=\"")
    bytes += path.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || " .-HMVZ".utf8.contains($0) }
    add("\">")
  }

  mutating func close(_ name: StaticString) {
    add("</")
    add(name)
    add(">")
  }

  /// Adds an element that has only text.
  mutating func element(_ name: StaticString, _ attributes: [Attribute] = [], _ text: String) {
    open(name, attributes)
    self.text(text)
    close(name)
  }

  mutating func element(_ name: StaticString, _ text: String) {
    element(name, [], text)
  }

  /// Adds one scalar so that no reader takes it for markup, a control, or a change of the text's direction (UAX #9).
  private mutating func escape(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "&": add("&amp;")
    case "<": add("&lt;")
    case ">": add("&gt;")
    case "\"": add("&quot;")
    case "'": add("&#39;")
    case _ where scalar.isInvisible:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      add("⟨U+")
      bytes += Array((String(repeating: "0", count: max(0, 4 - digits.count)) + digits).utf8)
      add("⟩")
    default: bytes += Array(String(scalar).utf8)
    }
  }
}

extension Unicode.Scalar {
  /// True for controls, line ends, scalars that set the direction of text or have no width, and non-characters.
  fileprivate var isInvisible: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0xAD: true
    case 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    case 0xFFF9...0xFFFB, 0xFDD0...0xFDEF, 0xE0000...0xE007F: true
    default: value & 0xFFFE == 0xFFFE
    }
  }
}

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
