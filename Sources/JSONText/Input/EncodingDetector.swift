// The first four bytes of an input: a byte order mark to skip, or an encoding that is not UTF-8.

/// Holds back the first bytes until the encoding is clear.
struct EncodingDetector: Sendable {
  private(set) var held: [UInt8] = []
  private(set) var isOver = false

  private static let length = 4

  /// Takes the bytes that are still needed.
  ///
  /// Detection ends at four bytes, or earlier if fewer are clear. A peer that waits for a reply to `7` and a line feed
  /// sends no more.
  mutating func take(_ chunk: UnsafeBufferPointer<UInt8>) {
    held += chunk.prefix(Self.length - held.count)
    isOver = held.count == Self.length || isClear
  }

  /// True if more bytes would change nothing: UTF-16 and UTF-32 have a mark or a NUL in their first two bytes.
  private var isClear: Bool {
    held.count > 1 && !held.contains(0) && ![[0xEF, 0xBB], [0xFF, 0xFE]].contains(held)
  }

  /// Ends an input of fewer than four bytes.
  mutating func finish() {
    isOver = true
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Length of the UTF-8 byte order mark, or 0; RFC 8259 §8.1 allows parsers to ignore the mark.
  var markLength: Int { held.first == Self.mark[0] && held.starts(with: Self.mark) ? Self.mark.count : 0 }

  /// True if the whole input is a beginning of the byte order mark.
  var isCutMark: Bool { !held.isEmpty && held.count < Self.mark.count && Self.mark.starts(with: held) }

  /// Name of an encoding that is not UTF-8, found by its mark or by the NUL bytes among the first four.
  ///
  /// A JSON text begins with two ASCII characters (RFC 4627 §3); in UTF-16, even a lone digit or an empty string is
  /// longer.
  var wrongEncoding: String? {
    guard held.contains(where: { $0 == 0 || $0 >= 0xFE }) else { return nil }
    let isNUL = held.map { $0 == 0 }
    if held == [0, 0, 0xFE, 0xFF] || isNUL == [true, true, true, false] { return "UTF-32BE" }
    if held == [0xFF, 0xFE, 0, 0] || isNUL == [false, true, true, true] { return "UTF-32LE" }
    if held.starts(with: [0xFE, 0xFF]) || isNUL.starts(with: [true, false]) { return "UTF-16BE" }
    if held.starts(with: [0xFF, 0xFE]) || isNUL.starts(with: [false, true]) { return "UTF-16LE" }
    return nil
  }
}
