// Where the tokens of records stand, written down while the records are read: who looks for members of them later goes
// from token to token, and needs no second look at what is between.
//
// The first stage knows brackets, commas and colons as bits, and which bytes come out; `CJSONText` (its `Places.h`) makes
// numbers of the bits when the walk is through with a window, and knows what stands too deep to be of use. What the
// portable pass reads, it writes down token by token. Only of records that are very long none are known: those take a closer
// look, as do records that were made here.

import CJSONText

/// The places of brackets, commas and colons in lines, down to some depth, in their order; perhaps also of line feeds.
/// Tokens go by their numbers.
///
/// A record either has all of its places here, or not that of its first bracket. Of brackets both are there, or none.
package struct TokenIndex: Sendable {
  /// How many brackets are open around the deepest tokens: 1 for members of the record itself.
  package let depth: Int
  /// Room, all of it: what lies behind `count` means nothing.
  private var room: [UInt32]
  private var count = 0
  /// What a place is counted from, and the numbers from which on all are by `span` further than they say.
  private var base = 0
  private var turns: [Int] = []
  private let span: Int

  /// None at all, or none so far.
  package init(depth: Int = 0) {
    self.init(depth: depth, [])
  }

  /// - Parameter span: another one than that of the words only for tests.
  init(depth: Int, _ places: ArraySlice<UInt32> = [], span: Int = 1 << 32) {
    self.depth = depth
    self.span = span
    room = Array(places)
    count = places.count
  }

  /// So many that mean nothing yet. (Of no room all empty arrays share one, and its count is written by whoever makes it.)
  private static func numbers(_ count: Int) -> [UInt32] {
    count == 0 ? [] : [UInt32](unsafeUninitializedCapacity: count) { $1 = count }
  }

  private mutating func grow(to least: Int) {
    var larger = Self.numbers(max(least, room.count * 2, 64))
    larger.withUnsafeMutableBufferPointer { larger in
      room.withUnsafeBufferPointer { _ = larger.update(fromContentsOf: $0[..<count]) }
    }
    room = larger
  }

  package var isEmpty: Bool { count == 0 }

  /// What it takes of memory, in bytes.
  package var size: Int { 4 * room.count }

  // MARK: Of the walk

  /// Adds the places in the first blocks of a window.
  ///
  /// - Parameter start: where the scan's output begins.
  mutating func add(from masks: UnsafePointer<UInt64>, _ blocks: Int, _ kernel: CInt, behind start: Int) {
    assert(blocks <= CJSONWindow && start <= UInt32.max)
    if room.count < count + Self.mostInWindow { grow(to: count + Self.mostInWindow) }
    room.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return }
      count += cjson_places(kernel, masks, blocks, UInt32(truncatingIfNeeded: start), base + count)
      assert(count + CJSONPlacesSlack <= room.count)
    }
  }

  /// As many places as are written at once: each byte may be a token, and the last register is written whole.
  private static let mostInWindow = CJSONWindow * 64 + CJSONPlacesSlack

  /// Leaves out those from a place on.
  mutating func remove(from place: Int) {
    while count > 0, Int(room[count - 1]) >= place { count -= 1 }
  }

  /// Of a record that is not whole, so many are kept at most.
  private static let mostKept = 1 << 20

  /// Hands over what is known of lines that are taken; what comes behind them is counted from there.
  mutating func take(of lines: [UInt8]) -> TokenIndex {
    assert(base == 0 && turns.isEmpty, "these places are of one record, not of a scan")
    guard !lines.isEmpty else {
      if count > Self.mostKept { remove(from: 0) }
      return TokenIndex(depth: depth)
    }
    let all = count
    remove(from: lines.count)
    let taken = TokenIndex(depth: depth, room[..<count])
    let rest = all - count <= Self.mostKept ? count..<all : 0..<0
    count = 0
    for number in rest { add(Int(room[number]) - lines.count) }
    return taken
  }

  // MARK: Of one record

  /// Forgets all places, and begins with those of one record.
  package mutating func begin(at place: Int) {
    base = place
    count = 0
    if !turns.isEmpty { turns = [] }
  }

  /// Adds the place of the next token, which is deep enough.
  package mutating func add(_ place: Int) {
    if count == room.count { grow(to: count + 1) }
    while place - base >= span * (turns.count + 1) { turns.append(count) }
    room[count] = UInt32(truncatingIfNeeded: place - base - span * turns.count)
    count += 1
  }

  /// Adds tokens of another record, at other places.
  package mutating func add(
    _ numbers: Range<Int>, of other: TokenIndex, movedBy distance: Int, in lines: [UInt8]
  ) {
    other.withText(lines) { text in
      for number in numbers { add(text.place(number) + distance) }
    }
  }

  /// Adds all tokens of other lines, which come behind those before.
  package mutating func add(_ other: TokenIndex, movedBy distance: Int) {
    add(0..<other.count, of: other, movedBy: distance, in: [])
  }

  /// A closer look at the record that begins there: its tokens instead of any others.
  package mutating func look(at start: Int, in lines: [UInt8]) {
    begin(at: start)
    lines.withUnsafeBufferPointer { bytes in
      CompactText(bytes: bytes).forEachToken(from: start) { place, open in
        if open <= depth { add(place) }
      }
    }
  }

  // MARK: What it leads to

  /// The text that it is about, with the places in it.
  func withText<Result>(_ lines: [UInt8], _ body: (TokenIndexedText) -> Result) -> Result {
    lines.withUnsafeBufferPointer { withText($0, from: 0, body) }
  }

  /// A part of the text; places are those in the part.
  func withText<Result>(_ lines: ArraySlice<UInt8>, _ body: (TokenIndexedText) -> Result) -> Result {
    lines.withUnsafeBufferPointer { withText($0, from: lines.startIndex, body) }
  }

  private func withText<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ body: (TokenIndexedText) -> Result
  ) -> Result {
    room.withUnsafeBufferPointer { places in
      turns.withUnsafeBufferPointer { turns in
        let places = UnsafeBufferPointer(rebasing: places[..<count])
        return body(TokenIndexedText(bytes: bytes, places: places, base: base - start, turns: turns, span: span))
      }
    }
  }

  /// All places.
  package func places(in lines: [UInt8]) -> [Int] {
    withText(lines) { text in (0..<count).map { text.place($0) } }
  }

  /// The number of the first token that is at a place or behind it. (By halves; places are in order.)
  func number(behind place: Int) -> Int {
    withText([]) { text in
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if text.place(middle) < place { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// The number of the first bracket of the record that begins there; nil where it is not known.
  ///
  /// - Parameter number: from which on it is looked for; from which on it will be, afterwards.
  package func opening(ofRecordAt start: Int, from number: inout Int) -> Int? {
    withText([]) { $0.opening(ofRecordAt: start, from: &number) }
  }

  /// Tells of the members of an object that are wanted, or have a name with an escape. Gives the number of its last bracket.
  package func forEachMember(
    openedBy opening: Int, of lines: [UInt8], in names: WantedNames,
    _ body: (TokenIndexedMember, WantedNames.Match) -> Void
  ) -> Int {
    withText(lines) { text in
      // An object without members has its last bracket behind the first one.
      var number = text.token(opening + 1) == UInt8(ascii: "}") ? opening + 1 : opening
      while let member = text.member(behind: number) {
        number = member.end
        let match = names.match(member.name.lowerBound &+ 1..<member.name.upperBound &- 1, in: text.bytes)
        if case .none = match { continue }
        body(member, match)
      }
      return number
    }
  }

  /// The number of the token that ends a value, which begins behind the token of that number.
  package func end(ofValueBehind number: Int, in lines: [UInt8]) -> Int {
    withText(lines) { $0.end(ofValueBehind: number) }
  }

  /// Where the token stands; the end of the text behind the last one.
  package func place(_ number: Int, in lines: [UInt8]) -> Int {
    withText(lines) { number < count ? $0.place(number) : lines.count }
  }

  /// Tells of the names in a record at every depth, which all are known, each with its quotes and the number of its colon.
  /// Gives the number of the record's last bracket.
  package func forEachName(
    inRecord opening: Int, of lines: [UInt8], _ body: (_ name: Range<Int>, _ colon: Int) -> Void
  ) -> Int {
    withText(lines) { text in
      let closing = text.end(ofValueBehind: opening - 1) - 1
      for number in opening..<closing where text.token(number) == UInt8(ascii: ":") {
        body(text.place(number - 1) + 1..<text.place(number), number)
      }
      return closing
    }
  }
}

extension CompactText {
  /// Tells of each token of the record that begins there, and of how many brackets are open around it, itself included,
  /// up to its last bracket. A scalar has none.
  fileprivate func forEachToken(from start: Int, _ body: (_ place: Int, _ open: Int) -> Void) {
    var place = start
    var open = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""):
        place = string(at: place).end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open += 1
        body(place, open)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        body(place, open)
        open -= 1
        if open == 0 { return }
      case UInt8(ascii: ","), UInt8(ascii: ":"): body(place, open)
      case 0x0A: return
      default: break
      }
      place += 1
    }
  }
}
