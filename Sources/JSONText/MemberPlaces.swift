// Where members of records are: found during the walk (`MemberFinder`), or by a closer look here.

/// Where wanted members are in lines, of records that were found during the walk, in their order.
package struct MemberPlaces: Sendable {
  /// What a record's row of numbers has: where it begins, where its closing bracket is, and of each name where its value
  /// begins and ends (0 and 0 for a member that is not there).
  static let start = 0
  static let end = 1
  static func value(_ index: Int) -> Int { 2 &+ 2 &* index }

  let stride: Int
  /// Room for rows: those that count, one that is being made, and more.
  private var rows: [Int] = []
  /// The numbers of those that count.
  private var count = 0

  /// None at all.
  package init() {
    self.init(names: 0)
  }

  /// - Parameter room: how many numbers are expected; there may be more.
  init(names: Int, room: Int = 0) {
    stride = Self.value(names)
    rows = Self.numbers(room)
  }

  /// So many that mean nothing yet.
  private static func numbers(_ count: Int) -> [Int] {
    [Int](unsafeUninitializedCapacity: count) { room, initialized in
      initialized = count
    }
  }

  /// Numbers there is room for.
  var room: Int { rows.count }

  /// Begins a row, with no members so far. The one before is forgotten, unless it was kept.
  @inline(__always)
  mutating func begin(at place: Int) {
    if rows.count < count &+ stride { rows += Self.numbers(max(rows.count, 64 &* stride)) }
    for index in count..<count &+ stride { rows[index] = 0 }
    rows[count] = place
  }

  /// A number of the row that is being made.
  @inline(__always)
  subscript(number: Int) -> Int {
    get { rows[count &+ number] }
    set { rows[count &+ number] = newValue }
  }

  @inline(__always)
  mutating func keep() {
    count &+= stride
  }

  /// The rows, where they are those of so many names.
  func withRows<Result>(names: Int, _ body: (UnsafeBufferPointer<Int>) -> Result) -> Result {
    guard stride == Self.value(names) else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
    return rows.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
  }
}

/// An object among lines, and where its members are.
struct PlacedRecord {
  let bytes: UnsafeBufferPointer<UInt8>
  fileprivate let row: UnsafePointer<Int>

  var start: Int { row[MemberPlaces.start] }
  /// Where its closing bracket is, which a line feed follows.
  var end: Int { row[MemberPlaces.end] }

  @inline(__always)
  func value(of index: Int) -> Range<Int>? {
    let (start, end) = (row[MemberPlaces.value(index)], row[MemberPlaces.value(index) &+ 1])
    return start < end ? start..<end : nil
  }

  @inline(__always)
  func text(of range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }
}

/// Goes from record to record, for the time of one call.
struct PlacedRecords {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let names: [[UInt8]]
  private let known: UnsafeBufferPointer<Int>
  private var next = 0
  /// The row of a record that is looked at here.
  private let sought: UnsafeMutableBufferPointer<Int>

  init(
    bytes: UnsafeBufferPointer<UInt8>, known: UnsafeBufferPointer<Int>, names: [[UInt8]],
    sought: UnsafeMutableBufferPointer<Int>
  ) {
    self.bytes = bytes
    self.known = known
    self.names = names
    self.sought = sought
  }

  /// The record that begins there; nil where none does, or where it has a name with an escape, a wanted one twice, or is
  /// no object.
  mutating func record(at start: Int) -> PlacedRecord? {
    while next < known.count, known[next] < start { next += sought.count }
    if next < known.count, known[next] == start, let base = known.baseAddress {
      return PlacedRecord(bytes: bytes, row: base + next)
    }
    guard start < bytes.count, seek(from: start), let base = sought.baseAddress else { return nil }
    return PlacedRecord(bytes: bytes, row: UnsafePointer(base))
  }

  private func seek(from start: Int) -> Bool {
    sought.update(repeating: 0)
    guard bytes[start] == UInt8(ascii: "{") else { return false }
    let text = CompactText(bytes: bytes)
    var place = start + 1
    while place < bytes.count, bytes[place] == UInt8(ascii: "\"") {
      let member = text.member(at: place)
      guard !member.name.hasEscape, note(member.value, of: (place + 1)..<(member.name.end - 1)) else { return false }
      place = member.value.upperBound
      if place < bytes.count, bytes[place] == UInt8(ascii: ",") { place += 1 }
    }
    (sought[MemberPlaces.start], sought[MemberPlaces.end]) = (start, place)
    return place + 1 < bytes.count && bytes[place + 1] == 0x0A
  }

  /// False when the member is there for the second time.
  private func note(_ value: Range<Int>, of name: Range<Int>) -> Bool {
    for index in names.indices where names[index].count == name.count {
      guard bytes[name].elementsEqual(names[index]) else { continue }
      let place = MemberPlaces.value(index)
      guard sought[place] == 0 else { return false }
      (sought[place], sought[place + 1]) = (value.lowerBound, value.upperBound)
    }
    return true
  }
}
