// Where the tokens of records stand, written down while the records are read: who looks for members of them later goes
// from token to token, and needs no second look at what is between.
//
// The first stage knows brackets, commas and colons as bits, and which bytes come out; `CJSONText` (its `Places.h`) makes
// numbers of the bits when the walk is through with a window, and knows what stands too deep to be of use. Records that
// were not walked from their first bracket to their last in one go have none: those at the ends of chunks, and others that
// the portable pass read. They take a closer look (`CompactText`).

import CJSONText

/// The places of brackets, commas, colons and line feeds in lines, down to some depth, in their order.
///
/// A record either has all of its places here, or not that of its first bracket. Of brackets both are there, or none.
package struct Punctuation: Sendable {
  /// How many brackets are open around the deepest tokens: 1 for members of the record itself.
  let depth: Int
  /// Room, all of it: what lies behind `count` means nothing.
  private var room: [UInt32]
  private var count = 0

  /// None at all.
  package init() {
    self.init(depth: 0)
  }

  /// - Parameter places: how many are expected; there may be more.
  init(depth: Int, expecting places: Int = 0) {
    self.depth = depth
    room = Self.numbers(places)
  }

  /// So many that mean nothing yet. (Of no room all empty arrays share one, and its count is written by whoever makes it.)
  private static func numbers(_ count: Int) -> [UInt32] {
    count == 0 ? [] : [UInt32](unsafeUninitializedCapacity: count) { $1 = count }
  }

  /// Adds the places in the first blocks of a window.
  ///
  /// - Parameter start: where the scan's output begins.
  mutating func add(
    from masks: UnsafePointer<UInt64>, _ blocks: Int, _ kernel: CInt, behind start: Int
  ) {
    let most = blocks * 64 + CJSONPlacesSlack
    if room.count < count + most { grow(to: count + most) }
    room.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return }
      count += cjson_places(kernel, masks, blocks, UInt32(truncatingIfNeeded: start), base + count)
    }
  }

  private mutating func grow(to least: Int) {
    var larger = Self.numbers(max(least, room.count * 2))
    larger.withUnsafeMutableBufferPointer { larger in
      room.withUnsafeBufferPointer { _ = larger.update(fromContentsOf: $0[..<count]) }
    }
    room = larger
  }

  /// Leaves out those from a place on.
  mutating func remove(from place: Int) {
    while count > 0, Int(room[count - 1]) >= place { count -= 1 }
  }

  package var places: ArraySlice<UInt32> { room[..<count] }

  /// Hands over what is known of lines that are taken, behind which places are counted anew.
  mutating func take() -> Punctuation {
    // As much will probably be found next time.
    var taken = Punctuation(depth: depth, expecting: count)
    swap(&taken, &self)
    return taken
  }

  /// The text that it is about, with the places in it.
  func withText<Result>(_ lines: [UInt8], _ body: (PunctuatedText) -> Result) -> Result {
    lines.withUnsafeBufferPointer { bytes in
      room.withUnsafeBufferPointer {
        body(PunctuatedText(bytes: bytes, places: UnsafeBufferPointer(rebasing: $0[..<count])))
      }
    }
  }
}

/// Lines and the places of their tokens, for the time of one call. Tokens go by their numbers.
///
/// Every number is compared with the end before it is used, and so is every place.
struct PunctuatedText {
  let bytes: UnsafeBufferPointer<UInt8>
  let places: UnsafeBufferPointer<UInt32>

  @inline(__always)
  func place(_ number: Int) -> Int { Int(places[number]) }

  /// The token itself; 0 behind the last one.
  @inline(__always)
  func token(_ number: Int) -> UInt8 {
    guard number < places.count, place(number) < bytes.count else { return 0 }
    return bytes[place(number)]
  }

  /// The number of the token that ends the value before which the one of that number stands.
  @inline(__always)
  func end(ofValueBehind number: Int) -> Int {
    let next = number &+ 1
    return Self.opens(token(next)) ? endOfContainer(openedBy: next) &+ 1 : next
  }

  /// `[` and `{` differ in one bit only.
  @inline(__always)
  private static func opens(_ token: UInt8) -> Bool { token | 0x20 == UInt8(ascii: "{") }

  /// The number of its closing bracket.
  private func endOfContainer(openedBy number: Int) -> Int {
    var depth = 0
    var number = number
    while number < places.count {
      let token = token(number) | 0x20
      if token == UInt8(ascii: "{") { depth &+= 1 }
      if token == UInt8(ascii: "}") { depth &-= 1 }
      if depth == 0 { return number }
      number &+= 1
    }
    return number
  }
}
