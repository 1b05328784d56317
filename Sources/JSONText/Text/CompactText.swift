// Finds the ends of strings and values in JSON text that is known to be valid and compact.
//
// Every index is compared with the end before it is used. Invalid text gives wrong results, but no read outside the
// buffer.

/// View of valid compact JSON, for the time of one call.
struct CompactText {
  let bytes: UnsafeBufferPointer<UInt8>

  /// Returns the extent of the string that has its opening quote at `start`.
  func string(at start: Int) -> StringExtent {
    var index = start + 1
    var hasEscape = false
    while true {
      index = bytes.baseAddress.map { SIMDScan.firstQuoteOrBackslash($0, from: index, to: bytes.count) } ?? 0
      guard index < bytes.count else { return StringExtent(end: bytes.count, hasEscape: hasEscape) }
      if bytes[index] == UInt8(ascii: "\"") { return StringExtent(end: index + 1, hasEscape: hasEscape) }
      hasEscape = true
      index += 2
    }
  }

  /// Returns the index after the value that begins at `start`.
  func valueEnd(at start: Int) -> Int {
    guard start < bytes.count else { return bytes.count }
    switch bytes[start] {
    case UInt8(ascii: "\""): return string(at: start).end
    case UInt8(ascii: "{"), UInt8(ascii: "["): return containerEnd(at: start)
    default: return scalarEnd(at: start)
    }
  }

  /// Returns the value that begins at `start`.
  func value(at start: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[start..<max(start, valueEnd(at: start))])
  }

  private func containerEnd(at start: Int) -> Int {
    var depth = 0
    var index = start
    while true {
      index = bytes.baseAddress.map { SIMDScan.firstQuoteOrBracket($0, from: index, to: bytes.count) } ?? 0
      guard index < bytes.count else { return bytes.count }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = string(at: index).end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      default: depth -= 1
      }
      index += 1
      if depth == 0 { return index }
    }
  }

  private func scalarEnd(at start: Int) -> Int {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x0A: return index
      default: index += 1
      }
    }
    return index
  }

  /// Returns the extent of the name with its opening quote at `start`, and the range of the member's value.
  func member(at start: Int) -> (name: StringExtent, value: Range<Int>) {
    let name = string(at: start)
    let valueStart = min(name.end + 1, bytes.count)
    return (name, valueStart..<valueEnd(at: valueStart))
  }

  /// Calls `body` with each member of the object at `start`, and the offset of its name, until `body` returns false.
  ///
  /// Returns the offset of the object's last bracket, or of the name at which `body` stopped.
  @inline(__always)
  func forEachMember(at start: Int, _ body: (Int, (name: StringExtent, value: Range<Int>)) -> Bool) -> Int {
    var offset = start + 1
    while offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
      let member = member(at: offset)
      guard body(offset, member) else { return offset }
      offset = member.value.upperBound
      if offset < bytes.count, bytes[offset] == UInt8(ascii: ",") { offset += 1 }
    }
    return offset
  }

  /// Reports that the string from `start` to the extent's end decodes to `name`.
  func string(at start: Int, _ extent: StringExtent, decodesTo name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard start + 1 < extent.end else { return false }
    let raw = UnsafeBufferPointer(rebasing: bytes[start + 1..<extent.end - 1])
    guard extent.hasEscape else { return raw.count == name.count && raw.elementsEqual(name) }
    return StringDecoder.decode(raw).bytes.elementsEqual(name)
  }
}

extension [UInt8] {
  /// Returns the offset after the string that has its opening quote at `start`, in compact lines.
  package func endOfString(at start: Int) -> Int {
    withUnsafeBufferPointer { CompactText(bytes: $0).string(at: start).end }
  }

  /// Returns the offset after the value that begins at `start`, in compact lines.
  package func endOfValue(at start: Int) -> Int {
    withUnsafeBufferPointer { CompactText(bytes: $0).valueEnd(at: start) }
  }
}

/// End of a string, as found by `CompactText.string`.
struct StringExtent {
  /// Index after the closing quote.
  let end: Int
  /// True if the string has a backslash; without one its bytes are its text.
  let hasEscape: Bool
}

// MARK: Decodes and encodes JSON strings: escapes, surrogate pairs, and lone surrogates

/// Decodes the inside of a JSON string that has been validated.
struct StringDecoder {
  /// Replacement for a surrogate escape without its other half.
  enum LoneSurrogate {
    /// U+FFFD, as text must be Unicode.
    case replaced
    /// Three bytes as for a scalar (WTF-8), so that different surrogates stay different.
    case kept
  }

  struct Decoded {
    var bytes: [UInt8]
    var hasLoneSurrogate = false
  }

  private let raw: UnsafeBufferPointer<UInt8>
  private let loneSurrogate: LoneSurrogate
  private var index = 0
  private var decoded: Decoded

  /// Decodes the inside of a string.
  ///
  /// - Parameter raw: the bytes between the quotes.
  static func decode(_ raw: UnsafeBufferPointer<UInt8>, loneSurrogate: LoneSurrogate = .replaced) -> Decoded {
    var decoder = StringDecoder(raw: raw, loneSurrogate: loneSurrogate)
    return decoder.run()
  }

  private init(raw: UnsafeBufferPointer<UInt8>, loneSurrogate: LoneSurrogate) {
    self.raw = raw
    self.loneSurrogate = loneSurrogate
    decoded = Decoded(bytes: [])
    decoded.bytes.reserveCapacity(raw.count)
  }

  private mutating func run() -> Decoded {
    while index < raw.count {
      let plainEnd = raw[index...].firstIndex(of: UInt8(ascii: "\\")) ?? raw.count
      decoded.bytes.append(contentsOf: raw[index..<plainEnd])
      index = plainEnd
      if index < raw.count { decodeEscape() }
    }
    return decoded
  }

  private mutating func decodeEscape() {
    guard index + 1 < raw.count else {
      index = raw.count
      return
    }
    let letter = raw[index + 1]
    guard letter == UInt8(ascii: "u") else {
      decoded.bytes.append(Self.control(letter))
      index += 2
      return
    }
    decodeUnicodeEscape()
  }

  /// Decodes a `\u` escape; a pair of surrogates is a scalar beyond U+FFFF (RFC 8259 §7).
  private mutating func decodeUnicodeEscape() {
    let unit = hexUnit(at: index)
    index = min(index + 6, raw.count)
    switch unit {
    case 0xD800...0xDBFF:
      if index + 1 < raw.count, raw[index] == UInt8(ascii: "\\"), raw[index + 1] == UInt8(ascii: "u"),
        case let low = hexUnit(at: index), 0xDC00...0xDFFF ~= low
      {
        index = min(index + 6, raw.count)
        append(scalar: 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      } else {
        appendLone(unit)
      }
    case 0xDC00...0xDFFF: appendLone(unit)
    default: append(scalar: unit)
    }
  }

  private mutating func appendLone(_ unit: UInt32) {
    decoded.hasLoneSurrogate = true
    append(scalar: loneSurrogate == .kept ? unit : 0xFFFD)
  }

  /// Appends a scalar as UTF-8; `Unicode.Scalar` would refuse the surrogates that `kept` needs.
  private mutating func append(scalar: UInt32) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift) & 0x3F) }
    func lead(_ mark: UInt32, _ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: mark | scalar >> shift) }
    switch scalar {
    case ..<0x80: decoded.bytes.append(lead(0, 0))
    case ..<0x800: decoded.bytes += [lead(0xC0, 6), tail(0)]
    case ..<0x10000: decoded.bytes += [lead(0xE0, 12), tail(6), tail(0)]
    default: decoded.bytes += [lead(0xF0, 18), tail(12), tail(6), tail(0)]
    }
  }

  /// Returns the value of the four hexadecimal digits of the `\u` escape at `start`.
  private func hexUnit(at start: Int) -> UInt32 {
    guard start + 6 <= raw.count else { return 0xFFFD }
    return raw[start + 2..<start + 6].reduce(0) { unit, digit in
      unit << 4 | UInt32(digit & 0x0F) + (digit > UInt8(ascii: "9") ? 9 : 0)
    }
  }

  private static func control(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }
}

extension String {
  /// This text as a JSON string with quotes; only `"`, `\`, and U+0000 to U+001F are escaped.
  package var quotedJSON: [UInt8] {
    var text = self
    return text.withUTF8 { bytes in
      var quoted: [UInt8] = []
      quoted.reserveCapacity(bytes.count + 2)
      quoted.append(UInt8(ascii: "\""))
      var rest = bytes[...]
      while let next = rest.firstIndex(where: Self.mustBeEscaped) {
        quoted += rest[..<next]
        quoted.append(UInt8(ascii: "\\"))
        quoted += Self.escape(of: bytes[next])
        rest = rest[(next + 1)...]
      }
      quoted += rest
      quoted.append(UInt8(ascii: "\""))
      return quoted
    }
  }

  private static func mustBeEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Returns the letters that follow the backslash.
  private static func escape(of byte: UInt8) -> [UInt8] {
    switch byte {
    case 0x08: return [UInt8(ascii: "b")]
    case 0x09: return [UInt8(ascii: "t")]
    case 0x0A: return [UInt8(ascii: "n")]
    case 0x0C: return [UInt8(ascii: "f")]
    case 0x0D: return [UInt8(ascii: "r")]
    case ..<0x20:
      let low = byte & 0x0F
      let digit = low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10
      return Array("u00".utf8) + [UInt8(ascii: "0") + byte >> 4, digit]
    default: return [byte]
    }
  }
}
