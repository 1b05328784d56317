// The second stage: from bracket to bracket, over masks that the first stage made of blocks of 64 bytes.
//
// `CJSONText` (its `Blocks.h` explains how) has checked strings, numbers, and that each token follows one that it may
// follow; white space is gone from its output. What depends on all that is open is checked here: whether a bracket fits
// its other half, and that between two brackets only what the container may have stands. Commas are looked at where
// they end a record: there a line feed takes their place, so that records stand as NDJSON without a copy. Between records,
// and inside of them, the walk is that of `CJSONText` (`Walk.h`); what needs more of the grammar is walked here.
//
// Where something is wrong, all goes back to the place after the last bracket, comma or colon that was right.

import CJSONText

/// What the brackets of a block are, and what may not stand between them.
private struct Brackets {
  let all: UInt64
  let opening: UInt64
  let curly: UInt64
  let elements: UInt64
  let colons: UInt64

  init(_ masks: UnsafeMutablePointer<UInt64>, _ block: Int) {
    all = masks[CJSONBrackets &* CJSONWindow &+ block]
    opening = masks[CJSONOpening &* CJSONWindow &+ block]
    curly = masks[CJSONCurly &* CJSONWindow &+ block]
    elements = masks[CJSONElements &* CJSONWindow &+ block]
    colons = masks[CJSONColons &* CJSONWindow &+ block]
  }
}

/// The walk's variables, copied out of the grammar so that they live in registers.
struct BlockWalk {
  /// A place between tokens, in the chunk and in its output.
  private struct Spot {
    var index: Int
    var filled: Int
  }

  private let masks: UnsafeMutablePointer<UInt64>
  /// What changes rarely stays in memory.
  private let cursor: UnsafeMutablePointer<Cursor>
  private let start: Spot
  /// Where the window begins.
  private var windowIndex: Int
  /// The last place to which all was right.
  private var safe: Spot
  private var depth: Int
  private var kinds: UInt64
  private var outerKinds: [UInt64] = []
  private let depthLimit: Int
  private let floor: Int
  private let cuts: Bool
  /// Depths at which the value can't end, and all kinds are at hand.
  private let inside: Range<Int>
  private let kernel: CInt
  /// The kind of mask that has the separators of records.
  private let separators: Int
  private let isLines: Bool
  private var state: Grammar.State?
  /// Bits of the current block behind its last bracket that was right.
  private var rest: UInt64 = 0
  /// Where it is written down where the tokens of records stand, and how many brackets are open around the deepest ones.
  private let tokenIndex: UnsafeMutablePointer<TokenIndex>?
  private let deepest: Int

  init(
    _ grammar: inout Grammar, _ cursor: UnsafeMutablePointer<Cursor>, _ masks: UnsafeMutablePointer<UInt64>,
    _ places: (tokenIndex: UnsafeMutablePointer<TokenIndex>?, deepest: Int), floor: Int, cuts: Bool
  ) {
    self.masks = masks
    self.cursor = cursor
    tokenIndex = places.tokenIndex
    deepest = places.tokenIndex == nil ? .max : places.deepest
    start = Spot(index: cursor.pointee.index, filled: cursor.pointee.filled)
    safe = start
    windowIndex = start.index
    depth = grammar.depth
    kinds = grammar.kinds
    depthLimit = grammar.depthLimit
    self.floor = floor
    self.cuts = cuts
    let lowest = cuts ? floor : floor + 2
    inside = lowest..<max(lowest, min(63, depthLimit))
    isLines = grammar.isLines
    kernel = grammar.kernel.code
    separators = isLines ? CJSONLineFeeds : CJSONCommas
    swap(&outerKinds, &grammar.outerKinds)
  }

  /// Goes on where the walk ended.
  mutating func leave(_ grammar: inout Grammar) {
    swap(&outerKinds, &grammar.outerKinds)
    grammar.depth = depth
    grammar.kinds = kinds
    if safe.index > start.index { grammar.state = state ?? stateAfter(cursor.pointee.input[safe.index - 1]) }
    cursor.pointee.index = safe.index
    cursor.pointee.filled = safe.filled
    // What was not right is read again.
    tokenIndex?.pointee.remove(from: safe.filled)
    if isLines { skipEmptyLines() }
  }

  /// The line begins behind empty ones, which are no records.
  private func skipEmptyLines() {
    var index = cursor.pointee.lineStart
    while index >= start.index, index < safe.index, cursor.pointee.input[index] <= 0x20 {
      index += 1
      if cursor.pointee.input[index - 1] == 0x0A { cursor.pointee.lineStart = index }
    }
  }

  private func stateAfter(_ byte: UInt8) -> Grammar.State {
    switch byte {
    case UInt8(ascii: "{"): .firstName
    case UInt8(ascii: "["): .firstElement
    case UInt8(ascii: ","): kinds & 1 == 1 ? .name : .value
    case UInt8(ascii: "}"), UInt8(ascii: "]"): .afterValue
    default: .value
    }
  }

  /// Windows are small at first, because the value may end soon.
  mutating func run(_ count: Int, scan: (_ start: Int, _ count: Int) -> Int) {
    var block = 0
    var window = CJSONGroup
    while block < count {
      let wanted = min(window, count - block)
      let right = scan(block, wanted)
      if tokenIndex != nil { (masks + CJSONDeep * CJSONWindow).update(repeating: 0, count: CJSONWindow) }
      let end = walkWindow(right)
      tokenIndex?.pointee.add(from: masks, end.map { min($0 + 1, right) } ?? right, kernel, behind: start.filled)
      if let end { return stop(in: end) }
      remember(right)
      guard right == wanted else {
        cursor.pointee.isIrregular = true
        return
      }
      block += right
      windowIndex += right * 64
      window = min(window * 2, CJSONWindow)
    }
  }

  /// Goes from bracket to bracket, and over blocks without any at once. Gives the block in which the walk ends.
  private mutating func walkWindow(_ count: Int) -> Int? {
    var block = 0
    rest = ~0
    while block < count {
      if inside.contains(depth) { block = walkInside(block, count) }
      guard block < count else { break }
      let next = min(count, block + (blocks(with: CJSONBrackets) &>> UInt64(block)).trailingZeroBitCount)
      if block < next {
        if let end = walkBetween(block..<next) { return end }
        block = next
      } else if !step(&block) {
        return block
      }
    }
    return nil
  }

  /// Goes over what needs no more than depth and kinds. Gives the block that has the bracket before which it ended.
  private mutating func walkInside(_ block: Int, _ count: Int) -> Int {
    var walk = CJSONWalk()
    (walk.kinds, walk.rest, walk.depth) = (kinds, rest, depth)
    (walk.lowest, walk.highest, walk.floor) = (max(inside.lowerBound, floor + 1), inside.upperBound, floor)
    (walk.separators, walk.strays) = (separators, isLines ? CJSONCommas : CJSONLineFeeds)
    walk.deepest = deepest
    walk.output = cursor.pointee.output + start.filled
    let end = cjson_walk(kernel, &walk, masks, block, count)
    (kinds, rest, depth) = (walk.kinds, walk.rest, walk.depth)
    if walk.records > 0 {
      cursor.pointee.records += walk.records
      cursor.pointee.complete = start.filled + walk.complete
      cursor.pointee.lineStart = windowIndex + walk.lineStart
    }
    return end
  }

  private func blocks(with kind: Int) -> UInt64 { masks[CJSONBlocks &* CJSONWindow &+ kind] }

  /// Goes over blocks without brackets. Gives the one in which something stands that may not stand there.
  @inline(__always)
  private mutating func walkBetween(_ between: Range<Int>) -> Int? {
    let first: UInt64 = ~0 &<< UInt64(between.lowerBound)
    let places = first & (~0 &>> UInt64(64 - between.upperBound))
    let strays = isLines ? blocks(with: depth == 0 ? CJSONCommas : CJSONLineFeeds) : 0
    let wrong = (blocks(with: kinds & 1 == 1 ? CJSONElements : CJSONColons) | strays) & places
    if depth == floor {
      // Those before the lowest one that is wrong.
      var ends = blocks(with: separators) & places & ((wrong & (0 &- wrong)) &- 1)
      while ends != 0 {
        cut(~0, ends.trailingZeroBitCount)
        ends &= ends &- 1
      }
    }
    if depth > deepest { masks[CJSONBlocks &* CJSONWindow &+ CJSONDeep] |= places }
    rest = ~0
    return wrong == 0 ? nil : wrong.trailingZeroBitCount
  }

  /// Goes to the next bracket, or to the end of the block. False when the walk ends there.
  private mutating func step(_ block: inout Int) -> Bool {
    let bits = Brackets(masks, block)
    let brackets = bits.all & rest
    let bit = brackets & (0 &- brackets)
    let segment = rest & (bit ^ (bit &- 1))
    guard isRight(segment, bits, block) else { return false }
    if depth >= deepest { markDeep(segment, bit & bits.opening, block) }
    if bit != 0 {
      guard turn(at: bit, bits, segment, block) else { return false }
      rest &= ~segment
    } else {
      if depth == floor { cut(segment, block) }
      rest = ~0
      block += 1
    }
    return true
  }

  /// Whether between two brackets only what may be in the container stands.
  @inline(__always)
  private func isRight(_ segment: UInt64, _ bits: Brackets, _ block: Int) -> Bool {
    let wrong = kinds & 1 == 1 ? bits.elements : bits.colons
    let stray = isLines ? masks[(depth == 0 ? CJSONCommas : CJSONLineFeeds) &* CJSONWindow &+ block] : 0
    return (wrong | stray) & segment == 0
  }

  /// Goes over a bracket; the segment before it was right. False when the walk ends there.
  @inline(__always)
  private mutating func turn(at bit: UInt64, _ bits: Brackets, _ segment: UInt64, _ block: Int) -> Bool {
    let isObject = bits.curly & bit != 0
    if bits.opening & bit != 0 {
      guard depth < depthLimit else { return false }
      if depth == floor { cut(segment, block) }
      if depth & 63 == 0, depth > 0 { outerKinds.append(kinds) }
      kinds = kinds &<< 1 | (isObject ? 1 : 0)
      depth &+= 1
      return true
    }
    if depth == floor {
      cut(segment, block)
      end(before: bit, block)
      return false
    }
    guard isObject == (kinds & 1 == 1) else { return false }
    depth &-= 1
    kinds &>>= 1
    if depth & 63 == 0, depth > 0 { kinds = outerKinds.removeLast() }
    guard depth == floor, !cuts else { return true }
    end(before: bit &<< 1, block)
    return false
  }

  /// Ends the records whose separators stand in the segment.
  @inline(__always)
  private mutating func cut(_ segment: UInt64, _ block: Int) {
    var ends = masks[separators &* CJSONWindow &+ block] & segment
    while ends != 0 {
      let end = fileID(block, ends & (0 &- ends))
      cursor.pointee.output[end.filled] = 0x0A
      cursor.pointee.complete = end.filled + 1
      cursor.pointee.lineStart = end.index + 1
      cursor.pointee.records += 1
      ends &= ends &- 1
    }
  }

  /// Marks what stands too deep in a segment, and a bracket that leads there.
  private func markDeep(_ segment: UInt64, _ opening: UInt64, _ block: Int) {
    masks[CJSONDeep &* CJSONWindow &+ block] |= depth > deepest ? segment : opening
  }

  /// Where a bit of a block stands; no bit at all is the place behind the block.
  private func fileID(_ block: Int, _ bit: UInt64) -> Spot {
    Spot(
      index: windowIndex + block * 64 + bit.trailingZeroBitCount,
      filled: start.filled + Int(masks[CJSONWritten &* CJSONWindow &+ block])
        + bit.place(among: masks[CJSONKept &* CJSONWindow &+ block]))
  }

  /// The value, or the content, has ended.
  private mutating func end(before bit: UInt64, _ block: Int) {
    safe = fileID(block, bit)
    state = .afterValue
  }

  /// The walk ended in a block: with the value, or because something is wrong.
  private mutating func stop(in block: Int) {
    guard state == nil else { return }
    cursor.pointee.isIrregular = true
    remember(block)
    // The lowest bit that was not walked stands behind a bracket.
    if rest != ~0 { safe = fileID(block, rest & (0 &- rest)) }
  }

  /// Remembers the last place between tokens in the first blocks of the window.
  private mutating func remember(_ count: Int) {
    for block in stride(from: count - 1, through: 0, by: -1) {
      let tokens =
        masks[CJSONBrackets &* CJSONWindow &+ block] | masks[CJSONCommas &* CJSONWindow &+ block]
        | masks[CJSONColons &* CJSONWindow &+ block] | masks[CJSONLineFeeds &* CJSONWindow &+ block]
      guard tokens != 0 else { continue }
      let last = 1 &<< UInt64(63 - tokens.leadingZeroBitCount)
      safe = fileID(block, last &<< 1)
      return
    }
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
