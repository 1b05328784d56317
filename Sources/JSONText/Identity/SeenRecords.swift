// The records of a stream by their keys, in a table of bounded size: finds records that come twice.

import CJSONText

/// Remembers records by the members that identify them.
///
/// A record takes 8 bytes: 46 bits of its key's hash, and 18 bits of its content's hash. Six further bits of the key choose
/// a segment of the table. With the free slots, the table has 11 to 16 bytes a record. Of more than `limit` records, the
/// last ones are compared.
package struct SeenRecords: Sendable {
  /// Number of records that are compared at least once the table is full; with those before them, up to twice as many.
  package static let limit = 8_000_000

  /// The comparison of some records with those before them.
  package struct Finding: Sendable, Equatable {
    /// Lines, with their line feeds, of records that came before on another page with the same bytes.
    package var repeats: [Range<Int>] = []
    /// The first record that came again with the same bytes, also if it had other bytes in between.
    package var firstRepeat: Range<Int>?
    /// Number of records whose key came before on another page with other bytes.
    package var changedCount = 0
    /// The hashes of the keys and the contents of the other records, if they are wanted.
    package var added: [UInt64] = []
  }

  /// Number of records whose slots are asked for before they are needed.
  private static let ahead = 16

  private let limit: Int
  private let wantsAdded: Bool
  private let keepsReturned: Bool
  private var keys: RecordKeys
  private var table = RecordTable()
  /// The table that was full before this one; nil before that.
  private var older: RecordTable?
  /// The page in progress: its records are in the table, and are not compared with each other.
  private var current = CurrentPage()

  /// - Parameters:
  ///   - paths: paths of the values that together identify a record.
  ///   - keepsReturned: whether a record that changed, and then changed back, counts as changed: its last line must be
  ///     the current one.
  ///   - wantsAdded: whether findings have the hashes of the records, so that another process can remember them.
  package init(
    paths: [JSONPath], limit: Int = Self.limit, keepsReturned: Bool = false, wantsAdded: Bool = false
  ) {
    (self.limit, self.wantsAdded, self.keepsReturned) = (limit, wantsAdded, keepsReturned)
    keys = RecordKeys(paths)
  }

  /// True if the table was full, so that only the last records are compared.
  package var isBounded: Bool { older != nil }

  /// Compares records with those before them, and remembers them.
  ///
  /// A record that lacks a member of the key, or has null there, has no key.
  ///
  /// - Parameters:
  ///   - page: number of their page.
  ///   - group: distinguishes records that have the same key and are not the same.
  package mutating func add(_ text: [UInt8], page: Int, group: UInt64 = 0) -> Finding {
    if page != current.number { begin(page) }
    keys.read(text, group)
    var finding = Finding()
    let (hashes, lines, older) = (keys.hashes, keys.lines, older)
    current.reserve(hashes.count)
    text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      table.prefetch(hashes.prefix(Self.ahead))
      for index in hashes.indices {
        if index &+ Self.ahead < hashes.count { table.prefetch(hashes[index &+ Self.ahead]) }
        let (key, line) = (hashes[index], lines[index])
        guard key != 0 else { continue }
        let content = LineHash.hash(base + line.lowerBound, line.count)
        let entry = RecordTable.Entry(key, content: content)
        var match = table.insert(entry, &current)
        if match != .repeated, let other = older?.find(entry), other != .new { match = other }
        if match == .repeated {
          finding.firstRepeat = finding.firstRepeat ?? line
          guard keepsReturned, table.hasOthers(entry) || older?.hasOthers(entry) == true else {
            finding.repeats.append(line)
            continue
          }
          match = .changed
        }
        if match == .changed { finding.changedCount += 1 }
        if wantsAdded { finding.added += [key, content] }
      }
    }
    return finding
  }

  /// Remembers records without comparing them.
  package mutating func remember(_ text: [UInt8], group: UInt64 = 0) {
    _ = add(text, page: -1, group: group)
    begin(0)
  }

  /// Remembers records by the hashes that another process found (`Finding.added`).
  package mutating func remember(_ hashes: [UInt64]) {
    for index in stride(from: 0, to: hashes.count - 1, by: 2) {
      _ = table.insert(RecordTable.Entry(hashes[index], content: hashes[index + 1]), &current)
    }
    begin(0)
  }

  private mutating func begin(_ page: Int) {
    current.begin(page)
    if table.count >= limit { (older, table) = (table, RecordTable()) }
  }
}

/// The records of the page in progress, to tell them from those before it.
private struct CurrentPage: Sendable {
  private(set) var number = 0
  /// The entries' words: two entries with one word in two segments are as unlikely as two hashes that are equal.
  private var words: [UInt64] = []
  /// The same, made for the first record that looks like one before it.
  private var known: Set<UInt64>?

  mutating func begin(_ number: Int) {
    self.number = number
    words.removeAll(keepingCapacity: true)
    known = nil
  }

  /// Makes room for records that will be added.
  mutating func reserve(_ count: Int) {
    if words.capacity < words.count + count { words.reserveCapacity(max(words.count + count, 2 * words.capacity)) }
  }

  @inline(__always)
  mutating func add(_ word: UInt64) {
    words.append(word)
    if known != nil { known?.insert(word) }
  }

  mutating func has(_ word: UInt64) -> Bool {
    if known == nil { known = Set(words) }
    return known?.contains(word) == true
  }
}

/// A table of records by the hashes of their keys, with open addressing, in segments that grow one by one.
///
/// So growing needs no second table of all records. A copy shares the table.
private final class RecordTable: @unchecked Sendable {
  private static let segmentBits: UInt64 = 6
  /// Bits of an entry's word that are of its content.
  private static let contentBits: UInt64 = 18

  struct Entry {
    /// The rest of the key's hash, then the content's hash; 0 is a free slot.
    let word: UInt64
    let segment: UInt8

    @inline(__always)
    init(_ key: UInt64, content: UInt64) {
      segment = UInt8(truncatingIfNeeded: key >> (64 &- segmentBits))
      let mask: UInt64 = 1 << contentBits &- 1
      word = max(1, key << segmentBits & ~mask | content & mask)
    }
  }

  enum Match {
    case new
    /// The key came before on another page, with other bytes.
    case changed
    case repeated
  }

  /// Slots in the order of their keys, so that growing moves entries in order.
  private struct Segment {
    var words: UnsafeMutablePointer<UInt64>?
    var capacity = 0
    var count = 0
    /// Number of entries for which there is room: at most three of four slots are taken.
    var room = 0

    @inline(__always)
    func slot(of word: UInt64) -> Int {
      Int(truncatingIfNeeded: word.multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
    }

    @inline(__always)
    func next(_ slot: Int) -> Int { slot &+ 1 == capacity ? 0 : slot &+ 1 }

    /// Adds a word; there must be a free slot.
    func put(_ word: UInt64) {
      guard let words else { return }
      var index = slot(of: word)
      while words[index] != 0 { index = next(index) }
      words[index] = word
    }

    /// Makes room for further words.
    mutating func grow() {
      let old = self
      capacity = capacity < 64 ? max(8, capacity * 2) : capacity + capacity / 2
      room = capacity / 4 * 3
      words = .allocate(capacity: capacity)
      words?.initialize(repeating: 0, count: capacity)
      guard let others = old.words else { return }
      for index in 0..<old.capacity where others[index] != 0 { put(others[index]) }
      others.deallocate()
    }
  }

  private(set) var count = 0
  private let segments: UnsafeMutablePointer<Segment>

  init() {
    segments = .allocate(capacity: 1 << Self.segmentBits)
    segments.initialize(repeating: Segment(), count: 1 << Self.segmentBits)
  }

  deinit {
    for index in 0..<1 << Self.segmentBits { segments[index].words?.deallocate() }
    segments.deallocate()
  }

  /// Asks for the slot of a key, so that the search after it does not wait for memory.
  @inline(__always)
  func prefetch(_ key: UInt64) {
    let entry = Entry(key, content: 0)
    let segment = segments + Int(entry.segment)
    if let words = segment.pointee.words { cjson_prefetch(words + segment.pointee.slot(of: entry.word)) }
  }

  func prefetch(_ keys: ArraySlice<UInt64>) { for key in keys { prefetch(key) } }

  /// Finds a record in a table that has none of the page in progress.
  func find(_ entry: Entry) -> Match {
    let segment = segments[Int(entry.segment)]
    guard let words = segment.words else { return .new }
    var index = segment.slot(of: entry.word)
    var match = Match.new
    while words[index] != 0 {
      if words[index] == entry.word { return .repeated }
      if (words[index] ^ entry.word) >> Self.contentBits == 0 { match = .changed }
      index = segment.next(index)
    }
    return match
  }

  /// True if the key has other bytes, too.
  func hasOthers(_ entry: Entry) -> Bool {
    let segment = segments[Int(entry.segment)]
    guard let words = segment.words else { return false }
    var index = segment.slot(of: entry.word)
    while words[index] != 0 {
      if words[index] != entry.word, (words[index] ^ entry.word) >> Self.contentBits == 0 { return true }
      index = segment.next(index)
    }
    return false
  }

  /// Finds a record apart from those of the page in progress, and adds it unless it is there.
  @inline(__always)
  func insert(_ entry: Entry, _ page: inout CurrentPage) -> Match {
    let segment = segments + Int(entry.segment)
    if segment.pointee.count == segment.pointee.room { segment.pointee.grow() }
    guard let words = segment.pointee.words else { return .new }
    var index = segment.pointee.slot(of: entry.word)
    var match = Match.new
    while words[index] != 0 {
      let other = words[index]
      if (other ^ entry.word) >> Self.contentBits == 0 {
        let isOfPage = page.has(other)
        if other == entry.word { return isOfPage ? .new : .repeated }
        if !isOfPage { match = .changed }
      }
      index = segment.pointee.next(index)
    }
    words[index] = entry.word
    segment.pointee.count &+= 1
    count &+= 1
    page.add(entry.word)
    return match
  }
}

// MARK: Where the newest line of each record is, by its key: a table of a known number of records

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

  /// Number of hashes whose slots are asked for before they are needed.
  private static let ahead = 16

  /// Returns the indices of the hashes that the table has; the keys of their records may still be others.
  package func hits(among hashes: [UInt64]) -> [Int] {
    guard count > 0 else { return [] }
    var hits: [Int] = []
    words.withUnsafeBufferPointer { words in
      guard let base = words.baseAddress else { return }
      for (number, hash) in hashes.enumerated() {
        if number &+ Self.ahead < hashes.count { cjson_prefetch(base + 2 &* slot(of: hashes[number &+ Self.ahead])) }
        var index = slot(of: hash)
        while words[2 &* index] != 0, words[2 &* index] != hash { index = next(index) }
        if words[2 &* index] == hash { hits.append(number) }
      }
    }
    return hits
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
