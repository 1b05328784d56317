// The character references of HTML that software uses to escape texts.

import Primitives

/// The five names that escaping uses, and numbers: `&amp;`, `&#39;`, `&#x27;` (HTML §13.1.4).
enum HTMLEscape {
  /// Length of the longest reference, `&#1114111;`, with room for leading zeros.
  static let longest = 12

  private static let names: [(name: [UInt8], code: UInt32)] = [
    ("amp", "&"), ("quot", "\""), ("apos", "'"), ("lt", "<"), ("gt", ">"),
  ].map { (name: String, scalar: Unicode.Scalar) in (Array(name.utf8), scalar.value) }

  /// Returns the code point and the length of the reference at this index; nil if there is none.
  static func meant(_ bytes: [UInt8], at index: Int) -> (code: UInt32, length: Int)? {
    let rest = bytes[index...].prefix(longest).dropFirst()
    guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    let body = rest[..<end]
    let code =
      body.first == UInt8(ascii: "#")
      ? number(body.dropFirst()) : names.first { body.elementsEqual($0.name) }?.code
    guard let code, Unicode.Scalar(code) != nil else { return nil }
    return (code, end + 1 - index)
  }

  /// Reports that the byte may stand between `&` and `;`.
  static func mayHold(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "#") || byte.isLetterOrDigit }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    let isHexadecimal = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
    let digits = isHexadecimal ? digits.dropFirst() : digits
    guard !digits.isEmpty, digits.allSatisfy({ isHexadecimal ? $0.hexValue != nil : $0.isDigit }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
  }
}
