// Where the newest line of each record is, by its key: a table of a known number of records.

/// Offsets of lines by the hashes of their keys, in a table with open addressing.
///
/// A slot has 16 bytes, and three of four slots are used: 21 bytes a record. Two keys may have one hash, so that the
/// caller compares the keys of the lines.
package struct RecordIndex: Sendable {
  /// A slot that has a line.
  package struct Slot: Sendable, Hashable { fileprivate let index: Int }

  /// For each slot the hash of the key, 0 if it is free, then twice the offset of its line, plus 1 if it is done.
  private var words: [UInt64]
  private var capacity: Int
  package private(set) var count = 0

  /// - Parameter expected: number of records, for which the table is large enough; more of them make it grow.
  package init(expected: Int) {
    capacity = Self.capacity(for: expected)
    words = Array(repeating: 0, count: 2 * capacity)
  }

  private static func capacity(for count: Int) -> Int { max(8, count + count / 3 + 1) }

  @inline(__always)
  private func slot(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
  }

  @inline(__always)
  private func next(_ slot: Int) -> Int { slot &+ 1 == capacity ? 0 : slot &+ 1 }

  /// Returns the slot of a key; nil if the table does not have it.
  ///
  /// - Parameter isKey: returns whether the line at an offset has the key, not only its hash.
  @inline(__always)
  package func find<Failure: Error>(
    _ hash: UInt64, _ isKey: (_ offset: Int) throws(Failure) -> Bool
  ) throws(Failure) -> Slot? {
    var index = slot(of: hash)
    while words[2 &* index] != 0 {
      if words[2 &* index] == hash, try isKey(Int(words[2 &* index &+ 1] >> 1)) { return Slot(index: index) }
      index = next(index)
    }
    return nil
  }

  /// Adds a key that the table does not have.
  package mutating func insert(_ hash: UInt64, at offset: Int) {
    if (count &+ 1) &* 8 > capacity &* 7 { grow() }
    put(hash, UInt64(offset) << 1)
    count += 1
  }

  private mutating func put(_ hash: UInt64, _ word: UInt64) {
    var index = slot(of: hash)
    while words[2 &* index] != 0 { index = next(index) }
    (words[2 &* index], words[2 &* index &+ 1]) = (hash, word)
  }

  private mutating func grow() {
    let old = words
    capacity += capacity / 2
    words = Array(repeating: 0, count: 2 * capacity)
    for index in stride(from: 0, to: old.count, by: 2) where old[index] != 0 { put(old[index], old[index + 1]) }
  }

  /// Offset of the newest line of a slot.
  package func offset(_ slot: Slot) -> Int { Int(words[2 * slot.index + 1] >> 1) }

  package func isDone(_ slot: Slot) -> Bool { words[2 * slot.index + 1] & 1 == 1 }

  package mutating func setOffset(_ offset: Int, _ slot: Slot) { words[2 * slot.index + 1] = UInt64(offset) << 1 }

  /// Remembers that the key's place in the file has been written.
  package mutating func finish(_ slot: Slot) { words[2 * slot.index + 1] |= 1 }
}
