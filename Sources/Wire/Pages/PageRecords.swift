// The records of a page as hashes: what two pages have in common.

/// The records of one page, to find those that are on the page before as well.
///
/// A class, since the facts about a page are copied some thirty times.
package final class PageRecords: Sendable {
  /// Hashes of the records, in order; of a large page, those of its first and its last records.
  package let hashes: [UInt64]
  /// Hashes that are there twice.
  private let doubled: Set<UInt64>
  /// Numbers of the records, from 1, by the upper bits of their hashes; 0 is a free slot.
  ///
  /// Three of four slots or more are free, so that most searches end at once.
  private let slots: [UInt32]
  private let shift: UInt64

  package init(_ hashes: [UInt64]) {
    self.hashes = hashes
    let bits = max(4, Int.bitWidth - (hashes.count * 4).leadingZeroBitCount)
    let shift = UInt64(64 - bits)
    var slots = [UInt32](repeating: 0, count: 1 << bits)
    var doubled: Set<UInt64> = []
    for index in hashes.indices {
      let slot = Self.slot(of: hashes[index], in: slots, hashes, shift)
      if slots[slot] != 0 { doubled.insert(hashes[index]) } else { slots[slot] = UInt32(truncatingIfNeeded: index + 1) }
    }
    (self.slots, self.doubled, self.shift) = (slots, doubled, shift)
  }

  /// Returns the slot of a hash, or the free slot where it would be.
  @inline(__always)
  private static func slot(of hash: UInt64, in slots: [UInt32], _ hashes: [UInt64], _ shift: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: hash >> shift)
    while slots[slot] != 0, hashes[Int(slots[slot]) &- 1] != hash { slot = (slot &+ 1) & (slots.count &- 1) }
    return slot
  }

  /// Returns the indices of the records that an earlier page has as well.
  private func indices(in earlier: PageRecords) -> [Int] {
    let (slots, others, shift) = (earlier.slots, earlier.hashes, earlier.shift)
    var indices: [Int] = []
    for index in hashes.indices where slots[Self.slot(of: hashes[index], in: slots, others, shift)] != 0 {
      indices.append(index)
    }
    return indices
  }

  /// True if a record is there twice, so that the list may have equal records.
  package var hasEqual: Bool { !doubled.isEmpty }

  /// Returns the number of records that are on an earlier page as well; 0 if that may be so in any list.
  ///
  /// A record that stands on both pages at one place, such as a pinned one, does not count. In a list that may have equal
  /// records, only pages that are half alike count, or a record at the border.
  ///
  /// - Parameter mayBeEqual: whether an earlier page of the list had equal records.
  package func shared(with earlier: PageRecords, mayBeEqual: Bool) -> Int {
    let shared = indices(in: earlier).count { index in
      let hash = hashes[index]
      guard index >= earlier.hashes.count || earlier.hashes[index] != hash else { return false }
      return !doubled.contains(hash) && !earlier.doubled.contains(hash)
    }
    guard shared > 0, mayBeEqual || hasEqual || earlier.hasEqual else { return shared }
    let border = hashes.first == earlier.hashes.last ? hashes.first : nil
    if let border, !doubled.contains(border), !earlier.doubled.contains(border) { return shared }
    return shared * 2 > min(hashes.count, earlier.hashes.count) ? shared : 0
  }

  /// Reports that no record of the page is missing on an earlier page.
  package func isWithin(_ earlier: PageRecords) -> Bool {
    !hashes.isEmpty && indices(in: earlier).count == hashes.count
  }
}
