// A decoded text that knows the original range of each of its bytes.

import Primitives

/// The bytes of a text, perhaps decoded from another text, and their origin in that text.
struct DecodedText {
  private(set) var bytes: [UInt8]
  /// One spelling for each encoding that was undone, from the original text to this one.
  private var spellings: [Spelling] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private init(roomFor count: Int) {
    bytes = []
    bytes.reserveCapacity(count)
  }

  /// Returns the range of the original text that encodes these bytes.
  func original(_ range: Range<Int>) -> Range<Int> {
    spellings.reversed().reduce(range) { $1.encoded($0) }
  }
}

/// The way in which a text is encoded in the text that it was decoded from.
private enum Spelling {
  /// Escaped units at some indices, in order; the bytes between them stand for themselves.
  case units([Unit])
  /// Base64: `count` decoded bytes from the digit at `start`, up to the `end` of the padding.
  case base64(start: Int, count: Int, end: Int)

  /// `count` decoded bytes at `index` that `length` bytes at `offset` encode.
  struct Unit {
    let index: Int
    let count: Int
    let offset: Int
    let length: Int
  }

  func encoded(_ range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return range }
    return encoded(range.lowerBound).lowerBound..<encoded(range.upperBound - 1).upperBound
  }

  private func encoded(_ index: Int) -> Range<Int> {
    switch self {
    case .base64(let start, let count, let end):
      // Two digits encode the byte; its neighbours may share bits of them.
      let digit = start + index / 3 * 4 + index % 3
      return digit..<(index == count - 1 ? end : digit + 2)
    case .units(let units):
      guard let unit = Self.last(of: units, upTo: index) else { return index..<(index + 1) }
      let behind = index - unit.index - unit.count
      let next = unit.offset + unit.length + behind
      return behind < 0 ? unit.offset..<(unit.offset + unit.length) : next..<(next + 1)
    }
  }

  private static func last(of units: [Unit], upTo index: Int) -> Unit? {
    var (low, high) = (0, units.count)
    while low < high {
      let middle = (low + high) / 2
      if units[middle].index <= index { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? units[low - 1] : nil
  }
}

extension DecodedText {
  /// The text with percent-encoding undone; nil if it has no `%XX`.
  var percentDecoded: DecodedText? {
    decoded(at: UInt8(ascii: "%")) { bytes, index in
      URLByte.escaped(bytes, at: index).map { (UInt32($0), 3) }
    } as: { byte, result in
      result.append(UInt8(truncatingIfNeeded: byte))
    }
  }

  /// The text with JSON escapes undone; nil if it has none.
  var unescaped: DecodedText? { decoded(at: UInt8(ascii: "\\"), JSONEscape.meant, as: Self.append) }

  /// The text with HTML's character references undone; nil if it has none.
  var htmlUnescaped: DecodedText? { decoded(at: UInt8(ascii: "&"), HTMLEscape.meant, as: Self.append) }

  private static func append(_ code: UInt32, to result: inout [UInt8]) {
    if code < 0x80 {
      result.append(UInt8(truncatingIfNeeded: code))
    } else if let scalar = Unicode.Scalar(code) {
      result += String(scalar).utf8
    }
  }

  /// Decodes each escape that begins with a mark; nil if there is none.
  ///
  /// - Parameters:
  ///   - meant: returns the code of the escape at an index, and its length; nil if there is no escape.
  ///   - spell: appends the bytes of a code.
  private func decoded(
    at mark: UInt8, _ meant: ([UInt8], Int) -> (code: UInt32, length: Int)?,
    as spell: (UInt32, inout [UInt8]) -> Void
  ) -> DecodedText? {
    var result: DecodedText?
    var units: [Spelling.Unit] = []
    var (copied, index) = (0, 0)
    while let offset = bytes[index...].firstIndex(of: mark) {
      guard let (code, length) = meant(bytes, offset) else {
        index = offset + 1
        continue
      }
      index = offset + length
      var text = result.take() ?? DecodedText(roomFor: bytes.count)
      text.bytes += bytes[copied..<offset]
      let start = text.bytes.count
      spell(code, &text.bytes)
      units.append(.init(index: start, count: text.bytes.count - start, offset: offset, length: length))
      result = text
      copied = index
    }
    result?.bytes += bytes[copied...]
    result?.spellings = spellings + [.units(units)]
    return result
  }
}

extension DecodedText {
  /// Pieces that may be base64 (RFC 4648 §4, §5) of a text that is itself encoded.
  ///
  /// Letters may directly precede the encoded text, so that it may begin at any of four offsets.
  ///
  /// Base64 of a plain secret needs no decoding: `SecretMatcher` searches for that form.
  var base64Decoded: [DecodedText] {
    var pieces: [DecodedText] = []
    Base64.eachRun(in: bytes) { run in
      for start in run.lowerBound..<(run.lowerBound + 4) where Base64.mayHoldEncoded(bytes, start..<run.upperBound) {
        pieces.append(base64Decoded(start..<run.upperBound))
      }
    }
    return pieces
  }

  private func base64Decoded(_ digits: Range<Int>) -> DecodedText {
    var piece = DecodedText(roomFor: digits.count)
    Base64.decode(bytes, digits) { byte in
      piece.bytes.append(byte)
      return true
    }
    let padding = bytes[digits.upperBound...].prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
    let end = digits.upperBound + padding
    piece.spellings = spellings + [.base64(start: digits.lowerBound, count: piece.bytes.count, end: end)]
    return piece
  }
}

// All decodings of a text, since software wraps text that other software has already wrapped.

/// Undoes nested encodings: `return_to=…%3Fk%3Da%252Bb` holds a URL that holds `a+b`.
struct NestedDecodings {
  /// Limit for nested encodings, higher than anything found in practice.
  private static let mostLayers = 8

  /// Number of bytes that may still be read, so that a malicious text with a thousand decodings can't stall the search.
  private var budget: Int

  /// Calls `read` for the text itself, and for each result of undoing percent-encoding, JSON escapes, character
  /// references of HTML and base64, in any order.
  static func each(of bytes: [UInt8], _ read: (DecodedText) -> Void) {
    var readings = NestedDecodings(budget: 64 << 10 + bytes.count * 32)
    readings.explore(DecodedText(bytes), layer: 0, read)
  }

  /// Explores a text that was given, or that was encoded as a whole.
  private mutating func explore(_ text: DecodedText, layer: Int, _ read: (DecodedText) -> Void) {
    var known: Set<[UInt8]> = []
    explore(text, layer: layer, isWhole: true, &known, read)
  }

  /// - Parameters:
  ///   - isWhole: true if the text was given, or was encoded as a whole; false if only some encodings of a text have
  ///     been undone.
  ///   - known: results for that text that have been read. The order of decodings matters only if one encoding has made
  ///     the marks of another.
  private mutating func explore(
    _ text: DecodedText, layer: Int, isWhole: Bool, _ known: inout Set<[UInt8]>, _ read: (DecodedText) -> Void
  ) {
    guard budget > 0 else { return }
    budget -= text.bytes.count
    read(text)
    guard layer < Self.mostLayers else { return }
    let decoded = [text.unescaped, text.percentDecoded, text.htmlUnescaped].compactMap { $0 }
    for other in decoded where known.insert(other.bytes).inserted {
      explore(other, layer: layer + 1, isWhole: false, &known, read)
    }
    // A mark ends a run of digits. So while marks remain, base64 shows nothing that it does not show in the end.
    guard isWhole || decoded.isEmpty else { return }
    for piece in text.base64Decoded { explore(piece, layer: layer + 1, read) }
  }
}

// Decoding of base64, one of the encodings in which a secret can hide.

/// Base64 in the standard and in the URL-safe alphabet.
enum Base64 {
  /// Number of digits that encode three bytes.
  static let group = 4
  /// Lowest number of digits that can encode four characters.
  private static let shortest = 6

  /// Value of each byte as a digit; 64 if the byte is not a digit.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 64, count: 256)
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    return values
  }()

  /// Calls `take` with each run of digits that is long enough to hold encoded text.
  static func eachRun(in bytes: [UInt8], _ take: (Range<Int>) -> Void) {
    let values = values
    var start = 0
    for index in 0...bytes.count where index == bytes.count || values[Int(bytes[index])] == 64 {
      if index - start > shortest { take(start..<index) }
      start = index + 1
    }
  }

  /// Decodes digits and passes each byte to `take`, until `take` returns false.
  ///
  /// Bits that are left over are ignored.
  static func decode(_ bytes: [UInt8], _ digits: Range<Int>, _ take: (UInt8) -> Bool) {
    let values = values
    var bits: UInt32 = 0
    var count = 0
    for index in digits {
      bits = bits << 6 | UInt32(values[Int(bytes[index])])
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      guard take(UInt8(truncatingIfNeeded: bits >> count)) else { return }
    }
  }

  /// Reports that the decoded digits look encoded themselves, which is rare for text that was never encoded.
  static func mayHoldEncoded(_ bytes: [UInt8], _ digits: Range<Int>) -> Bool {
    let values = values
    var (last, run) = (0 as UInt8, 0)
    var result = false
    decode(bytes, digits) { byte in
      run = values[Int(byte)] < 64 ? run + 1 : 0
      result =
        run == shortest || last == UInt8(ascii: "%") && byte.hexValue != nil
        || last == UInt8(ascii: "\\") && JSONEscape.isSecond(byte)
        || last == UInt8(ascii: "&") && HTMLEscape.mayHold(byte)
      last = byte
      return !result
    }
    return result
  }
}

// The character references of HTML that software uses to escape texts.

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
      guard let unit, let digit = byte.hexValue else { return nil }
      return unit << 4 | UInt32(digit)
    }
  }
}
