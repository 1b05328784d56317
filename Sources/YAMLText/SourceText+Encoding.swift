// The encoding of a spec: UTF-8, and the characters that it allows (YAML 1.2 §5.1).

import Diagnostics

extension SourceText {
  /// Size limit of a spec; a larger file is probably the wrong file.
  package static let specSizeLimit = 16 * 1_024 * 1_024

  /// Throws if the text is too large, in another encoding, or has control characters.
  ///
  /// - Returns: Offsets, in order, of characters that are only allowed in quotes.
  func checkCharacters(sizeLimit: Int = specSizeLimit) throws(Diagnostic) -> [Int] {
    if bytes.count > sizeLimit { throw Diagnostic("a spec can't be larger than \(sizeLimit >> 20) MiB", at: 0..<0) }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw Diagnostic("the text is UTF-16", at: 0..<2, advice: "save it as UTF-8")
    }
    var onlyQuoted: [Int] = []
    var offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte < 0x80 {
        try checkControl(byte, at: offset)
        if byte == 0x7F { onlyQuoted.append(offset) }
        offset += 1
        continue
      }
      guard let (scalar, length) = Self.scalar(in: bytes, at: offset) else {
        throw Diagnostic("this is not UTF-8", at: offset..<offset + 1, advice: "save the file as UTF-8")
      }
      if !Self.isPrintable(scalar) { onlyQuoted.append(offset) }
      offset += length
    }
    return onlyQuoted
  }

  private func checkControl(_ byte: UInt8, at offset: Int) throws(Diagnostic) {
    if byte >= 0x20 || byte == .tab || byte == .lineFeed || byte == .carriageReturn { return }
    let name = "\\u{\(String(byte, radix: 16))}"
    throw Diagnostic(
      "the control character \(name) can't stand in a spec", at: offset..<offset + 1,
      advice: "in double quotes it can be written \\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))")
  }

  /// Reports that a non-ASCII scalar is in `c-printable` and no byte order mark.
  private static func isPrintable(_ scalar: UInt32) -> Bool {
    scalar == 0x85 || (scalar >= 0xA0 && scalar != 0xFEFF && scalar != 0xFFFE && scalar != 0xFFFF)
  }

  /// Returns the well-formed scalar of several bytes (RFC 3629) at the offset.
  private static func scalar(in bytes: [UInt8], at offset: Int) -> (UInt32, length: Int)? {
    let first = bytes[offset]
    let length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
    guard length > 0, offset + length <= bytes.count else { return nil }
    var scalar = UInt32(first & (0xFF >> UInt8(length + 1)))
    for byte in bytes[offset + 1..<offset + length] {
      guard byte & 0xC0 == 0x80 else { return nil }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
    return scalar >= least && Unicode.Scalar(scalar) != nil ? (scalar, length) : nil
  }
}

extension YAMLReader {
  /// Reports the first character outside quotes that is only allowed in quotes.
  mutating func checkQuoted(_ offsets: [Int]) {
    var ranges = quotedRanges[...]
    for offset in offsets {
      while let range = ranges.first, range.upperBound <= offset { ranges.removeFirst() }
      if ranges.first?.contains(offset) == true { continue }
      report(
        "a character that is not printable can only stand in quotes", at: offset..<offset + 1,
        advice: "in double quotes it can be written \\u and four hexadecimal digits")
      return
    }
  }
}
