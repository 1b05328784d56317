// Names that are known beforehand, found by the bytes that stand in a record.

import JSONText

/// Numbers names from 0, so that one pass over a record's members needs no look-up by text.
struct NameTable: Sendable {
  /// Quoted, minimally escaped.
  private let names: [[UInt8]]
  /// Open addressing, at most half full: the number of a name, or -1.
  private var buckets: [Int]

  init(_ names: [String]) {
    self.names = names.map(\.quotedJSON)
    var size = 4
    while size < names.count * 2 { size *= 2 }
    buckets = Array(repeating: -1, count: size)
    for number in names.indices {
      var bucket = self.names[number].nameHash(0..<self.names[number].count) & (size - 1)
      while buckets[bucket] >= 0 { bucket = (bucket + 1) & (size - 1) }
      buckets[bucket] = number
    }
  }

  /// The number of the name whose JSON text with quotes stands there, or nil when it is none of these.
  func number(ofNameAt range: Range<Int>, in text: [UInt8]) -> Int? {
    if let number = number(ofPlain: range, in: text) { return number }
    guard text[range].contains(Mark.backslash), let name = JSONValue(validated: text[range]).string else { return nil }
    let plain = name.quotedJSON
    return number(ofPlain: plain.indices, in: plain)
  }

  private func number(ofPlain range: Range<Int>, in text: [UInt8]) -> Int? {
    let mask = buckets.count - 1
    var bucket = text.nameHash(range) & mask
    while case let number = buckets[bucket], number >= 0 {
      if names[number].count == range.count, text.has(names[number], at: range.lowerBound) { return number }
      bucket = (bucket + 1) & mask
    }
    return nil
  }
}

extension [UInt8] {
  /// FNV-1a: names are short, and for them nothing that starts slower is faster. What it is used for stays right, and
  /// bounded, when a server chooses names that collide.
  func nameHash(_ range: Range<Int>) -> Int {
    var hash: UInt32 = 0x811c_9dc5
    for place in range { hash = (hash ^ UInt32(self[place])) &* 0x0100_0193 }
    return Int(hash ^ (hash >> 15))
  }
}
