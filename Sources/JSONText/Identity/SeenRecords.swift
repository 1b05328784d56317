// The records of a stream by their keys, in a table of bounded size: finds records that come twice.

/// Remembers records by the members that identify them.
///
/// A record takes 16 bytes: 40 bits of its key's hash, the number of its page, and 64 bits of its content's hash. Its
/// table has up to twice as many entries as records. Of more than `limit` records, the last ones are compared.
package struct SeenRecords: Sendable {
  /// Number of records that are compared at least once the table is full; with those before them, up to twice as many.
  package static let limit = 8_000_000

  /// The comparison of some records with those before them.
  package struct Finding: Sendable, Equatable {
    /// Lines, with their line feeds, of records that came before on another page with the same bytes.
    package var repeats: [Range<Int>] = []
    /// Number of the page on which the first of them came before.
    package var earlierPage = 0
    /// Number of records whose key came before on another page with other bytes.
    package var changedCount = 0
  }

  private let paths: [JSONPath]
  private let finders: [MemberFinder?]
  private let limit: Int
  private var table = RecordTable()
  /// The table that was full before this one; nil before that.
  private var older: RecordTable?
  /// Hashes of the keys of the lines in progress; 0 for a record without a key.
  private var keys: [UInt64] = []
  private var lines: [Range<Int>] = []

  /// - Parameter paths: paths of the values that together identify a record.
  package init(paths: [JSONPath], limit: Int = Self.limit) {
    self.paths = paths
    self.limit = limit
    finders = paths.map { path in
      guard path.steps.count == 1, path.steps[0].index == nil else { return nil }
      return MemberFinder(Array(path.steps[0].name.utf8))
    }
  }

  /// True if the table was full, so that only the last records are compared.
  package var isBounded: Bool { older != nil }

  /// Compares records with those before them, and remembers them.
  ///
  /// A record that lacks a member of the key, or has null there, has no key.
  ///
  /// - Parameters:
  ///   - page: number of their page; records of one page are not compared with each other.
  ///   - group: distinguishes records that have the same key and are not the same.
  package mutating func add(_ text: [UInt8], page: Int, group: UInt64 = 0) -> Finding {
    readKeys(of: text, group)
    var finding = Finding()
    text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      table.reserve(keys.count)
      table.touch(keys)
      for (key, line) in zip(keys, lines) where key != 0 {
        let content = LineHash.hash(base + line.lowerBound, line.count)
        add(RecordTable.Entry(key, page: page, content: content), line, to: &finding)
      }
    }
    if table.count >= limit { (older, table) = (table, RecordTable()) }
    return finding
  }

  @inline(__always)
  private mutating func add(_ entry: RecordTable.Entry, _ line: Range<Int>, to finding: inout Finding) {
    let match = table.insert(entry)
    switch older.map({ match.or($0.find(entry)) }) ?? match {
    case .new: break
    case .changed: finding.changedCount += 1
    case .repeated(let page):
      if finding.repeats.isEmpty { finding.earlierPage = page }
      finding.repeats.append(line)
    }
  }

  private mutating func readKeys(of text: [UInt8], _ group: UInt64) {
    keys.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    for (index, path) in paths.enumerated() {
      if let finder = finders[index] {
        readMember(text, path, finder, isFirst: index == 0, group)
      } else {
        readMember(text, path, isFirst: index == 0, group)
      }
    }
  }

  /// Adds a member of each record to its key.
  private mutating func readMember(
    _ text: [UInt8], _ path: JSONPath, _ finder: MemberFinder, isFirst: Bool, _ group: UInt64
  ) {
    var index = 0
    text.withUnsafeBufferPointer { bytes in
      finder.forEach(in: bytes) { line, member in
        if isFirst { append(line, group) }
        switch member {
        case .missing: keys[index] = 0
        case .unknown: combine(index, Self.value(in: text, line, path))
        case .value(let start):
          let end = min(Self.valueEnd(bytes, from: start), line.upperBound)
          combine(index, bytes, start..<max(start, end))
        }
        index += 1
      }
    }
  }

  /// Adds a member of each record to its key, where no search of the text can find it.
  private mutating func readMember(_ text: [UInt8], _ path: JSONPath, isFirst: Bool, _ group: UInt64) {
    if isFirst {
      var start = 0
      while start < text.count {
        let end = min((text[start...].firstLineFeed ?? text.count) + 1, text.count)
        append(start..<end, group)
        start = end
      }
    }
    for index in keys.indices { combine(index, Self.value(in: text, lines[index], path)) }
  }

  private mutating func append(_ line: Range<Int>, _ group: UInt64) {
    lines.append(line)
    keys.append(LineHash.prime ^ group)
  }

  private static func value(in text: [UInt8], _ line: Range<Int>, _ path: JSONPath) -> ArraySlice<UInt8>? {
    JSONValue(validated: text[line])[path]?.bytes
  }

  private mutating func combine(_ index: Int, _ value: ArraySlice<UInt8>?) {
    guard let value else { return keys[index] = 0 }
    value.withUnsafeBufferPointer { combine(index, $0, 0..<$0.count) }
  }

  /// Adds a value to the key of a record, unless the record has no key.
  @inline(__always)
  private mutating func combine(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ value: Range<Int>) {
    guard keys[index] != 0, let base = bytes.baseAddress, !value.isEmpty, bytes[value.lowerBound] != UInt8(ascii: "n")
    else { return keys[index] = 0 }
    let hash = LineHash.hash(UnsafeRawPointer(base + value.lowerBound), value.count)
    keys[index] = LineHash.mixed(keys[index] ^ hash, LineHash.prime) | 1
  }

  /// Returns the end of a value; most keys are short texts and numbers.
  @inline(__always)
  private static func valueEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    CompactText(bytes: bytes).valueEnd(at: start)
  }
}

/// A table of records by the hashes of their keys, with open addressing.
private struct RecordTable: Sendable {
  /// Bits of an entry's first word that number its page.
  private static let pageBits: UInt64 = 0xFF_FFFF
  private static let leastCapacity = 1 << 10
  /// Capacity from which the table grows by half, in place of twofold.
  private static let largeCapacity = 1 << 20

  /// A record: the upper bits of its key's hash with its page's number, and the hash of its content.
  struct Entry {
    let head: UInt64
    let content: UInt64

    @inline(__always)
    init(_ key: UInt64, page: Int, content: UInt64) {
      // A head of 0 is a free slot.
      let upper = max(key & ~RecordTable.pageBits, RecordTable.pageBits + 1)
      head = upper | UInt64(truncatingIfNeeded: page) & RecordTable.pageBits
      self.content = content
    }

    @inline(__always)
    fileprivate init(head: UInt64, content: UInt64) { (self.head, self.content) = (head, content) }

    fileprivate var key: UInt64 { head & ~RecordTable.pageBits }
    fileprivate var page: Int { Int(head & RecordTable.pageBits) }
  }

  enum Match {
    case new
    /// The key came before on another page, with other bytes.
    case changed
    /// The record came before on this page.
    case repeated(page: Int)

    /// Returns the stronger one of two matches.
    func or(_ other: Match) -> Match {
      if case .new = other { self } else { other }
    }
  }

  private(set) var count = 0
  private var capacity = leastCapacity
  /// Two words for each entry; both are 0 in a free slot.
  private var words = [UInt64](repeating: 0, count: 2 * leastCapacity)

  /// Slot at which the search for a key begins; the order of slots is that of keys, so that growing moves them in order.
  @inline(__always)
  private func slot(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: key.multipliedFullWidth(by: UInt64(truncatingIfNeeded: capacity)).high)
  }

  /// Reads the slots of some keys, so that the searches after it do not wait for memory one after the other.
  func touch(_ keys: [UInt64]) {
    words.withUnsafeBufferPointer { words in
      var sum: UInt64 = 0
      for key in keys { sum |= words[2 &* slot(of: key & ~Self.pageBits)] }
      withExtendedLifetime(sum) {}
    }
  }

  /// Makes room for more records: at most four of five slots are taken.
  mutating func reserve(_ more: Int) {
    var wanted = capacity
    while (count + more) * 5 > wanted * 4 { wanted = wanted < Self.largeCapacity ? wanted * 2 : wanted + wanted / 2 }
    guard wanted > capacity else { return }
    let old = words
    (capacity, count, words) = (wanted, 0, [UInt64](repeating: 0, count: 2 * wanted))
    for index in stride(from: 0, to: old.count, by: 2) where old[index] != 0 {
      put(Entry(head: old[index], content: old[index + 1]))
    }
  }

  /// Adds an entry that is not in the table; there must be a free slot.
  private mutating func put(_ entry: Entry) {
    var index = slot(of: entry.key)
    while words[2 &* index] != 0 { index = index &+ 1 == capacity ? 0 : index &+ 1 }
    (words[2 &* index], words[2 &* index &+ 1]) = (entry.head, entry.content)
    count += 1
  }

  /// Finds a record, and adds it if it is not there; there must be a free slot.
  @inline(__always)
  mutating func insert(_ entry: Entry) -> Match {
    let (match, free) = search(entry)
    if let free {
      (words[2 &* free], words[2 &* free &+ 1]) = (entry.head, entry.content)
      count += 1
    }
    return match
  }

  func find(_ entry: Entry) -> Match { search(entry).match }

  /// Returns what was found, and the free slot for a record that was not.
  @inline(__always)
  private func search(_ entry: Entry) -> (match: Match, free: Int?) {
    words.withUnsafeBufferPointer { words in
      var index = slot(of: entry.key)
      var match = Match.new
      while true {
        let head = words[2 &* index]
        guard head != 0 else { return (match, index) }
        if (head ^ entry.head) & ~Self.pageBits == 0 {
          let page = Int(truncatingIfNeeded: head & Self.pageBits)
          let isSamePage = page == Int(truncatingIfNeeded: entry.head & Self.pageBits)
          if words[2 &* index &+ 1] == entry.content { return (isSamePage ? .new : .repeated(page: page), nil) }
          if !isSamePage { match = .changed }
        }
        index = index &+ 1 == capacity ? 0 : index &+ 1
      }
    }
  }
}
