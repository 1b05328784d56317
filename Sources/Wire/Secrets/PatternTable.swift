// Search for many byte strings at once.

/// Byte strings that are found by their first four bytes; a space and `+` are equal (form encoding).
struct PatternTable: Sendable {
  /// Bit set for each byte: at which of the first four positions some pattern has the byte.
  private var places = [UInt8](repeating: 0, count: 256)
  /// Patterns by their first four bytes, the longest first.
  private var byStart: [UInt32: [[UInt8]]] = [:]
  private var longest = 0

  var isEmpty: Bool { byStart.isEmpty }

  mutating func insert(_ bytes: [UInt8]) {
    let pattern = bytes.map(Self.folded)
    guard pattern.count >= 4, case let start = Self.start(of: pattern, at: 0), byStart[start]?.contains(pattern) != true
    else { return }
    for place in 0..<4 { places[Int(pattern[place])] |= 1 << place }
    places[Int(UInt8(ascii: " "))] = places[Int(UInt8(ascii: "+"))]
    longest = max(longest, pattern.count)
    byStart[start, default: []].append(pattern)
    byStart[start]?.sort { $0.count > $1.count }
  }

  /// Returns the matches as ranges of the original text.
  func matches(in text: DecodedText) -> [Range<Int>] {
    let bytes = text.bytes
    var found: [Range<Int>] = []
    for index in 0..<max(0, bytes.count - 3) where mayBegin(bytes, at: index) {
      guard let candidates = byStart[Self.start(of: bytes, at: index)] else { continue }
      let rest = bytes[index...].lazy.map(Self.folded)
      guard let pattern = candidates.first(where: { rest.starts(with: $0) }) else { continue }
      found.append(text.original(index..<(index + pattern.count)))
    }
    return found
  }

  /// Returns the range at the end of a text that is the beginning of a pattern, at least four bytes long.
  func beginning(atEndOf bytes: [UInt8]) -> Range<Int>? {
    let first = max(0, bytes.count - longest)
    for index in first..<max(first, bytes.count - 3) where mayBegin(bytes, at: index) {
      let rest = bytes[index...].map(Self.folded)
      if byStart[Self.start(of: bytes, at: index)]?.contains(where: { $0.starts(with: rest) }) == true {
        return index..<bytes.count
      }
    }
    return nil
  }

  /// Reports that a text begins with the end of a pattern (at least four bytes), or is a part of one.
  func isCut(atStartOf bytes: [UInt8]) -> Bool {
    let bytes = bytes.map(Self.folded)
    return bytes.count >= 4
      && byStart.values.joined().contains { pattern in
        (0...(pattern.count - 4)).contains { start in
          let rest = pattern[start...]
          return rest.count < bytes.count ? bytes.starts(with: rest) : rest.starts(with: bytes)
        }
      }
  }

  private func mayBegin(_ bytes: [UInt8], at index: Int) -> Bool {
    places[Int(bytes[index])] & 1 != 0 && places[Int(bytes[index + 1])] & 2 != 0
      && places[Int(bytes[index + 2])] & 4 != 0 && places[Int(bytes[index + 3])] & 8 != 0
  }

  private static func folded(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: " ") ? UInt8(ascii: "+") : byte }

  private static func start(of bytes: [UInt8], at index: Int) -> UInt32 {
    (index..<(index + 4)).reduce(0) { $0 << 8 | UInt32(folded(bytes[$1])) }
  }
}
