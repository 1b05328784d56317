// The keys of records: the members that identify them, found in many lines at once.

/// Reads the keys of records, as hashes.
package struct RecordKeys: Sendable {
  private struct Name {
    let path: JSONPath
    /// The beginning of a member that is the first of its record, or follows the one before it in the key; empty for a
    /// value inside another.
    let beginning: [UInt8]
    /// The first eight bytes of it, and which of them count.
    let start: (word: UInt64, mask: UInt64)
    let finder: MemberFinder?

    init(_ path: JSONPath, isFirst: Bool) {
      self.path = path
      let name = path.steps.count == 1 ? path.steps.first?.name : nil
      finder = name.flatMap { MemberFinder(Array($0.utf8)) }
      beginning = name.map { Array((isFirst ? "{" : ",").utf8) + JSONValue($0).bytes + [UInt8(ascii: ":")] } ?? []
      let count = min(beginning.count, 8)
      let word = beginning.prefix(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      start = (word, count == 8 ? .max : 1 << UInt64(8 * count) - 1)
    }

    /// Reports that the member stands at an offset of some text.
    @inline(__always)
    func isThere(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
      guard offset &+ 8 <= bytes.count, let base = bytes.baseAddress else {
        return bytes[min(offset, bytes.count)...].starts(with: beginning)
      }
      let word = UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard UInt64(littleEndian: word) & start.mask == start.word else { return false }
      return beginning.count <= 8 || bytes[(offset &+ 8)...].starts(with: beginning.dropFirst(8))
    }
  }

  private let names: [Name]
  /// True if values that are equal have equal hashes, and lists and objects are no keys.
  private let comparesValues: Bool
  /// The hash of each record's key; 0 for a record without a key.
  package private(set) var hashes: [UInt64] = []
  /// The lines, with their line feeds.
  package private(set) var lines: [Range<Int>] = []
  /// Offsets in the records at which the members of the key before the current one end.
  private var ends: [Int] = []

  /// - Parameters:
  ///   - paths: paths of the values that together identify a record.
  ///   - comparesValues: true if `1` and `1.0` are one key, and lists and objects none.
  package init(_ paths: [JSONPath], comparesValues: Bool = false) {
    names = paths.enumerated().map { Name($1, isFirst: $0 == 0) }
    self.comparesValues = comparesValues
  }

  /// Reads the keys of whole compact lines.
  ///
  /// - Parameter group: distinguishes records that have the same key and are not the same.
  package mutating func read(_ text: [UInt8], _ group: UInt64 = 0) {
    text.withUnsafeBufferPointer { bytes in
      readLines(bytes)
      hashes.removeAll(keepingCapacity: true)
      hashes.append(contentsOf: repeatElement(LineHash.prime ^ group, count: lines.count))
      // Keys often stand at the beginning of their record.
      var isAtBeginning = true
      for name in names {
        isAtBeginning = isAtBeginning && readBeginnings(name, text, bytes)
        if !isAtBeginning { readMembers(name, text, bytes) }
      }
    }
  }

  private mutating func readLines(_ text: UnsafeBufferPointer<UInt8>) {
    lines.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    guard let base = text.baseAddress else { return }
    var start = 0
    while start < text.count {
      let end = min(SIMDScan.firstLineFeed(base, from: start, to: text.count) + 1, text.count)
      lines.append(start..<end)
      ends.append(start)
      start = end
    }
  }

  /// Reads a member at the beginning of each record, or behind the member before it; returns false if the first record
  /// has another one there.
  private mutating func readBeginnings(_ name: Name, _ text: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = name.beginning.count
    func isThere(_ index: Int) -> Bool {
      ends[index] + count < lines[index].upperBound && name.isThere(bytes, at: ends[index])
    }
    guard count > 0, !lines.isEmpty, isThere(0) else { return false }
    for index in lines.indices {
      guard isThere(index) else {
        combine(index, Self.value(in: text, lines[index], name.path))
        ends[index] = lines[index].upperBound
        continue
      }
      let start = ends[index] &+ count
      let end = min(CompactText(bytes: bytes).valueEnd(at: start), lines[index].upperBound)
      combine(index, bytes, start..<max(start, end))
      ends[index] = end
    }
    return true
  }

  /// Reads a member of each record, wherever it stands.
  private mutating func readMembers(_ name: Name, _ text: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>) {
    guard let finder = name.finder else {
      for index in lines.indices { combine(index, Self.value(in: text, lines[index], name.path)) }
      return
    }
    var index = 0
    finder.forEach(in: bytes) { line, member in
      switch member {
      case .missing: hashes[index] = 0
      case .unknown: combine(index, Self.value(in: text, line, name.path))
      case .value(let start):
        let end = min(CompactText(bytes: bytes).valueEnd(at: start), line.upperBound)
        combine(index, bytes, start..<max(start, end))
      }
      index += 1
    }
  }

  private static func value(in text: [UInt8], _ line: Range<Int>, _ path: JSONPath) -> ArraySlice<UInt8>? {
    JSONValue(validated: text[line])[path]?.bytes
  }

  private mutating func combine(_ index: Int, _ value: ArraySlice<UInt8>?) {
    guard let value else { return hashes[index] = 0 }
    value.withUnsafeBufferPointer { combine(index, $0, 0..<$0.count) }
  }

  /// Adds a value to the key of a record, unless the record has no key.
  @inline(__always)
  private mutating func combine(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ value: Range<Int>) {
    guard hashes[index] != 0, let base = bytes.baseAddress, !value.isEmpty,
      bytes[value.lowerBound] != UInt8(ascii: "n")
    else { return hashes[index] = 0 }
    var hash: UInt64
    if comparesValues {
      let text = UnsafeBufferPointer(rebasing: bytes[value])
      if text[0] == UInt8(ascii: "{") || text[0] == UInt8(ascii: "[") { return hashes[index] = 0 }
      hash = Self.valueHash(text)
    } else {
      hash = LineHash.hash(UnsafeRawPointer(base + value.lowerBound), value.count)
    }
    hashes[index] = LineHash.mixed(hashes[index] ^ hash, LineHash.prime) | 1
  }

  /// Returns a hash that is equal for equal scalars; a text without escapes and a plain number are hashed as they stand.
  private static func valueHash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    if text[0] == UInt8(ascii: "\"") {
      let extent = CompactText(bytes: text).string(at: 0)
      if extent.hasEscape { return hash(of: (JSONValue(validated: Array(text)[...]).joinKey?.bytes ?? []) + [text[0]]) }
    } else if text[0] == UInt8(ascii: "-") || Bytes.isDigit(text[0]) {
      let isPlain = text.count <= 18 && text.allSatisfy(Bytes.isDigit)
      if !isPlain {
        let value = JSONValue(validated: Array(text)[...])
        return hash(of: value.integer.map { Array(String($0).utf8) } ?? value.joinKey?.bytes ?? [])
      }
    }
    return text.baseAddress.map { LineHash.hash(UnsafeRawPointer($0), text.count) } ?? 0
  }

  private static func hash(of bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { bytes in bytes.baseAddress.map { LineHash.hash($0, bytes.count) } ?? 0 }
  }

  /// Returns the key of a record, exactly; nil for a record without one.
  package func key(of record: JSONValue) -> JoinedKey? {
    guard record.kind == .object else { return nil }
    var key = JoinedKey()
    for name in names {
      guard let value = record[name.path], ![.object, .array].contains(value.kind), key.append(value) else {
        return nil
      }
    }
    return key
  }

  /// Returns the first member for which a record has no key, and what is there; nil if the record has a key.
  package func flaw(of record: JSONValue) -> (path: JSONPath, value: JSONValue?)? {
    for name in names {
      let value = record.kind == .object ? record[name.path] : nil
      guard let value, ![.object, .array, .null].contains(value.kind) else { return (name.path, value) }
    }
    return nil
  }
}

// MARK: Hashes of single records: by them, pages that share records are found

/// Hashes the records of a page, one at a time, and the page as a whole.
package struct RecordHasher: Sendable {
  /// Number of records at each end of a page whose hashes are kept, so that memory does not grow with the page.
  private static let kept = 1 << 14

  /// Hashes of the objects, in order; of a large page, those of its first and its last records.
  package private(set) var hashes: [UInt64] = []
  private var count: UInt64 = 0
  private var content: UInt64 = 0

  package init() {}

  /// Adds whole lines that follow the lines before; the cuts between them change nothing.
  package mutating func add(_ lines: [UInt8]) {
    if hashes.count > 3 * Self.kept { hashes.removeSubrange(Self.kept..<hashes.count - Self.kept) }
    lines.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let text = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      var start = 0
      while start < bytes.count {
        let end = SIMDScan.firstLineFeed(text, from: start, to: bytes.count)
        let hash = LineHash.hash(base + start, end - start)
        content = LineHash.mixed(content ^ hash, LineHash.prime)
        count &+= 1
        if text[start] == UInt8(ascii: "{") { hashes.append(hash) }
        start = end + 1
      }
    }
  }

  /// Hash of all records, equal in every process.
  package var contentHash: Int { Int(truncatingIfNeeded: LineHash.mixed(content ^ count, LineHash.prime)) }
}

/// Fast 64-bit hash of one line, as `Fingerprint` is one of many bytes.
enum LineHash {
  static let prime: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Returns the xor of both halves of the product.
  @inline(__always)
  static func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Returns the hash of `count` bytes, and reads no others.
  @inline(__always)
  static func hash(_ text: UnsafeRawPointer, _ count: Int) -> UInt64 {
    func word(_ offset: Int) -> UInt64 { text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    func half(_ offset: Int) -> UInt64 { UInt64(text.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    var (a, b): (UInt64, UInt64) = (0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB)
    var index = 0
    while index &+ 32 <= count {
      a = mixed(a ^ word(index), prime ^ word(index &+ 8))
      b = mixed(b &+ word(index &+ 16), prime ^ word(index &+ 24))
      index &+= 32
    }
    // The last words overlap those before them, so that no byte needs a step of its own.
    if count >= 16 {
      if count &- index > 16 { a = mixed(a ^ word(index), prime ^ word(index &+ 8)) }
      b = mixed(b &+ word(count &- 16), prime ^ word(count &- 8))
    } else if count >= 8 {
      a = mixed(a ^ word(0), prime ^ word(count &- 8))
    } else if count >= 4 {
      a = mixed(a ^ half(0), prime ^ half(count &- 4))
    } else {
      for offset in 0..<count { a = mixed(a ^ UInt64(text.load(fromByteOffset: offset, as: UInt8.self)), prime) }
    }
    return mixed(a ^ UInt64(truncatingIfNeeded: count), b ^ prime)
  }
}
