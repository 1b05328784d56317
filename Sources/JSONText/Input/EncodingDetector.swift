// The first four bytes of an input: a byte order mark to skip, or an encoding that is not UTF-8.

/// Holds the first bytes back until it is clear what they are.
struct EncodingDetector: Sendable {
  private(set) var held: [UInt8] = []
  private(set) var isOver = false

  private static let length = 4

  /// Takes what it still needs. It is over when it has four bytes, or when fewer tell: who waits for an answer to `7` and a
  /// line feed says no more.
  mutating func take(_ chunk: UnsafeBufferPointer<UInt8>) {
    held += chunk.prefix(Self.length - held.count)
    isOver = held.count == Self.length || isClear
  }

  /// Whether more bytes would change nothing. A text in UTF-16 or UTF-32 has a mark or a NUL among its first two.
  private var isClear: Bool {
    held.count > 1 && !held.contains(0) && ![[0xEF, 0xBB], [0xFF, 0xFE]].contains(held)
  }

  /// Ends an input of fewer bytes.
  mutating func finish() {
    isOver = true
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The length of a UTF-8 byte order mark, which RFC 8259 §8.1 allows to ignore.
  var markLength: Int { held.first == Self.mark[0] && held.starts(with: Self.mark) ? Self.mark.count : 0 }

  /// Whether the input, which has ended, is the beginning of such a mark.
  var isCutMark: Bool { !held.isEmpty && held.count < Self.mark.count && Self.mark.starts(with: held) }

  /// The name of an encoding that is not UTF-8, by its mark, or by where NUL bytes stand among the first four
  /// (RFC 4627 §3: a JSON text begins with two ASCII characters; a lone digit or an empty string are longer in UTF-16).
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
