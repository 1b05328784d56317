// A few names that are looked for among the members of many records.

/// Names of members, numbered, as many lines are compared with them.
struct WantedNames: Sendable {
  enum Match {
    case none
    case number(Int)
    /// The name has an escape: what it stands for is not looked at here.
    case escaped
  }

  private(set) var texts: [[UInt8]] = []
  /// The first bytes of each.
  private var words: [NameWords] = []
  /// A bit for each length that a name has; the highest stands for all that are longer.
  private var lengths: UInt64 = 0

  /// The number of a name, which is wanted from now on.
  mutating func number(of name: [UInt8]) -> Int {
    if let number = texts.firstIndex(of: name) { return number }
    texts.append(name)
    words.append(NameWords(name))
    lengths |= Self.bit(for: name.count)
    return texts.count - 1
  }

  @inline(__always)
  private static func bit(for length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }

  /// - Parameter name: the range of a name, without quotes, in valid text.
  @inline(__always)
  func match(_ name: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Match {
    guard name.count <= NameWords.length, name.lowerBound &+ NameWords.length <= bytes.count,
      let base = bytes.baseAddress
    else { return match(long: UnsafeBufferPointer(rebasing: bytes[name])) }
    let found = NameWords(base + name.lowerBound, count: name.count)
    if found.hasBackslash { return .escaped }
    guard lengths & Self.bit(for: name.count) != 0 else { return .none }
    for number in words.indices where words[number] == found { return .number(number) }
    return .none
  }

  private func match(long name: UnsafeBufferPointer<UInt8>) -> Match {
    if name.contains(UInt8(ascii: "\\")) { return .escaped }
    return texts.firstIndex { $0.count == name.count && name.elementsEqual($0) }.map { .number($0) } ?? .none
  }
}

/// The first bytes of a name and its length, compared at once.
private struct NameWords: Equatable, Sendable {
  /// Names up to here are all in the words.
  static let length = 16

  private let low: UInt64
  private let high: UInt64
  private let count: Int

  init(_ name: [UInt8]) {
    let padded = name.prefix(Self.length) + Array(repeating: 0, count: max(0, Self.length - name.count))
    self = padded.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { NameWords($0, count: name.count) } ?? NameWords(low: 0, high: 0, count: 0)
    }
  }

  /// - Parameter text: at least 16 bytes.
  @inline(__always)
  init(_ text: UnsafePointer<UInt8>, count: Int) {
    let bytes = UnsafeRawPointer(text)
    // The bytes that don't count are shifted out at the top.
    let (first, second) = (min(count, 8), min(max(count &- 8, 0), 8))
    self.init(
      low: Self.kept(bytes.loadUnaligned(as: UInt64.self), first),
      high: Self.kept(bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self), second), count: count)
  }

  private init(low: UInt64, high: UInt64, count: Int) {
    (self.low, self.high, self.count) = (low, high, count)
  }

  @inline(__always)
  private static func kept(_ word: UInt64, _ count: Int) -> UInt64 {
    UInt64(littleEndian: word) & ~(~0 << UInt64(8 &* count))
  }

  @inline(__always)
  var hasBackslash: Bool { Self.hasBackslash(low) || Self.hasBackslash(high) }

  /// Whether one of its bytes is 0 once a backslash is taken out of each (Warren, "Hacker's Delight", 6-1).
  @inline(__always)
  private static func hasBackslash(_ word: UInt64) -> Bool {
    let bytes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return (bytes &- 0x0101_0101_0101_0101) & ~bytes & 0x8080_8080_8080_8080 != 0
  }
}
