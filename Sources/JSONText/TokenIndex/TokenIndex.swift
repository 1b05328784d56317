// The token index has the offsets of records' tokens, collected while the records are read. A later search for members
// goes from token to token, and never reads the bytes between them.
//
// The first stage has brackets, commas and colons as bits, and knows which bytes are in the output. `CJSONText` (its
// `Places.h`) converts the bits to offsets after the walk of a window, and leaves out tokens that are too deep. The
// portable pass adds its tokens one by one. Very long records, and records made in this process, have no index; they
// are scanned.

import CJSONText

/// Ordered offsets of brackets, commas and colons in lines, down to some depth, perhaps also of line feeds.
///
/// Tokens are numbered in this order. A record has either all of its tokens in the index, or not even its first
/// bracket. Brackets are in the index in pairs only.
package struct TokenIndex: Sendable {
  /// Number of brackets open around the deepest tokens; 1 for members of the record itself.
  package let depth: Int
  /// Allocated offsets; entries after `count` are undefined.
  private var room: [UInt32]
  private var count = 0
  /// Offset that is added to every entry.
  ///
  /// `turns` has the token numbers from which on each entry is higher by `span`.
  private var base = 0
  private var turns: [Int] = []
  private let span: Int

  /// Creates an empty index.
  package init(depth: Int = 0) {
    self.init(depth: depth, [])
  }

  /// Creates an index of these offsets.
  ///
  /// - Parameter span: a span other than that of 32 bits, for tests only.
  init(depth: Int, _ offsets: ArraySlice<UInt32> = [], span: Int = 1 << 32) {
    self.depth = depth
    self.span = span
    room = Array(offsets)
    count = offsets.count
  }

  /// Returns undefined offsets.
  ///
  /// A count of 0 gives `[]`: all empty arrays share one storage, and the initializer would write into it.
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

  /// Memory of the index, in bytes.
  package var size: Int { 4 * room.count }

  // MARK: For the walk

  /// Adds the tokens in the first blocks of a window.
  ///
  /// - Parameter start: offset of the scan's output.
  mutating func add(from masks: UnsafePointer<UInt64>, _ blocks: Int, _ kernel: CInt, after start: Int) {
    assert(blocks <= CJSONWindow && start <= UInt32.max)
    if room.count < count + Self.mostInWindow { grow(to: count + Self.mostInWindow) }
    room.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return }
      count += cjson_places(kernel, masks, blocks, UInt32(truncatingIfNeeded: start), base + count)
      assert(count + CJSONPlacesSlack <= room.count)
    }
  }

  /// Most entries that one call writes: each byte may be a token, and the last register is written whole.
  private static let mostInWindow = CJSONWindow * 64 + CJSONPlacesSlack

  /// Removes the tokens from an offset on.
  mutating func remove(from offset: Int) {
    while count > 0, Int(room[count - 1]) >= offset { count -= 1 }
  }

  /// Most tokens that are kept of an incomplete record.
  private static let mostKept = 1 << 20

  /// Returns the index of the lines that are taken; offsets of later tokens are then relative to the lines' end.
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

  // MARK: For one record

  /// Removes all tokens, and starts the index of one record.
  package mutating func begin(at offset: Int) {
    base = offset
    count = 0
    if !turns.isEmpty { turns = [] }
  }

  /// Adds the offset of the next token, which must not be too deep.
  package mutating func add(_ offset: Int) {
    if count == room.count { grow(to: count + 1) }
    while offset - base >= span * (turns.count + 1) { turns.append(count) }
    room[count] = UInt32(truncatingIfNeeded: offset - base - span * turns.count)
    count += 1
  }

  /// Adds tokens of another record, at moved offsets.
  package mutating func add(
    _ numbers: Range<Int>, of other: TokenIndex, movedBy distance: Int, in lines: [UInt8]
  ) {
    other.withText(lines) { text in
      for number in numbers { add(text.offset(number) + distance) }
    }
  }

  /// Adds all tokens of other lines, which follow the lines before.
  package mutating func add(_ other: TokenIndex, movedBy distance: Int) {
    add(0..<other.count, of: other, movedBy: distance, in: [])
  }

  /// Replaces all tokens by those of the record at `start`, found by a scan.
  package mutating func look(at start: Int, in lines: [UInt8]) {
    begin(at: start)
    lines.withUnsafeBufferPointer { bytes in
      CompactText(bytes: bytes).forEachToken(from: start) { offset, open in
        if open <= depth { add(offset) }
      }
    }
  }

  // MARK: Lookup

  /// Calls `body` with the text and its index.
  func withText<Result>(_ lines: [UInt8], _ body: (TokenIndexedText) -> Result) -> Result {
    lines.withUnsafeBufferPointer { withText($0, from: 0, body) }
  }

  /// Calls `body` with a part of the text; offsets are relative to the part.
  func withText<Result>(_ lines: ArraySlice<UInt8>, _ body: (TokenIndexedText) -> Result) -> Result {
    lines.withUnsafeBufferPointer { withText($0, from: lines.startIndex, body) }
  }

  private func withText<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ body: (TokenIndexedText) -> Result
  ) -> Result {
    room.withUnsafeBufferPointer { offsets in
      turns.withUnsafeBufferPointer { turns in
        let offsets = UnsafeBufferPointer(rebasing: offsets[..<count])
        return body(TokenIndexedText(bytes: bytes, offsets: offsets, base: base - start, turns: turns, span: span))
      }
    }
  }

  /// Returns all offsets.
  package func offsets(in lines: [UInt8]) -> [Int] {
    withText(lines) { text in (0..<count).map { text.offset($0) } }
  }

  /// Returns the number of the first token at or after an offset, by binary search.
  func number(after offset: Int) -> Int {
    withText([]) { text in
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if text.offset(middle) < offset { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// Returns the number of the first bracket of the record at the offset, or nil if it is not known.
  ///
  /// - Parameter number: number from which the search starts; afterwards, the number for the next search.
  package func opening(ofRecordAt start: Int, from number: inout Int) -> Int? {
    withText([]) { $0.opening(ofRecordAt: start, from: &number) }
  }

  /// Calls `body` for each member that is wanted, or may be and has a name with an escape.
  ///
  /// Returns the number of the object's last bracket.
  package func forEachMember(
    openedBy opening: Int, of lines: [UInt8], in names: WantedNames,
    _ body: (TokenIndexedMember, WantedNames.Match) -> Void
  ) -> Int {
    withText(lines) { text in
      text.forEachMember(openedBy: opening, in: names) { member, match in
        body(member, match)
        return true
      }
    }
  }

  /// Returns all members of an object.
  package func members(openedBy opening: Int, of lines: [UInt8]) -> [TokenIndexedMember] {
    withText(lines) { text in
      var members: [TokenIndexedMember] = []
      var number = opening
      while let member = text.member(after: number) {
        members.append(member)
        number = member.end
      }
      return members
    }
  }

  /// Returns the number of the token that ends the value that begins after a token.
  package func end(ofValueBehind number: Int, in lines: [UInt8]) -> Int {
    withText(lines) { $0.end(ofValueBehind: number) }
  }

  /// Returns the offset of a token; for the number after the last token, the end of the text.
  package func offset(_ number: Int, in lines: [UInt8]) -> Int {
    withText(lines) { number < count ? $0.offset(number) : lines.count }
  }

  /// Calls `body` for each name in a record at every depth, with its quotes and the number of its colon.
  ///
  /// All depths must be in the index. Returns the number of the record's last bracket.
  package func forEachName(
    inRecord opening: Int, of lines: [UInt8], _ body: (_ name: Range<Int>, _ colon: Int) -> Void
  ) -> Int {
    withText(lines) { text in
      let closing = text.end(ofValueBehind: opening - 1) - 1
      for number in opening..<closing where text.token(number) == UInt8(ascii: ":") {
        body(text.offset(number - 1) + 1..<text.offset(number), number)
      }
      return closing
    }
  }
}

extension CompactText {
  /// Calls `body` for each token of the record at `start`, up to its last bracket; a scalar has no tokens.
  ///
  /// `open` is the number of brackets open around the token, a bracket itself included.
  fileprivate func forEachToken(from start: Int, _ body: (_ offset: Int, _ open: Int) -> Void) {
    var offset = start
    var open = 0
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset = string(at: offset).end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        open += 1
        body(offset, open)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        body(offset, open)
        open -= 1
        if open == 0 { return }
      case UInt8(ascii: ","), UInt8(ascii: ":"): body(offset, open)
      case 0x0A: return
      default: break
      }
      offset += 1
    }
  }
}
