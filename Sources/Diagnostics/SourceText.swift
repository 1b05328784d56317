// A text that a person wrote, and places in it.

/// A text with the name people know it by (a path as it was given, or `<stdin>`).
///
/// Lines end with LF, CR LF or CR. A byte order mark at the start is no part of the first line and no column. Places
/// are found in logarithmic time, so that every template of a spec may ask for its own, even on one line of a megabyte.
package struct SourceText: Sendable {
  package let name: String
  package let bytes: [UInt8]

  /// Offset of each line's first byte, in order; never empty.
  private let lineStarts: [Int]
  /// How many scalars begin before each block of `blockSize` bytes.
  private let scalarsBeforeBlock: [Int]
  private static let blockSize = 512

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    var lineStarts = [bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0]
    var scalarsBeforeBlock: [Int] = []
    var scalars = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.blockSize == 0 { scalarsBeforeBlock.append(scalars) }
      if Self.beginsScalar(byte) { scalars += 1 }
      let isLineEnd = byte == 0x0A || (byte == 0x0D && !(offset + 1 < bytes.count && bytes[offset + 1] == 0x0A))
      if isLineEnd { lineStarts.append(offset + 1) }
    }
    self.lineStarts = lineStarts
    self.scalarsBeforeBlock = scalarsBeforeBlock
  }

  /// The place of a byte offset; one past the end is the place after the last scalar.
  package func place(at offset: Int) -> SourcePosition {
    let offset = min(max(offset, lineStarts[0]), bytes.count)
    let line = lineNumber(at: offset)
    return SourcePosition(line: line, column: scalars(before: offset) - scalars(before: lineStarts[line - 1]) + 1)
  }

  /// The text of a line (from 1) without its line end; nil past the end.
  package func line(_ number: Int) -> String? {
    lineRange(number).map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  /// The bytes of a line (from 1) without its line end; nil past the end.
  package func lineRange(_ number: Int) -> Range<Int>? {
    guard lineStarts.indices.contains(number - 1) else { return nil }
    let start = lineStarts[number - 1]
    var end = number < lineStarts.count ? lineStarts[number] : bytes.count
    if end > start, bytes[end - 1] == 0x0A { end -= 1 }
    if end > start, bytes[end - 1] == 0x0D { end -= 1 }
    return start..<end
  }

  /// The number of the last line that begins at or before the offset.
  private func lineNumber(at offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  private func scalars(before offset: Int) -> Int {
    guard !scalarsBeforeBlock.isEmpty else { return 0 }
    let block = min(offset / Self.blockSize, scalarsBeforeBlock.count - 1)
    let rest = bytes[block * Self.blockSize..<offset]
    return scalarsBeforeBlock[block] + rest.count(where: Self.beginsScalar)
  }

  private static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}
