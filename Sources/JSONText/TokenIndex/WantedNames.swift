// A few names that are searched among the members of many records.

/// Numbered names of members, for fast comparison with many lines.
package struct WantedNames: Sendable {
  package enum Match {
    case none
    case number(Int)
    /// The name has an escape; its decoded text is not compared here.
    case escaped
  }

  private(set) var texts: [[UInt8]] = []
  /// First bytes of each name.
  private var words: [NameWords] = []
  /// One bit for each length of a name; the highest bit covers all longer names.
  private var lengths: UInt64 = 0
  /// Bits for the lengths that a name may have as it is spelled, with escapes or without.
  private var writtenLengths: UInt64 = 0
  /// Hash table with open addressing, at most half full: the number of a name, or -1.
  private var buckets: [Int] = [-1, -1]

  /// Creates a table of distinct names, numbered from 0.
  package init(_ names: [String] = []) {
    for name in names { _ = number(of: Array(name.utf8)) }
  }

  /// Returns the number of a name, and adds the name if it is new.
  mutating func number(of name: [UInt8]) -> Int {
    if let number = known(name) { return number }
    texts.append(name)
    words.append(NameWords(name))
    lengths |= Self.bit(for: name.count)
    writtenLengths |= Self.bits(forSpellingsOf: name)
    if texts.count * 2 > buckets.count {
      buckets = Array(repeating: -1, count: buckets.count * 2)
      for number in words.indices { insert(number) }
    } else {
      insert(texts.count - 1)
    }
    return texts.count - 1
  }

  /// The number of a name, if it is wanted.
  package func known(_ name: String) -> Int? { known(Array(name.utf8)) }

  private func known(_ name: [UInt8]) -> Int? {
    let found = NameWords(name)
    var bucket = found.hash & (buckets.count - 1)
    while case let number = buckets[bucket], number >= 0 {
      if words[number] == found, texts[number] == name { return number }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    return nil
  }

  /// Number of names that begin in a bucket of their own.
  var spread: Int { Set(words.map { $0.hash & (buckets.count - 1) }).count }

  private mutating func insert(_ number: Int) {
    var bucket = words[number].hash & (buckets.count - 1)
    while buckets[bucket] >= 0, buckets[bucket] != number { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = number
  }

  @inline(__always)
  private static func bit(for length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }

  /// Returns bits for the lengths of all JSON spellings of a name.
  ///
  /// An escape of a letter or a digit has six bytes (`\u0061`). Other escapes are less simple, and only make the text
  /// longer.
  private static func bits(forSpellingsOf name: [UInt8]) -> UInt64 {
    let isSimple = name.allSatisfy { $0 > 0x20 && $0 < 0x7F && ![quote, slash, backslash].contains($0) }
    guard isSimple else { return ~0 &<< UInt64(min(name.count, 63)) }
    return (0...name.count).reduce(0) { $0 | bit(for: name.count + 5 * $1) }
  }

  private static let (quote, slash, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"))

  /// Returns false if no name of this length, as it is spelled, can be wanted.
  @inline(__always)
  func mayHave(_ length: Int) -> Bool { writtenLengths & Self.bit(for: length) != 0 }

  /// Compares a name with the table.
  ///
  /// No escape is searched in a name that can't be wanted.
  ///
  /// - Parameter name: range of a name, without quotes, in valid text.
  @inline(__always)
  func match(_ name: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Match {
    guard mayHave(name.count) else { return .none }
    guard name.lowerBound &+ NameWords.length <= bytes.count, let base = bytes.baseAddress else {
      return match(last: name, in: bytes)
    }
    let start = base + name.lowerBound
    guard name.count <= NameWords.length else {
      return match(long: UnsafeBufferPointer(start: start, count: name.count))
    }
    if SIMDScan.backslash(SIMDScan.block(start)).firstLane < name.count { return .escaped }
    guard lengths & Self.bit(for: name.count) != 0 else { return .none }
    let found = NameWords(start, count: name.count)
    if words.count == 1 { return words[0] == found ? .number(0) : .none }
    var bucket = found.hash & (buckets.count &- 1)
    while case let number = buckets[bucket], number >= 0 {
      if words[number] == found { return .number(number) }
      bucket = (bucket &+ 1) & (buckets.count &- 1)
    }
    return .none
  }

  /// Matches a name longer than 16 bytes: only names of equal length and beginning are compared.
  private func match(long name: UnsafeBufferPointer<UInt8>) -> Match {
    guard let start = name.baseAddress, !name.contains(UInt8(ascii: "\\")) else { return .escaped }
    guard lengths & Self.bit(for: name.count) != 0 else { return .none }
    let found = NameWords(start, count: name.count)
    var bucket = found.hash & (buckets.count &- 1)
    while case let number = buckets[bucket], number >= 0 {
      if words[number] == found, name.elementsEqual(texts[number]) { return .number(number) }
      bucket = (bucket &+ 1) & (buckets.count &- 1)
    }
    return .none
  }

  /// Matches the last name of a text, after which there are too few bytes to load a block.
  private func match(last name: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Match {
    let name = UnsafeBufferPointer(rebasing: bytes[name])
    if name.contains(UInt8(ascii: "\\")) { return .escaped }
    guard lengths & Self.bit(for: name.count) != 0 else { return .none }
    return texts.firstIndex { $0.count == name.count && name.elementsEqual($0) }.map { .number($0) } ?? .none
  }
}

/// First bytes of a name and its length, compared at once.
private struct NameWords: Equatable, Sendable {
  /// Longest name whose bytes are all in the words.
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

  /// Loads the words of a name.
  ///
  /// - Parameter text: at least 16 bytes.
  @inline(__always)
  init(_ text: UnsafePointer<UInt8>, count: Int) {
    let bytes = UnsafeRawPointer(text)
    // The bytes past the name are masked out at the top.
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

  /// Hash that depends on all bits in its lowest bits.
  ///
  /// A bit of a product does not depend on higher bits of the factors, so the higher half is folded down between two
  /// products.
  @inline(__always)
  var hash: Int {
    var mixed = (low ^ (high &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(truncatingIfNeeded: count)) &* 0xBF58_476D_1CE4_E5B9
    mixed ^= mixed &>> 32
    return Int(truncatingIfNeeded: (mixed &* 0x94D0_49BB_1331_11EB) &>> 40)
  }
}
