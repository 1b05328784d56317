// Classes of single bytes.

enum Bytes {
  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always)
  static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }

  /// True for a letter that may follow a backslash (RFC 8259 §7), except `u`.
  @inline(__always)
  static func isEscapeLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      true
    default: false
    }
  }
}

/// Non-ASCII scalar that is being read (Unicode 16, table 3-7: well-formed UTF-8 byte sequences).
///
/// Only the second byte's range depends on the first. It excludes overlong forms, surrogates, and values above
/// U+10FFFF.
struct UTF8Sequence: Sendable {
  /// Number of bytes read, the first included.
  private(set) var read = 0
  private var length = 0
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  init() {}

  /// Starts a sequence; nil if the byte begins none.
  init?(lead: UInt8) {
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return nil
    }
    read = 1
    switch lead {
    case 0xE0: allowed = 0xA0...0xBF
    case 0xED: allowed = 0x80...0x9F
    case 0xF0: allowed = 0x90...0xBF
    case 0xF4: allowed = 0x80...0x8F
    default: break
    }
  }

  /// Takes the next byte if it is allowed next.
  mutating func accepts(_ byte: UInt8) -> Bool {
    guard allowed ~= byte else { return false }
    allowed = 0x80...0xBF
    read += 1
    return true
  }

  var isWhole: Bool { read == length }

  /// Returns the length of the well-formed sequence at the start of the bytes, or 0.
  static func length(_ bytes: ArraySlice<UInt8>) -> Int {
    guard let lead = bytes.first, lead >= 0x80 else { return min(bytes.count, 1) }
    guard var sequence = UTF8Sequence(lead: lead) else { return 0 }
    for byte in bytes.prefix(4).dropFirst() where !sequence.isWhole {
      guard sequence.accepts(byte) else { return 0 }
    }
    return sequence.isWhole ? sequence.read : 0
  }
}

/// Appends bytes at an address, without bounds checks; there must be space for them and for `slack` more.
struct UncheckedWriter {
  /// Number of bytes that a block store may write past a short piece.
  static let slack = 2 * SIMDScan.stride

  var position: UnsafeMutablePointer<UInt8>

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    position.pointee = byte
    position += 1
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    position.update(from: base, count: bytes.count)
    position += bytes.count
  }

  @inline(__always)
  mutating func put(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { put($0) }
  }

  /// Appends a range of bytes, which is usually short.
  @inline(__always)
  mutating func put(_ range: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    let start = base + range.lowerBound
    if range.count <= Self.slack, range.lowerBound + Self.slack <= bytes.count {
      SIMDScan.store(SIMDScan.block(start), position)
      SIMDScan.store(SIMDScan.block(start + SIMDScan.stride), position + SIMDScan.stride)
    } else {
      position.update(from: start, count: range.count)
    }
    position += range.count
  }
}
