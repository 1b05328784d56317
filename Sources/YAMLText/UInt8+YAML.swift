// Names for the bytes that have a meaning in YAML.

extension UInt8 {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let hash = UInt8(ascii: "#")
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let backslash = UInt8(ascii: "\\")
  static let colon = UInt8(ascii: ":")
  static let comma = UInt8(ascii: ",")
  static let dash = UInt8(ascii: "-")
  static let dot = UInt8(ascii: ".")
  static let question = UInt8(ascii: "?")
  static let dollar = UInt8(ascii: "$")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")

  /// True for `s-white`.
  var isWhite: Bool { self == .space || self == .tab }
  /// True for `b-char`, and for the NUL that means the end.
  var isBreakOrEnd: Bool { self == .lineFeed || self == .carriageReturn || self == 0 }
  var isBlankOrEnd: Bool { isWhite || isBreakOrEnd }
  /// True for `c-flow-indicator`.
  var isFlowIndicator: Bool {
    switch self {
    case .comma, .openBracket, .closeBracket, .openBrace, .closeBrace: true
    default: false
    }
  }
  /// True for `c-indicator`, which no plain scalar begins with (`-`, `?` and `:` may, before text).
  var isIndicator: Bool { "-?:,[]{}#&*!|>'\"%@`".utf8.contains(self) }
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }
  /// Value of a hexadecimal digit of either case.
  var hexValue: UInt32? {
    switch self {
    case 0x30...0x39: UInt32(self) - 0x30
    case 0x41...0x46: UInt32(self) - 0x41 + 10
    case 0x61...0x66: UInt32(self) - 0x61 + 10
    default: nil
    }
  }
}
