// The hot loop: whole tokens inside one chunk, where all is well. Sixteen bytes are looked at, and copied, at once.

extension Grammar {
  /// Reads until the value that has begun, or begins here, has ended with `floor` brackets open; or to the chunk's end.
  mutating func run(_ cursor: inout Cursor, floor: Int) throws(Flaw) {
    while cursor.index < cursor.end {
      walk(&cursor, floor: floor)
      guard cursor.index < cursor.end, state != .afterValue || depth != floor else { return }
      // What the walk left: a token that may not lie inside the chunk, or is wrong.
      try step(&cursor)
      if state == .afterValue, depth == floor { return }
    }
  }

  /// Goes as far as tokens are whole and right; the state and the cursor are those after the last one.
  private mutating func walk(_ cursor: inout Cursor, floor: Int) {
    guard cursor.end - cursor.index > FastWalk.margin else { return }
    var walk = FastWalk(self, cursor)
    walk.run(floor: floor)
    cursor.index = walk.index
    cursor.filled = walk.filled
    state = walk.state
    depth = walk.depth
    kinds = walk.kinds
  }
}

/// The loop's variables, copied out of grammar and cursor so that they live in registers.
///
/// Why the pointers are right: a token begins at least `margin` bytes before the end of the chunk, so that the first
/// block of it can be loaded; every further block is checked against the end. The output has room for as many bytes as
/// the input, and for the part of one block that does not count (`Cursor.slack`).
private struct FastWalk {
  /// More than the punctuation, spaces and literals that are read after one comparison with the end, and one block.
  static let margin = 48

  private let input: UnsafePointer<UInt8>
  private let output: UnsafeMutablePointer<UInt8>
  private let end: Int
  private let lineFeed: UInt8
  private let depthLimit: Int
  private(set) var index: Int
  private(set) var filled: Int
  private(set) var state: Grammar.State
  private(set) var depth: Int
  private(set) var kinds: UInt64

  @inline(__always)
  init(_ grammar: borrowing Grammar, _ cursor: Cursor) {
    input = cursor.input
    output = cursor.output
    end = cursor.end
    lineFeed = grammar.lineFeed
    depthLimit = grammar.depthLimit
    index = cursor.index
    filled = cursor.filled
    state = grammar.state
    depth = grammar.depth
    kinds = grammar.kinds
  }

  @inline(__always)
  mutating func run(floor: Int) {
    let limit = end &- Self.margin
    while index < limit {
      switch state {
      case .name, .firstName:
        guard skipSpace() else { return }
        guard input[index] == UInt8(ascii: "\"") else {
          guard state == .firstName, close(UInt8(ascii: "}")) else { return }
          if depth == floor { return }
          continue
        }
        guard string() else { return }
        state = .colon
        guard index < limit, input[index] == UInt8(ascii: ":") else { continue }
        put(UInt8(ascii: ":"))
        state = .value

      case .colon:
        guard skipSpace(), input[index] == UInt8(ascii: ":") else { return }
        put(UInt8(ascii: ":"))
        state = .value

      case .value, .firstElement:
        guard skipSpace() else { return }
        switch input[index] {
        case UInt8(ascii: "\""): guard string() else { return }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): guard number() else { return }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          guard open() else { return }
          continue
        case UInt8(ascii: "t"): guard literal(0x6575_7274, count: 4) else { return }
        case UInt8(ascii: "n"): guard literal(0x6C6C_756E, count: 4) else { return }
        case UInt8(ascii: "f"):
          guard input[index &+ 4] == UInt8(ascii: "e"), literal(0x736C_6166, count: 5) else { return }
        default: guard state == .firstElement, close(UInt8(ascii: "]")) else { return }
        }
        state = .afterValue
        if depth == floor { return }

      case .afterValue:
        guard skipSpace() else { return }
        if input[index] == UInt8(ascii: ",") {
          put(UInt8(ascii: ","))
          state = kinds & 1 == 1 ? .name : .value
        } else {
          guard close(kinds & 1 == 1 ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return }
          if depth == floor { return }
        }

      default: return
      }
    }
  }

  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    output[filled] = byte
    filled &+= 1
    index &+= 1
  }

  @inline(__always)
  private func load(_ position: Int) -> Block { Wide.block(input + position) }

  @inline(__always)
  private func store(_ block: Block, at position: Int) {
    UnsafeMutableRawPointer(output + position).storeBytes(of: block, as: Block.self)
  }

  /// False when the rest of the chunk is too short for a token.
  @inline(__always)
  private mutating func skipSpace() -> Bool {
    guard input[index] <= 0x20 else { return true }
    if input[index] == 0x20, input[index &+ 1] > 0x20 {
      index &+= 1
      return true
    }
    index = Wide.firstNonSpace(input, from: index, to: end, lineFeed: lineFeed)
    return index < end &- Self.margin
  }

  /// Brackets at the borders of `kinds` are left to `step`.
  @inline(__always)
  private mutating func open() -> Bool {
    guard depth & 63 != 0 || depth == 0, depth < depthLimit else { return false }
    let isObject = input[index] == UInt8(ascii: "{")
    kinds = kinds &<< 1 | (isObject ? 1 : 0)
    depth &+= 1
    put(input[index])
    state = isObject ? .firstName : .firstElement
    return true
  }

  @inline(__always)
  private mutating func close(_ bracket: UInt8) -> Bool {
    guard input[index] == bracket, depth & 63 != 1 || depth == 1 else { return false }
    kinds &>>= 1
    depth &-= 1
    put(bracket)
    state = .afterValue
    return true
  }

  @inline(__always)
  private mutating func literal(_ word: UInt32, count: Int) -> Bool {
    let found = UnsafeRawPointer(input + index).loadUnaligned(as: UInt32.self)
    guard UInt32(littleEndian: found) == word else { return false }
    store(load(index), at: filled)
    index &+= count
    filled &+= count
    return true
  }

  @inline(__always)
  private mutating func string() -> Bool {
    let shift = filled &- index
    output[filled] = UInt8(ascii: "\"")
    var position = index &+ 1
    while position &+ Wide.stride <= end {
      let block = load(position)
      store(block, at: position &+ shift)
      let lane = Wide.special(block).firstLane
      position &+= lane
      guard lane < Wide.stride else { continue }
      if input[position] != UInt8(ascii: "\"") {
        position = Self.stringRest(input, from: position, to: end, output + shift)
        guard position >= 0 else { return false }
      }
      index = position &+ 1
      filled = index &+ shift
      return true
    }
    return false
  }

  /// The rest of a string that has an escape or a byte beyond ASCII: the index of its closing quote, or -1.
  @inline(never)
  private static func stringRest(
    _ input: UnsafePointer<UInt8>, from start: Int, to end: Int, _ output: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var position = start
    while position &+ Wide.stride <= end {
      let byte = input[position]
      let block = Wide.block(input + position)
      UnsafeMutableRawPointer(output + position).storeBytes(of: block, as: Block.self)
      if byte == UInt8(ascii: "\"") { return position }
      let length =
        byte == UInt8(ascii: "\\")
        ? escapeLength(input + position)
        : byte >= 0x80 ? sequenceLength(input + position) : Wide.special(block).firstLane
      // A control character is special and in lane 0.
      guard length > 0 else { return -1 }
      position &+= length
    }
    return -1
  }

  /// 2 or 6; 0 where it is wrong.
  @inline(__always)
  private static func escapeLength(_ bytes: UnsafePointer<UInt8>) -> Int {
    guard bytes[1] == UInt8(ascii: "u") else { return Bytes.isEscapeLetter(bytes[1]) ? 2 : 0 }
    let isHex =
      Bytes.isHexDigit(bytes[2]) && Bytes.isHexDigit(bytes[3]) && Bytes.isHexDigit(bytes[4])
      && Bytes.isHexDigit(bytes[5])
    return isHex ? 6 : 0
  }

  /// The length of a well-formed UTF-8 sequence of 2 to 4 bytes; 0 where it is wrong. The first byte is the lowest.
  @inline(__always)
  private static func sequenceLength(_ bytes: UnsafePointer<UInt8>) -> Int {
    let word = UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
    if word & 0x00C0_C0F0 == 0x0080_80E0 {
      let bits = word & 0x200F
      // Neither overlong (all of these are 0) nor a surrogate.
      return bits != 0 && bits != 0x200D ? 3 : 0
    }
    if word & 0xC0E0 == 0x80C0 { return word & 0x1E != 0 ? 2 : 0 }
    guard word & 0xC0C0_C0F8 == 0x8080_80F0, word & 0x3007 != 0 else { return 0 }
    // Up to U+10FFFF: after F4 only 80 to 8F; F5 and above never.
    return word & 0x04 == 0 || word & 0x3003 == 0 ? 4 : 0
  }

  /// RFC 8259 §6, a run of digits at a time.
  @inline(__always)
  private mutating func number() -> Bool {
    let shift = filled &- index
    var position = index
    output[filled] = input[position]
    if input[position] == UInt8(ascii: "-") { position &+= 1 }
    let isZero = input[position] == UInt8(ascii: "0")
    var start = position
    position = digits(from: start, shift)
    guard position > start, !isZero || position == start &+ 1 else { return false }
    if input[position] == UInt8(ascii: ".") {
      start = position &+ 1
      position = digits(from: start, shift)
      guard position > start else { return false }
    }
    if input[position] | 0x20 == UInt8(ascii: "e") {
      start = position &+ 1
      guard start &+ 1 < end else { return false }
      if input[start] == UInt8(ascii: "+") || input[start] == UInt8(ascii: "-") { start &+= 1 }
      output[start &+ shift &- 1] = input[start &- 1]
      position = digits(from: start, shift)
      guard position > start else { return false }
    }
    index = position
    filled = position &+ shift
    return true
  }

  /// The index of the first byte that is no digit, or -1 when the chunk may end before it.
  @inline(__always)
  private func digits(from start: Int, _ shift: Int) -> Int {
    var position = start
    while position &+ Wide.stride <= end {
      let block = load(position)
      store(block, at: position &+ shift)
      let lane = Wide.nonDigit(block).firstLane
      position &+= lane
      if lane < Wide.stride { return position }
    }
    return -1
  }
}
