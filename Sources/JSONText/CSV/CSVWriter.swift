/// Appends records to a `CSVOutput`, which provides the memory.
struct CSVWriter {
  private let base: UnsafeMutablePointer<UInt8>
  var bytes: UncheckedWriter
  /// Number of bytes in whole lines.
  private(set) var complete: Int
  private(set) var recordCount: Int

  init(base: UnsafeMutablePointer<UInt8>, filled: Int, complete: Int, recordCount: Int) {
    self.base = base
    bytes = UncheckedWriter(place: base + filled)
    (self.complete, self.recordCount) = (complete, recordCount)
  }

  /// Number of bytes written, with those before.
  var filled: Int { bytes.place - base }

  /// The incomplete line.
  var line: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base + complete, count: filled - complete) }

  mutating func removeLine() {
    bytes.place = base + complete
  }

  /// Ends a record.
  @inline(__always)
  mutating func endLine() {
    bytes.put(0x0A)
    complete = filled
    recordCount &+= 1
  }

  /// Writes an ASCII byte that a JSON string must escape (RFC 8259 §7).
  mutating func putEscape(of byte: UInt8) {
    bytes.put(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: bytes.put(byte)
    case 0x0A: bytes.put(UInt8(ascii: "n"))
    case 0x0D: bytes.put(UInt8(ascii: "r"))
    case 0x09: bytes.put(UInt8(ascii: "t"))
    default:
      for letter in "u00".utf8 { bytes.put(letter) }
      bytes.put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let low = byte & 0x0F
      bytes.put(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
  }
}
