// Just enough gzip (RFC 1952, RFC 1951) to answer with, without a library.

/// A gzip file of these bytes, in stored blocks (RFC 1951 §3.2.4): valid, and not smaller than they are.
package func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var deflated: [UInt8] = []
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(0xffff)
    rest = rest.dropFirst(block.count)
    let length = UInt16(block.count)
    deflated += [rest.isEmpty ? 1 : 0] + littleEndian(length) + littleEndian(~length)
    deflated += block
  } while !rest.isEmpty
  return gzipMember(deflated, checksum: crc32(bytes), count: bytes.count)
}

/// A gzip file of one byte many times, about 160 times smaller than what comes out: a gzip bomb.
package func gzip(repeating byte: UInt8, count: Int) -> [UInt8] {
  // One block of fixed Huffman codes (RFC 1951 §3.2.6): the byte, then "258 bytes from 1 byte back" again and again,
  // then single bytes.
  var bits = BitWriter()
  bits.write(0b1, count: 1)
  bits.write(0b01, count: 2)
  for _ in 0..<min(count, 1) { bits.writeLiteral(byte) }
  let runs = max(0, count - 1) / 258
  for _ in 0..<runs {
    bits.writeCode(0b1100_0101, count: 8)
    bits.writeCode(0, count: 5)
  }
  for _ in 0..<(max(0, count - 1) % 258) { bits.writeLiteral(byte) }
  bits.writeCode(0, count: 7)
  return gzipMember(bits.finished(), checksum: crc32(repeatElement(byte, count: count)), count: count)
}

private func gzipMember(_ deflated: [UInt8], checksum: UInt32, count: Int) -> [UInt8] {
  [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255] + deflated + littleEndian(checksum)
    + littleEndian(UInt32(truncatingIfNeeded: count))
}

private func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
}

private let crcTable: [UInt32] = (0..<256).map { index in
  (0..<8).reduce(UInt32(index)) { crc, _ in crc & 1 == 1 ? 0xedb8_8320 ^ (crc >> 1) : crc >> 1 }
}

private func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
  // A plain loop over plain memory: without optimisation anything else takes seconds for a few megabytes.
  crcTable.withUnsafeBufferPointer { table in
    var crc = ~UInt32(0)
    for byte in bytes { crc = table[Int((crc ^ UInt32(byte)) & 0xff)] ^ (crc >> 8) }
    return ~crc
  }
}

/// Bits packed from the least significant end of each byte (RFC 1951 §3.1.1).
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var pending: UInt32 = 0
  private var pendingCount = 0

  mutating func write(_ bits: UInt32, count: Int) {
    pending |= bits << UInt32(pendingCount)
    pendingCount += count
    while pendingCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      pendingCount -= 8
    }
  }

  /// Huffman codes go in with their most significant bit first.
  mutating func writeCode(_ code: UInt32, count: Int) {
    for shift in (0..<UInt32(count)).reversed() { write((code >> shift) & 1, count: 1) }
  }

  mutating func writeLiteral(_ byte: UInt8) {
    if byte < 144 {
      writeCode(0b0011_0000 + UInt32(byte), count: 8)
    } else {
      writeCode(0b1_1001_0000 + UInt32(byte) - 144, count: 9)
    }
  }

  func finished() -> [UInt8] {
    pendingCount == 0 ? bytes : bytes + [UInt8(truncatingIfNeeded: pending)]
  }
}
