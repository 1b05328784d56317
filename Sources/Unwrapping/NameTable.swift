// Names that are known beforehand, found by the bytes that stand in a record.

import JSONText

/// Numbers names from 0, so that one pass over a record's members needs no look-up by text.
struct NameTable: Sendable {
  /// All names one after the other, quoted and minimally escaped.
  private var text: [UInt8] = []
  private var ranges: [Range<Int>] = []
  /// Open addressing, at most half full: the number of a name, or -1.
  private var buckets: [Int]

  init(_ names: [String]) {
    var size = 4
    while size < names.count * 2 { size *= 2 }
    buckets = Array(repeating: -1, count: size)
    for name in names { add(name.quotedJSON) }
  }

  private mutating func add(_ name: [UInt8]) {
    var bucket = name.nameHash(name.indices) & (buckets.count - 1)
    while buckets[bucket] >= 0 { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = ranges.count
    ranges.append(text.count..<text.count + name.count)
    text += name
  }

  /// The number of the name whose JSON text with quotes stands there, and whether it is escaped no more than it must
  /// be; nil when it is none of these.
  func match(nameAt range: Range<Int>, in record: [UInt8]) -> (number: Int, isPlain: Bool)? {
    if let number = number(ofPlain: range, in: record) { return (number, true) }
    guard record[range].contains(Mark.backslash) else { return nil }
    guard let name = JSONValue(validated: record[range]).string else { return nil }
    let plain = name.quotedJSON
    return number(ofPlain: plain.indices, in: plain).map { ($0, false) }
  }

  private func number(ofPlain range: Range<Int>, in record: [UInt8]) -> Int? {
    let mask = buckets.count - 1
    var bucket = record.nameHash(range) & mask
    while case let number = buckets[bucket], number >= 0 {
      if record.has(text, ranges[number], at: range) { return number }
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
