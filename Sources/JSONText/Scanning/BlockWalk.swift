// The second stage goes from bracket to bracket, over masks that the first stage made of blocks of 64 bytes.
//
// `CJSONText` (see its `Blocks.h`) has checked strings, numbers, and that each token may follow the token before it.
// Its output has no white space. This stage checks what depends on the open containers: that a bracket matches its
// other half, and that only allowed tokens are between two brackets. It reads commas only where they end a record.
// There, a line feed replaces the comma, so that the records are NDJSON without a copy. Between and inside records,
// `cjson_walk` (`Walk.h`) does the work; this file handles the cases that need more of the grammar.
//
// After an error, the walk returns to the offset after the last valid bracket, comma or colon.

import CJSONText

/// Masks of a block's brackets, and of the tokens that are not allowed between them.
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

/// Variables of the walk, copied out of the grammar so that they live in registers.
struct BlockWalk {
  /// Offsets between two tokens, in the chunk and in its output.
  private struct Spot {
    var index: Int
    var filled: Int
  }

  private let masks: UnsafeMutablePointer<UInt64>
  /// Values that change rarely stay in memory.
  private let cursor: UnsafeMutablePointer<Cursor>
  private let start: Spot
  /// Offset of the window in the chunk.
  private var windowIndex: Int
  /// Last position up to which all was valid.
  private var safe: Spot
  private var depth: Int
  private var kinds: UInt64
  private var outerKinds: [UInt64] = []
  private let depthLimit: Int
  private let floor: Int
  private let cuts: Bool
  /// Depths at which the value can't end, and at which `kinds` has all bits that are needed.
  private let inside: Range<Int>
  private let kernel: CInt
  /// Kind of mask that has the separators of records.
  private let separators: Int
  private let isLines: Bool
  private var state: Grammar.State?
  /// Bits of the current block after its last valid bracket.
  private var rest: UInt64 = 0
  /// Token index to fill, and the number of open brackets around the deepest indexed tokens.
  private let tokenIndex: UnsafeMutablePointer<TokenIndex>?
  private let deepest: Int

  init(
    _ grammar: inout Grammar, _ cursor: UnsafeMutablePointer<Cursor>, _ masks: UnsafeMutablePointer<UInt64>,
    _ tokens: (tokenIndex: UnsafeMutablePointer<TokenIndex>?, deepest: Int), floor: Int, cuts: Bool
  ) {
    self.masks = masks
    self.cursor = cursor
    tokenIndex = tokens.tokenIndex
    deepest = tokens.tokenIndex == nil ? .max : tokens.deepest
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

  /// Copies the state of the walk's end back to grammar and cursor.
  mutating func leave(_ grammar: inout Grammar) {
    swap(&outerKinds, &grammar.outerKinds)
    grammar.depth = depth
    grammar.kinds = kinds
    if safe.index > start.index { grammar.state = state ?? stateAfter(cursor.pointee.input[safe.index - 1]) }
    cursor.pointee.index = safe.index
    cursor.pointee.filled = safe.filled
    // Tokens after the last valid position are read again.
    tokenIndex?.pointee.remove(from: safe.filled)
    if isLines { skipEmptyLines() }
  }

  /// Moves the line's start past empty lines, which are no records.
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

  /// Walks blocks in windows that are small at first, because the value may end soon.
  mutating func run(_ count: Int, scan: (_ start: Int, _ count: Int) -> Int) {
    var block = 0
    var window = CJSONGroup
    while block < count {
      let wanted = min(window, count - block)
      let right = scan(block, wanted)
      if tokenIndex != nil { (masks + CJSONDeep * CJSONWindow).update(repeating: 0, count: CJSONWindow) }
      let end = walkWindow(right)
      tokenIndex?.pointee.add(from: masks, end.map { min($0 + 1, right) } ?? right, kernel, after: start.filled)
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

  /// Walks from bracket to bracket, and over blocks without brackets at once; returns the block in which the walk ends.
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

  /// Walks as far as depth and kinds suffice; returns the block whose bracket ended the walk.
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

  /// Walks over blocks without brackets; returns the first block with a token that is not allowed.
  @inline(__always)
  private mutating func walkBetween(_ between: Range<Int>) -> Int? {
    let first: UInt64 = ~0 &<< UInt64(between.lowerBound)
    let bits = first & (~0 &>> UInt64(64 - between.upperBound))
    let strays = isLines ? blocks(with: depth == 0 ? CJSONCommas : CJSONLineFeeds) : 0
    let wrong = (blocks(with: kinds & 1 == 1 ? CJSONElements : CJSONColons) | strays) & bits
    if depth == floor {
      // Only separators in blocks before the first wrong block end records.
      var ends = blocks(with: separators) & bits & ((wrong & (0 &- wrong)) &- 1)
      while ends != 0 {
        cut(~0, ends.trailingZeroBitCount)
        ends &= ends &- 1
      }
    }
    if depth > deepest { masks[CJSONBlocks &* CJSONWindow &+ CJSONDeep] |= bits }
    rest = ~0
    return wrong == 0 ? nil : wrong.trailingZeroBitCount
  }

  /// Walks to the next bracket, or to the end of the block; returns false if the walk ends there.
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

  /// Reports that the tokens between two brackets are allowed in the container.
  @inline(__always)
  private func isRight(_ segment: UInt64, _ bits: Brackets, _ block: Int) -> Bool {
    let wrong = kinds & 1 == 1 ? bits.elements : bits.colons
    let stray = isLines ? masks[(depth == 0 ? CJSONCommas : CJSONLineFeeds) &* CJSONWindow &+ block] : 0
    return (wrong | stray) & segment == 0
  }

  /// Walks over a bracket after a valid segment; returns false if the walk ends there.
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

  /// Ends the records that have their separators in the segment.
  @inline(__always)
  private mutating func cut(_ segment: UInt64, _ block: Int) {
    var ends = masks[separators &* CJSONWindow &+ block] & segment
    while ends != 0 {
      let end = spot(block, ends & (0 &- ends))
      cursor.pointee.output[end.filled] = 0x0A
      cursor.pointee.complete = end.filled + 1
      cursor.pointee.lineStart = end.index + 1
      cursor.pointee.records += 1
      ends &= ends &- 1
    }
  }

  /// Adds to the mask the tokens of a segment that are too deep, and a bracket that leads there.
  private func markDeep(_ segment: UInt64, _ opening: UInt64, _ block: Int) {
    masks[CJSONDeep &* CJSONWindow &+ block] |= depth > deepest ? segment : opening
  }

  /// Returns the position of a bit in a block; without a bit, the position after the block.
  private func spot(_ block: Int, _ bit: UInt64) -> Spot {
    Spot(
      index: windowIndex + block * 64 + bit.trailingZeroBitCount,
      filled: start.filled + Int(masks[CJSONWritten &* CJSONWindow &+ block])
        + bit.offset(among: masks[CJSONKept &* CJSONWindow &+ block]))
  }

  /// Ends the walk, since the value or the content has ended.
  private mutating func end(before bit: UInt64, _ block: Int) {
    safe = spot(block, bit)
    state = .afterValue
  }

  /// Ends the walk in a block: the value has ended, or a token is wrong.
  private mutating func stop(in block: Int) {
    guard state == nil else { return }
    cursor.pointee.isIrregular = true
    remember(block)
    // The lowest bit that was not walked follows a bracket.
    if rest != ~0 { safe = spot(block, rest & (0 &- rest)) }
  }

  /// Saves the last position between tokens in the first blocks of the window.
  private mutating func remember(_ count: Int) {
    for block in stride(from: count - 1, through: 0, by: -1) {
      let tokens =
        masks[CJSONBrackets &* CJSONWindow &+ block] | masks[CJSONCommas &* CJSONWindow &+ block]
        | masks[CJSONColons &* CJSONWindow &+ block] | masks[CJSONLineFeeds &* CJSONWindow &+ block]
      guard tokens != 0 else { continue }
      let last = 1 &<< UInt64(63 - tokens.leadingZeroBitCount)
      safe = spot(block, last &<< 1)
      return
    }
  }
}

extension UInt64 {
  /// Number of bits below this bit, or of all bits if this value is 0.
  ///
  /// All bits are usually set, and counting takes a dozen instructions on a machine without an instruction for it.
  @inline(__always)
  func offset(among bits: UInt64) -> Int {
    bits == ~0 ? trailingZeroBitCount : (bits & (self &- 1)).nonzeroBitCount
  }
}

// Switches the pass to blocks of 64 bytes and back. A scan begins and ends between two tokens.
//
// After an error, and at the chunk's last groups, the scan returns to the offset after the last valid bracket, comma or
// colon. Between tokens, the state of the grammar is simple, so the portable pass continues from there. Only the
// portable pass reports errors.

extension Grammar {
  /// Reads until the value that has begun, or begins here, has ended with `floor` brackets open; or to the chunk's end.
  ///
  /// - Parameter separator: what stands between this value and further ones that may be read as well, each of them a
  ///   record. Then it may end between two of them, in the state `value`.
  mutating func run(_ cursor: inout Cursor, floor: Int, cutAt separator: UInt8? = nil) throws(SyntaxError) {
    // A single value shorter than the kernel's probe is not worth a scan; several in a row are.
    let scanStart = kernel.isPortable ? Int.max : cursor.index + (separator == nil ? kernel.probe : 0)
    while cursor.index < cursor.end {
      let records = cursor.records
      if canScan(cursor, from: scanStart, floor: floor, cuts: separator != nil) {
        scan(&cursor, floor: floor, cutAt: separator)
        let isBetweenRecords = cursor.records > records && state == .value && depth == floor
        guard !isBetweenRecords, cursor.index < cursor.end, state != .afterValue || depth != floor else { return }
      }
      // Here a token may not lie inside the chunk, or may be wrong.
      try step(&cursor)
      if state == .afterValue, depth == floor { return }
    }
  }

  /// Least rest of a chunk: a group, and the bytes that the first stage may read after it.
  private static let leastScanned = CJSONGroup * 64 + 32

  /// True if whole groups of blocks can be read from the cursor on.
  func canScan(_ cursor: Cursor, from start: Int, floor: Int, cuts: Bool) -> Bool {
    !cursor.isIrregular && cursor.index >= start && state.rawValue <= State.afterValue.rawValue
      && cursor.end - cursor.index >= Self.leastScanned && (depth > floor || cuts)
  }

  /// Reads groups of blocks until the value has ended with `floor` brackets open, or nearly to the chunk's end.
  mutating func scan(_ cursor: inout Cursor, floor: Int, cutAt separator: UInt8?) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: CJSONKinds * CJSONWindow) { masks in
      guard let base = masks.baseAddress else { return }
      let deepest = deepestToken
      var tokenIndex = lendTokenIndex(cursor)
      defer { giveBack(&tokenIndex) }
      withUnsafeMutablePointers(to: &cursor, &tokenIndex) { cursor, tokenIndex in
        var walk = BlockWalk(
          &self, cursor, base, (tokenIndex, deepest), floor: floor, cuts: separator != nil)
        var carry = CJSONCarry(expecting: state, isInObject: isInObject, isBetweenLines: isLines && depth == 0)
        let first = cursor.pointee.index
        let count = (cursor.pointee.end - Self.leastScanned - first) / 64 + CJSONGroup
        walk.run(count & ~(CJSONGroup - 1)) { start, count in
          cjson_scan(
            kernel.code, isLines ? 1 : 0, &carry, cursor.pointee.input + first + start * 64, count,
            cursor.pointee.output + cursor.pointee.filled, base)
        }
        cursor.pointee.isPlain = cursor.pointee.isPlain && carry.isNotPlain == 0
        walk.leave(&self)
      }
    }
  }
}

extension CJSONCarry {
  /// Creates the carry of the token that must come first in the first block.
  fileprivate init(expecting state: Grammar.State, isInObject: Bool, isBetweenLines: Bool) {
    self.init()
    switch state {
    case .value where isBetweenLines: afterLineFeed = 1
    case .value where isInObject: afterColonOrComma = 1
    case .value, .name: (afterColonOrComma, afterCurlyOrComma) = (1, 1)
    case .firstElement: afterOpening = 1
    case .firstName: (afterOpening, afterCurlyOrComma) = (1, 1)
    case .colon: afterKey = 1
    default: break
    }
  }
}
