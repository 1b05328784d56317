/// Escapes in JSON strings (RFC 8259 §7).
enum JSONEscape {
  /// Returns the code point of the escape at this index, and the escape's length; nil if there is none.
  static func meant(_ bytes: [UInt8], at index: Int) -> (code: UInt32, length: Int)? {
    guard index + 1 < bytes.count else { return nil }
    if bytes[index + 1] != UInt8(ascii: "u") { return letter(bytes[index + 1]).map { ($0, 2) } }
    guard let high = unit(bytes, at: index) else { return nil }
    if Unicode.Scalar(high) != nil { return (high, 6) }
    guard high < 0xDC00, let low = unit(bytes, at: index + 6), (0xDC00..<0xE000).contains(low) else { return nil }
    return (0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), 12)
  }

  static func isSecond(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "u") || letter(byte) != nil }

  private static func letter(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): UInt32(byte)
    case UInt8(ascii: "b"): 8
    case UInt8(ascii: "f"): 12
    case UInt8(ascii: "n"): 10
    case UInt8(ascii: "r"): 13
    case UInt8(ascii: "t"): 9
    default: nil
    }
  }

  /// Returns the value of an escape such as `\u00e9`.
  private static func unit(_ bytes: [UInt8], at index: Int) -> UInt32? {
    guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return bytes[(index + 2)..<(index + 6)].reduce(0 as UInt32?) { unit, byte in
      guard let unit, let digit = URLByte.hexValue(byte) else { return nil }
      return unit << 4 | UInt32(digit)
    }
  }
}
