// Where members of records are, found while the records are read: what is set, matched or copied later needs no second
// look.
//
// The walk knows of each colon at a record's own depth, and of each comma; here it is compared what stands before the
// colon. Only objects count that were walked from their first bracket to their line feed in one go, none of whose own
// names has an escape, and that have each wanted member at most once. All others take a closer look, as does whatever
// the portable pass read.

/// The colons and commas of a record's own depth in a part of a block, and what it takes to know their places.
struct MemberTokens {
  let colons: UInt64
  let commas: UInt64
  /// The part.
  let segment: UInt64
  let backslashes: UInt64
  /// Bytes of the block that stayed, and how many of the blocks before did.
  let kept: UInt64
  let written: Int

  @inline(__always)
  func place(of bit: UInt64) -> Int { written &+ bit.place(among: kept) }

  /// Colons behind names of some lengths that begin in this part, after a comma; or all colons, where there is white
  /// space elsewhere than behind commas and colons, or more of it. All at once, because a branch for each could not be
  /// foreseen.
  ///
  /// - Parameter lengths: a bit for each, without escapes; longer ones can't begin and end in a block.
  @inline(__always)
  func colons(behind lengths: UInt64) -> UInt64 {
    let dropped = ~kept & segment
    if dropped & ~((commas | colons) &<< 1) != 0 { return colons }
    let spaced = commas &<< 1 & dropped
    let quotes = (commas &<< 1 & ~dropped) | spaced &<< 1
    var found: UInt64 = 0
    var rest = lengths
    while rest != 0 {
      found |= quotes << UInt64(rest.trailingZeroBitCount &+ 2)
      rest &= rest &- 1
    }
    return colons & found
  }

  /// Whether a name that begins in this part has an escape: what comes after a backslash is a colon then, and no comma.
  @inline(__always)
  var hasEscapedName: Bool {
    // A bit added to a run of ones comes out behind it, however many there are.
    let others = ~(commas | colons)
    return (others &+ (backslashes & segment)) & colons != 0
  }
}

/// Finds members of records as the walk meets their punctuation.
struct MemberFinder: Sendable {
  /// A wanted name, as two words of its first bytes, the lowest first.
  private struct Name: Sendable {
    let text: [UInt8]
    let words: NameWords
  }

  private let names: [Name]
  /// A bit for each length that a name has; the highest stands for all that are longer.
  private let lengths: UInt64
  private var places: MemberPlaces
  /// The place in the current record's row for the end of the value that is being read; 0 where none is.
  private var open = 0
  /// Where the next name's quote stands.
  private var nameStart = 0
  private var recordEnd = 0
  /// Whether the current record was followed from its beginning, and needs no closer look so far.
  private(set) var isFollowing = false

  /// - Parameter names: texts that differ from each other.
  init?(_ names: [[UInt8]]) {
    guard !names.isEmpty else { return nil }
    self.names = names.map { Name(text: $0, words: NameWords($0)) }
    lengths = names.reduce(0) { $0 | Self.bit(for: $1.count) }
    places = MemberPlaces(names: names.count)
  }

  @inline(__always)
  private static func bit(for length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }

  /// Hands over what was found in records that are whole.
  mutating func take() -> MemberPlaces {
    // As much will probably be found next time.
    var found = MemberPlaces(names: names.count, room: places.room)
    swap(&found, &places)
    isFollowing = false
    return found
  }

  // MARK: What the walk meets

  /// The walk begins in the middle of something.
  mutating func lose() {
    isFollowing = false
  }

  @inline(__always)
  mutating func begin(at place: Int, isObject: Bool) {
    isFollowing = isObject
    guard isObject else { return }
    places.begin(at: place)
    nameStart = place &+ 1
    open = 0
  }

  /// A part of the record.
  ///
  /// - Parameter text: what was written, from the place 0 on; 16 bytes behind each place are readable.
  @inline(__always)
  mutating func see(_ tokens: MemberTokens, _ text: UnsafePointer<UInt8>) {
    let commas = tokens.commas
    if open != 0, commas != 0 { endValue(at: tokens.place(of: commas & (0 &- commas))) }
    var colons = tokens.colons
    if tokens.hasEscapedName { isFollowing = false }
    // Of a name that began before, nothing is known here.
    let first = colons & ((commas & (0 &- commas)) &- 1)
    colons = tokens.colons(behind: lengths) | first
    while colons != 0 {
      let colon = colons & (0 &- colons)
      let before = commas & (colon &- 1)
      colons &= colons &- 1
      if before != 0 { nameStart = tokens.place(of: Self.highest(before)) &+ 1 }
      guard beginValue(behindColonAt: tokens.place(of: colon), text) else { continue }
      let after = commas & ~(colon | (colon &- 1))
      if after != 0 { endValue(at: tokens.place(of: after & (0 &- after))) }
    }
    if commas != 0 { nameStart = tokens.place(of: Self.highest(commas)) &+ 1 }
  }

  @inline(__always)
  private static func highest(_ bits: UInt64) -> UInt64 { 1 &<< UInt64(63 &- bits.leadingZeroBitCount) }

  /// Whether the name before the colon is wanted.
  @inline(__always)
  private mutating func beginValue(behindColonAt place: Int, _ text: UnsafePointer<UInt8>) -> Bool {
    // Between quotes.
    let name = text + (nameStart &+ 1)
    let count = max(0, place &- nameStart &- 2)
    guard count <= NameWords.length else {
      return beginValue(behind: UnsafeBufferPointer(start: name, count: count), at: place &+ 1)
    }
    let words = NameWords(name, count: count)
    if words.hasBackslash { isFollowing = false }
    guard lengths & Self.bit(for: count) != 0 else { return false }
    for index in names.indices where names[index].words == words && names[index].text.count == count {
      beginValue(of: index, at: place &+ 1)
      return true
    }
    return false
  }

  /// Behind a long name.
  private mutating func beginValue(behind name: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    if name.contains(UInt8(ascii: "\\")) { isFollowing = false }
    guard lengths & Self.bit(for: name.count) != 0 else { return false }
    guard let index = names.firstIndex(where: { name.elementsEqual($0.text) }) else { return false }
    beginValue(of: index, at: place)
    return true
  }

  @inline(__always)
  private mutating func beginValue(of index: Int, at place: Int) {
    if places[MemberPlaces.value(index)] != 0 { isFollowing = false }
    places[MemberPlaces.value(index)] = place
    open = MemberPlaces.value(index) &+ 1
  }

  @inline(__always)
  private mutating func endValue(at place: Int) {
    guard open != 0 else { return }
    places[open] = place
    open = 0
  }

  /// The record's closing bracket.
  @inline(__always)
  mutating func end(at place: Int) {
    guard isFollowing else { return }
    endValue(at: place)
    recordEnd = place
  }

  /// The record is whole.
  @inline(__always)
  mutating func cut() {
    if isFollowing { places.keep(endingAt: recordEnd) }
    isFollowing = false
  }
}

extension UInt64 {
  /// How many of the bits stand before this one, or, if it is none, how many they are. Mostly all of them are set, and
  /// counting takes a dozen instructions where it can't be one.
  @inline(__always)
  func place(among bits: UInt64) -> Int {
    bits == ~0 ? trailingZeroBitCount : (bits & (self &- 1)).nonzeroBitCount
  }
}

/// The first bytes of a name, compared at once.
struct NameWords: Equatable, Sendable {
  /// Names up to here are all in the words.
  static let length = 16

  private let low: UInt64
  private let high: UInt64

  init(_ name: [UInt8]) {
    let padded = name.prefix(Self.length) + Array(repeating: 0, count: max(0, Self.length - name.count))
    self = padded.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { NameWords($0, count: min(name.count, Self.length)) } ?? NameWords(low: 0, high: 0)
    }
  }

  /// - Parameters:
  ///   - text: at least 16 bytes.
  ///   - count: how many of them count.
  @inline(__always)
  init(_ text: UnsafePointer<UInt8>, count: Int) {
    let bytes = UnsafeRawPointer(text)
    // The bytes that don't count are shifted out at the top.
    let (first, second) = (min(count, 8), max(count &- 8, 0))
    low = Self.kept(bytes.loadUnaligned(as: UInt64.self), first)
    high = Self.kept(bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self), second)
  }

  private init(low: UInt64, high: UInt64) {
    (self.low, self.high) = (low, high)
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
