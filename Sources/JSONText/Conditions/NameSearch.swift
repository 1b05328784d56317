// Finds the records in which a member has one of some names: a search of the text, without a token index.

import CJSONText

/// Finds lines in which a member with one of some names has a value of some kind.
///
/// The search is quick rather than exact: whoever reads a line that was found must look again. It leaves out no line.
package struct NameSearch: Sendable {
  /// Kinds of values, by their first bytes.
  package struct Values: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let yes = Values(rawValue: 1)
    package static let no = Values(rawValue: 2)
    /// A number above 0 that is whole.
    package static let number = Values(rawValue: 4)
    /// A text that is not empty.
    package static let text = Values(rawValue: 8)
    package static let container = Values(rawValue: 16)
  }

  private static let longest = 48
  private static let mostHints = 512

  /// Wanted values by the hash of a name; a hash of 0 is a free slot.
  private var table: [(hash: UInt64, values: Values)]
  /// For the first and the second letter, by its lower four bits: one bit for each pair of letters that begins a name.
  private var letters = [UInt8](repeating: 0, count: 32)
  /// The end of further names, whose first letters are those of other names.
  private let ending: (name: [UInt8], values: Values)?
  private let kernel: Kernel

  /// Creates a search for members of objects inside records.
  ///
  /// - Parameters:
  ///   - names: in lower case, letters and digits only. They begin with at most eight pairs of letters.
  ///   - ending: the end of further names that begin as one of `names` does: `is_authors_truncated` beside `isLast`.
  ///   - kernel: a kernel other than the best, for tests and measurements only.
  package init(
    _ names: [(name: String, values: Values)], ending: (name: String, values: Values)? = nil, kernel: Kernel = .best
  ) {
    self.kernel = kernel
    self.ending = ending.map { (Array($0.name.utf8), $0.values) }
    table = Array(repeating: (0, []), count: max(256, names.count.nextPowerOf2 * 4))
    var pairs: [[UInt8]] = []
    for (name, values) in names {
      let pair = Array(name.utf8.prefix(2))
      guard pair.count == 2 else { continue }
      let number = pairs.firstIndex(of: pair) ?? pairs.count
      if number == pairs.count { pairs.append(pair) }
      precondition(number < 8, "names that begin with more than eight pairs of letters")
      letters[Int(pair[0] & 15)] |= 1 << UInt8(number)
      letters[16 + Int(pair[1] & 15)] |= 1 << UInt8(number)
      let hash = name.utf8.reduce(Self.seed) { Self.hash($0, $1) }
      let slot = slot(of: hash)
      table[slot] = (hash, table[slot].values.union(values))
    }
  }

  /// Returns the lines that may have such a member, without their line feeds, in order.
  ///
  /// - Parameter text: whole compact lines.
  package func lines(of text: [UInt8]) -> [Range<Int>] {
    text.withUnsafeBufferPointer { text in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.mostHints) { found in
        guard let base = text.baseAddress, let room = found.baseAddress else { return [] }
        var lines: [Range<Int>] = []
        var position = Position()
        var start = 0
        while start < text.count {
          let count = cjson_hints(kernel.code, base, text.count, &start, letters, room, Self.mostHints)
          for index in 0..<count {
            let offset = Int(truncatingIfNeeded: room[index])
            guard offset >= lines.last?.upperBound ?? 0, let name = wanted(text, offset) else { continue }
            position.move(to: offset, in: base)
            // A member of the record itself counts only with an `@`, as OData's, or if its end is wanted: these name the
            // list that they are about.
            guard position.isInside || text[offset] == 0x40 || name == .ending else { continue }
            lines.append(position.line..<SIMDScan.firstLineFeed(base, from: offset, to: text.count))
          }
        }
        return lines
      }
    }
  }

  private enum Found { case name, ending }

  /// Returns which wanted name begins after the byte at `offset`, with a wanted value; nil for none.
  private func wanted(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Found? {
    var hash = Self.seed
    var end = offset + 1
    let last = min(text.count, end + Self.longest)
    while end < last {
      let byte = text[end]
      switch byte {
      case 0x41...0x5A: hash = Self.hash(hash, byte | 0x20)
      case 0x61...0x7A, 0x30...0x39: hash = Self.hash(hash, byte)
      case 0x5F, 0x2D, 0x2E, 0x3A, 0x20: break
      case 0x22:
        guard end + 3 < text.count, text[end + 1] == 0x3A else { return nil }
        let slot = slot(of: hash)
        let values = Self.values(text[end + 2], text[end + 3])
        if table[slot].hash == hash { return table[slot].values.isDisjoint(with: values) ? nil : .name }
        guard let ending, !ending.values.isDisjoint(with: values), end - offset > ending.name.count else { return nil }
        let isThere = zip(text[(end - ending.name.count)..<end], ending.name).allSatisfy { $0 | 0x20 == $1 }
        return isThere ? .ending : nil
      default: return nil
      }
      end += 1
    }
    return nil
  }

  /// An offset in a line.
  ///
  /// It only moves forward, so that no byte is read twice.
  private struct Position {
    private var offset = 0
    /// Start of the line.
    private(set) var line = 0
    /// True if another bracket than the record's own was before the offset.
    private(set) var isInside = false

    mutating func move(to end: Int, in text: UnsafePointer<UInt8>) {
      while offset < end {
        let lineFeed = SIMDScan.firstLineFeed(text, from: offset, to: end)
        guard lineFeed < end else { break }
        (line, offset, isInside) = (lineFeed + 1, lineFeed + 1, false)
      }
      let start = max(offset, line + 1)
      if !isInside, start < end { isInside = SIMDScan.firstBrace(text, from: start, to: end) < end }
      offset = max(offset, end)
    }
  }

  private static func values(_ first: UInt8, _ second: UInt8) -> Values {
    switch first {
    case UInt8(ascii: "t"): .yes
    case UInt8(ascii: "f"): .no
    case UInt8(ascii: "1")...UInt8(ascii: "9"): .number
    case UInt8(ascii: "\""): second == first ? [] : .text
    case UInt8(ascii: "{"), UInt8(ascii: "["): .container
    default: []
    }
  }

  private func slot(of hash: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: hash >> 32) & (table.count - 1)
    while table[slot].hash != 0, table[slot].hash != hash { slot = (slot + 1) & (table.count - 1) }
    return slot
  }

  /// FNV-1a.
  private static let seed: UInt64 = 0xCBF2_9CE4_8422_2325
  @inline(__always)
  private static func hash(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

extension Int {
  /// The least power of 2 that is not below the number.
  fileprivate var nextPowerOf2: Int { self < 2 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

// MARK: Finds one member in many records, by a search of the text that needs no token index

/// Finds a member of each record, for a condition that reads only this member.
struct MemberFinder: Sendable {
  /// Records that one call of the kernel finds.
  private static let most = 128

  private let name: [UInt8]
  private let kernel: Kernel

  /// Nil for a name that may be spelled in several ways, and where no kernel is faster than the token index.
  init?(_ name: [UInt8], _ kernel: Kernel = .best) {
    let isPlain = name.allSatisfy { (0x20..<0x7F).contains($0) && ![0x22, 0x2F, 0x5C].contains($0) }
    guard isPlain, (1...Int(CJSONFindMost)).contains(name.count), !kernel.isPortable else { return nil }
    (self.name, self.kernel) = (name, kernel)
  }

  /// A record's member.
  enum Member {
    case missing
    /// The value begins at this offset.
    case value(at: Int)
    /// Only a scan of the record can tell.
    case unknown
  }

  /// Calls `body` for each record of whole compact lines, with the line, its line feed included.
  ///
  /// The kernel writes two numbers for each record, at most `most` of them, into the buffer of twice as many, and reads
  /// nothing after the text.
  @inline(__always)
  func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>, Member) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * Self.most) { found in
      name.withUnsafeBufferPointer { name in
        guard let base = text.baseAddress, let room = found.baseAddress, let first = name.baseAddress else { return }
        var start = 0
        while start < text.count {
          let count = cjson_find(kernel.code, base, text.count, start, first, name.count, room, Self.most)
          // The last line has no line feed: there is none in lines of records.
          guard count > 0 else { return body(start..<text.count, .unknown) }
          for index in 0..<count {
            let end = Int(truncatingIfNeeded: room[2 &* index]) &+ 1
            let value = room[2 &* index &+ 1]
            body(
              start..<end, value == 0 ? .missing : value == .max ? .unknown : .value(at: Int(truncatingIfNeeded: value))
            )
            start = end
          }
        }
      }
    }
  }
}
