// The portable pass: whole tokens inside one chunk, where all is well. Sixteen bytes are looked at, and copied, at once.

extension Grammar {
  /// Reads until the value that has begun, or begins here, has ended with `floor` brackets open; or to the chunk's end.
  ///
  /// - Parameter separator: what stands between this value and further ones that may be read as well, each of them a
  ///   record. Then it may end between two of them, in the state `value`.
  mutating func run(_ cursor: inout Cursor, floor: Int, cutAt separator: UInt8? = nil) throws(SyntaxError) {
    let scanStart = kernel.isPortable ? Int.max : cursor.index + kernel.probe
    while cursor.index < cursor.end {
      let records = cursor.records
      if canScan(cursor, from: scanStart, floor: floor, cuts: separator != nil) {
        scan(&cursor, floor: floor, cutAt: separator)
      } else {
        walk(&cursor, floor: floor, cutAt: separator, upTo: scanStart)
      }
      let isBetweenRecords = cursor.records > records && state == .value && depth == floor
      guard !isBetweenRecords, cursor.index < cursor.end, state != .afterValue || depth != floor else { return }
      // What was left: a token that may not lie inside the chunk, or is wrong.
      try step(&cursor)
      if state == .afterValue, depth == floor { return }
    }
  }

  /// Goes as far as tokens are whole and right, and begin before a place from which on they can be scanned; the state
  /// and the cursor are those after the last one.
  private mutating func walk(_ cursor: inout Cursor, floor: Int, cutAt separator: UInt8?, upTo scanStart: Int) {
    guard state == .value, cursor.end - cursor.index > FastWalk.margin else { return }
    let isWhole = cursor.isIrregular || scanStart <= cursor.index
    let deepest = deepestToken
    var tokenIndex = lendPunctuation(cursor)
    defer { giveBack(&tokenIndex) }
    withUnsafeMutablePointers(to: &cursor, &tokenIndex) { cursor, tokenIndex in
      var walk = FastWalk(self, cursor, (tokenIndex, deepest), upTo: isWhole ? .max : scanStart)
      walk.run(floor: floor, cutAt: separator ?? FastWalk.noSeparator)
      walk.leave()
      state = walk.state
      depth = walk.depth
      kinds = walk.kinds
    }
  }
}

/// The loop's variables, copied out of grammar and cursor so that they live in registers.
///
/// Why the pointers are right: a token begins at least `margin` bytes before the end of the chunk, so that the first
/// block of it can be loaded; every further block is compared with the end. The output has room for as many bytes as
/// the input, and for the part of one block that does not count (`Cursor.slack`).
private struct FastWalk {
  /// More than the tokenIndex, spaces and literals that are read after one comparison with the end, and one block.
  static let margin = 48
  /// A byte that stands nowhere between tokens.
  static let noSeparator: UInt8 = 0xFF

  private var input: UnsafePointer<UInt8>
  private var output: UnsafeMutablePointer<UInt8>
  private let end: UnsafePointer<UInt8>
  /// Up to here a token may begin.
  private let limit: UnsafePointer<UInt8>
  private(set) var state: Grammar.State
  private(set) var depth: Int
  private(set) var kinds: UInt64
  private let depthLimit: Int
  private let lineFeed: UInt8
  /// What changes rarely stays in memory.
  private let cursor: UnsafeMutablePointer<Cursor>
  private let tokenIndex: UnsafeMutablePointer<TokenIndex>?
  private let deepest: Int

  @inline(__always)
  init(
    _ grammar: borrowing Grammar, _ cursor: UnsafeMutablePointer<Cursor>,
    _ places: (tokenIndex: UnsafeMutablePointer<TokenIndex>?, deepest: Int), upTo scanStart: Int
  ) {
    input = cursor.pointee.input + cursor.pointee.index
    output = cursor.pointee.output + cursor.pointee.filled
    end = cursor.pointee.input + cursor.pointee.end
    limit = cursor.pointee.input + min(cursor.pointee.end - Self.margin, scanStart)
    state = grammar.state
    depth = grammar.depth
    kinds = grammar.kinds
    depthLimit = grammar.depthLimit
    lineFeed = grammar.lineFeed
    self.cursor = cursor
    (tokenIndex, deepest) = places
  }

  @inline(__always)
  func leave() {
    cursor.pointee.index = input - cursor.pointee.input
    cursor.pointee.filled = output - cursor.pointee.output
  }

  /// From value to value. In the state `value` one must begin; else one has ended.
  @inline(__always)
  mutating func run(floor: Int, cutAt separator: UInt8) {
    while input < limit {
      if state == .value {
        guard skipSpace() else { return }
        if input.pointee | 0x20 == UInt8(ascii: "{") {
          guard open(), skipSpace() else { return }
          guard isAtClosingBracket else {
            if kinds & 1 == 1 { guard name() else { return } }
            state = .value
            continue
          }
          guard close() else { return }
        } else {
          guard scalar() else { return }
          state = .afterValue
        }
        guard input < limit else { return }
      }
      if depth == floor {
        guard cut(at: separator) else { return }
        state = .value
        continue
      }
      guard skipSpace() else { return }
      if input.pointee == UInt8(ascii: ",") {
        note()
        put(UInt8(ascii: ","))
        if kinds & 1 == 1 {
          state = .name
          guard skipSpace(), name() else { return }
        }
        state = .value
      } else {
        guard close() else { return }
      }
    }
  }

  /// Ends a record and goes over to the next, whose separator becomes its line feed.
  @inline(__always)
  private mutating func cut(at separator: UInt8) -> Bool {
    guard separator != Self.noSeparator, skipSpace(), input.pointee == separator else { return false }
    put(0x0A)
    cursor.pointee.complete = output - cursor.pointee.output
    cursor.pointee.lineStart = input - cursor.pointee.input
    cursor.pointee.records += 1
    return true
  }

  /// A member's name and its colon.
  @inline(__always)
  private mutating func name() -> Bool {
    guard input.pointee == UInt8(ascii: "\""), string() else { return false }
    state = .colon
    guard input < limit, skipSpace(), input.pointee == UInt8(ascii: ":") else { return false }
    note()
    put(UInt8(ascii: ":"))
    return true
  }

  @inline(__always)
  private mutating func scalar() -> Bool {
    switch input.pointee {
    case UInt8(ascii: "\""): string()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number()
    case UInt8(ascii: "t"): literal(0x6575_7274, count: 4)
    case UInt8(ascii: "n"): literal(0x6C6C_756E, count: 4)
    case UInt8(ascii: "f"): input[4] == UInt8(ascii: "e") && literal(0x736C_6166, count: 5)
    default: false
    }
  }

  @inline(__always)
  private mutating func put(_ byte: UInt8) {
    output.pointee = byte
    output += 1
    input += 1
  }

  /// Writes down where the token stands that comes out next.
  @inline(__always)
  private func note() {
    guard let tokenIndex, depth <= deepest else { return }
    tokenIndex.pointee.add(output - cursor.pointee.output)
  }

  /// False when the rest of the chunk is too short for a token.
  @inline(__always)
  private mutating func skipSpace() -> Bool {
    guard input.pointee <= 0x20 else { return true }
    if input.pointee == 0x20, input[1] > 0x20 {
      input += 1
      return true
    }
    cursor.pointee.isPlain = false
    input = SIMDScan.firstNonSpace(input, end, lineFeed: lineFeed)
    return input < limit
  }

  /// Brackets at the borders of `kinds` are left to `step`.
  @inline(__always)
  private mutating func open() -> Bool {
    guard depth & 63 != 0 || depth == 0, depth < depthLimit else { return false }
    let isObject = input.pointee == UInt8(ascii: "{")
    kinds = kinds &<< 1 | (isObject ? 1 : 0)
    depth &+= 1
    note()
    put(input.pointee)
    state = isObject ? .firstName : .firstElement
    return true
  }

  @inline(__always)
  private var isAtClosingBracket: Bool {
    input.pointee == (kinds & 1 == 1 ? UInt8(ascii: "}") : UInt8(ascii: "]"))
  }

  @inline(__always)
  private mutating func close() -> Bool {
    guard isAtClosingBracket, depth & 63 != 1 || depth == 1 else { return false }
    note()
    put(input.pointee)
    kinds &>>= 1
    depth &-= 1
    state = .afterValue
    return true
  }

  @inline(__always)
  private mutating func literal(_ word: UInt32, count: Int) -> Bool {
    let found = UnsafeRawPointer(input).loadUnaligned(as: UInt32.self)
    guard UInt32(littleEndian: found) == word else { return false }
    SIMDScan.store(SIMDScan.block(input), output)
    input += count
    output += count
    return true
  }

  @inline(__always)
  private mutating func string() -> Bool {
    output.pointee = UInt8(ascii: "\"")
    var place = input + 1
    var target = output + 1
    while place + SIMDScan.stride <= end {
      let block = SIMDScan.block(place)
      SIMDScan.store(block, target)
      let lane = SIMDScan.special(block).firstLane
      place += lane
      target += lane
      guard lane < SIMDScan.stride else { continue }
      if place.pointee != UInt8(ascii: "\"") {
        let length = Self.stringRest(place, end, target, &cursor.pointee.isPlain)
        guard length >= 0 else { return false }
        place += length
        target += length
      }
      input = place + 1
      output = target + 1
      return true
    }
    return false
  }

  /// The rest of a string that has an escape or a byte beyond ASCII: its length without the closing quote, or -1.
  @inline(never)
  private static func stringRest(
    _ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>,
    _ isPlain: inout Bool
  ) -> Int {
    var place = start
    var target = output
    while place + SIMDScan.stride <= end {
      var length: Int
      switch place.pointee {
      case UInt8(ascii: "\""):
        target.pointee = place.pointee
        return place - start
      case UInt8(ascii: "\\"):
        SIMDScan.store(SIMDScan.block(place), target)
        length = escapeLength(place)
      case 0x80...:
        isPlain = false
        let word = UnsafeRawPointer(place).loadUnaligned(as: UInt32.self)
        UnsafeMutableRawPointer(target).storeBytes(of: word, as: UInt32.self)
        length = sequenceLength(UInt32(littleEndian: word))
      default:
        let block = SIMDScan.block(place)
        SIMDScan.store(block, target)
        length = SIMDScan.special(block).firstLane
      }
      // 0 for what is wrong; a control character is special, and in lane 0.
      guard length > 0 else { return -1 }
      place += length
      target += length
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
  private static func sequenceLength(_ word: UInt32) -> Int {
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
    SIMDScan.store(SIMDScan.block(input), output)
    let sign = input.pointee == UInt8(ascii: "-") ? 1 : 0
    var length = sign &+ 1
    if input[sign] == UInt8(ascii: "0") {
      guard !Bytes.isDigit(input[length]) else { return false }
    } else {
      length = digits(from: sign)
      guard length > sign else { return false }
    }
    if input[length] == UInt8(ascii: ".") {
      let start = length &+ 1
      length = digits(from: start)
      guard length > start else { return false }
    }
    if input[length] | 0x20 == UInt8(ascii: "e") {
      length = exponent(from: length &+ 1)
      guard length > 0 else { return false }
    }
    input += length
    output += length
    return true
  }

  /// The end of the digits from `start` on, or -1 when the chunk may end before it.
  @inline(__always)
  private func digits(from start: Int) -> Int {
    var index = start
    while input + (index &+ SIMDScan.stride) <= end {
      let block = SIMDScan.block(input + index)
      SIMDScan.store(block, output + index)
      let lane = SIMDScan.nonDigit(block).firstLane
      index &+= lane
      if lane < SIMDScan.stride { return index }
    }
    return -1
  }

  @inline(never)
  private func exponent(from start: Int) -> Int {
    guard input + start < end else { return -1 }
    let byte = input[start]
    let sign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") ? 1 : 0
    output[start] = byte
    let length = digits(from: start &+ sign)
    return length > start &+ sign ? length : -1
  }
}
