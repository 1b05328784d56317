import TestSupport
import Testing

@testable import JSONText

@Suite("An index of records by the hashes of their keys")
struct RecordIndexTests {
  @Test(
    "finds every key that it was given, also those with one hash, in a table that grows", arguments: [0, 10, 5_000])
  func findsAllKeys(expected: Int) {
    var index = RecordIndex(expected: expected)
    // Offset of a key's line; three keys share each hash.
    var offsets: [Int: Int] = [:]
    func hash(_ key: Int) -> UInt64 { LineHash.mixed(UInt64(key / 3) + 1, LineHash.prime) | 1 }
    var dice = Dice(state: 7)
    for offset in 1...6_000 {
      let key = Int.random(in: 0..<3_000, using: &dice)
      let slot = index.find(hash(key)) { (found) in offsets[key] == found }
      #expect((slot != nil) == (offsets[key] != nil))
      if let slot { index.setOffset(offset, slot) } else { index.insert(hash(key), at: offset) }
      offsets[key] = offset
    }
    #expect(index.count == offsets.count)
    for (key, offset) in offsets {
      let slot = index.find(hash(key)) { (found) in offset == found }
      #expect(slot.map { index.offset($0) } == offset)
    }
    #expect(index.find(hash(9_999)) { (_) in true } == nil)
    let hashes = (0..<4_000).map { hash($0 * 7 % 4_001) }
    let known = Set(offsets.keys.map { hash($0) })
    #expect(index.hits(among: hashes) == hashes.indices.filter { known.contains(hashes[$0]) })
  }

  @Test("keeps what is done when other keys are added")
  func remembersWhatIsDone() {
    var index = RecordIndex(expected: 1)
    index.insert(17, at: 1 << 40)
    if let slot = index.find(17, { (_) in true }) { index.finish(slot) }
    for hash in UInt64(100)..<200 { index.insert(hash << 48 | 1, at: 5) }
    let slot = index.find(17) { (_) in true }
    #expect(slot.map { index.isDone($0) } == true)
    #expect(slot.map { index.offset($0) } == 1 << 40)
  }
}
