// Percent-encoding (RFC 3986 §2) of values that must not break out of a URL, and of URLs as people write them.

import Primitives

extension String {
  /// The text with all but unreserved characters as `%XX` of the UTF-8 bytes, in upper case (RFC 3986 §2.1, §2.3).
  package var percentEncoded: String { Self(percentEncoding: utf8) { URLByte.isUnreserved($0) } }

  /// Decodes bytes that may not be UTF-8, with bytes beyond ASCII percent-encoded.
  init(percentEncodingBeyondASCII bytes: some Sequence<UInt8>) {
    self.init(percentEncoding: bytes) { $0 < 0x80 }
  }

  fileprivate init(percentEncoding bytes: some Sequence<UInt8>, except isKept: (UInt8) -> Bool) {
    var encoded: [UInt8] = []
    for byte in bytes {
      if isKept(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), URLByte.digits[Int(byte >> 4)], URLByte.digits[Int(byte & 15)]]
      }
    }
    self.init(decoding: encoded, as: UTF8.self)
  }
}

extension StringProtocol {
  /// The bytes that the text means, with each `%XX` decoded; for comparing, not for messages.
  package var percentDecoded: [UInt8] {
    let bytes = Array(utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let byte = URLByte.escaped(bytes, at: index) {
        decoded.append(byte)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return decoded
  }

  /// The text with each `%XX` decoded, and then all but unreserved characters encoded, so that all spellings are one.
  package var percentNormalized: String { String(percentEncoding: percentDecoded) { URLByte.isUnreserved($0) } }
}

/// Returns the URL reference with every illegal byte percent-encoded, and none encoded twice.
///
/// A `%` with two hex digits stays; any other `%` becomes `%25`. Brackets are legal only around an IP address in the
/// authority.
///
/// A query is sent almost unchanged: only controls, space, `"`, `<`, `>` and non-ASCII bytes are encoded there. RFC
/// 3986 does not allow `filter[x]=1`, but half of all APIs use it.
///
/// - Parameter isQuery: true if the text is the beginning of a query.
package func percentEncodingIllegalBytes(in reference: some StringProtocol, isQuery: Bool = false) -> String {
  let bytes = Array(reference.utf8)
  let queryStart = isQuery ? 0 : bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
  let text = Substring(reference)
  let authority = URLParts(text).authority.map { part in
    text.utf8.distance(
      from: text.startIndex, to: part.startIndex)..<text.utf8.distance(from: text.startIndex, to: part.endIndex)
  }
  var index = -1
  return String(percentEncoding: bytes) { byte in
    index += 1
    if index >= queryStart { return byte > 0x20 && byte < 0x7F && !URLByte.unsendable.contains(byte) }
    switch byte {
    case UInt8(ascii: "%"): return URLByte.escaped(bytes, at: index) != nil
    case UInt8(ascii: "["), UInt8(ascii: "]"): return authority?.contains(index) == true
    default: return URLByte.isUnreserved(byte) || URLByte.reserved.contains(byte)
    }
  }
}

/// Classes of bytes in a URL.
enum URLByte {
  static let digits = Array("0123456789ABCDEF".utf8)
  /// Bytes that are never sent in a query, besides controls, spaces and non-ASCII bytes.
  static let unsendable = Set("\"<>".utf8)
  /// Reserved characters (RFC 3986 §2.2) without the brackets.
  static let reserved = Set(":/?#@!$&'()*+,;=".utf8)

  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: byte.isLetterOrDigit
    }
  }

  /// Returns the byte that a `%` at this index and its two hex digits encode.
  static func escaped(_ bytes: [UInt8], at index: Int) -> UInt8? {
    guard index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%") else { return nil }
    guard let high = bytes[index + 1].hexValue, let low = bytes[index + 2].hexValue else { return nil }
    return high << 4 | low
  }
}

extension String {
  /// True if the text can stand as the value of a query item as it is (RFC 3986 §3.4): it is percent-encoded already.
  ///
  /// It has no `&` and no `#`, which would end the value.
  package var isEncodedItem: Bool {
    var hexDigits = 0
    for byte in utf8 {
      if hexDigits > 0 {
        guard byte.hexValue != nil else { return false }
        hexDigits -= 1
      } else if byte == UInt8(ascii: "%") {
        hexDigits = 2
      } else if !URLByte.isUnreserved(byte), !"!$'()*+,;=:@/?".utf8.contains(byte) {
        return false
      }
    }
    return hexDigits == 0
  }
}
