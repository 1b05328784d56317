// Where members of records are: found during the walk (`MemberFinder`), or by a closer look here.

/// Where wanted members are in lines, of records that were found during the walk, in their order.
package struct MemberPlaces: Sendable {
  /// What a record's row of numbers has: where it begins, where its closing bracket is, and of each name where its value
  /// begins and ends (0 and 0 for a member that is not there).
  static let start = 0
  static let end = 1
  static func value(_ index: Int) -> Int { 2 &+ 2 &* index }

  let stride: Int
  /// Room for rows: those that count, one that is being made, and more. Of places beyond 4 GB none are kept.
  private var rows: [UInt32] = []
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

  /// So many that mean nothing yet. (Of no room all empty arrays share one, and its count is written by whoever makes it.)
  private static func numbers(_ count: Int) -> [UInt32] {
    count == 0 ? [] : [UInt32](unsafeUninitializedCapacity: count) { $1 = count }
  }

  /// Numbers there is room for.
  var room: Int { rows.count }

  /// Begins a row, with no members so far. The one before is forgotten, unless it was kept.
  @inline(__always)
  mutating func begin(at place: Int) {
    if rows.count < count &+ stride { rows += Self.numbers(max(rows.count, 64 &* stride)) }
    rows.withUnsafeMutableBufferPointer { rows in
      for index in count..<count &+ stride { rows[index] = 0 }
      rows[count] = UInt32(truncatingIfNeeded: place)
    }
  }

  /// A number of the row that is being made.
  @inline(__always)
  subscript(number: Int) -> Int {
    get { Int(rows[count &+ number]) }
    set { rows[count &+ number] = UInt32(truncatingIfNeeded: newValue) }
  }

  /// - Parameter end: where the record ends.
  @inline(__always)
  mutating func keep(endingAt end: Int) {
    guard end <= UInt32.max else { return }
    self[Self.end] = end
    count &+= stride
  }

  /// The rows, where they are those of so many names.
  func withRows<Result>(names: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    guard stride == Self.value(names) else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
    return rows.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
  }
}

/// An object among lines, and where its members are.
struct PlacedRecord {
  let bytes: UnsafeBufferPointer<UInt8>
  fileprivate let row: UnsafePointer<UInt32>

  var start: Int { Int(row[MemberPlaces.start]) }
  /// Where its closing bracket is, which a line feed follows.
  var end: Int { Int(row[MemberPlaces.end]) }

  @inline(__always)
  func value(of index: Int) -> Range<Int>? {
    let (start, end) = (row[MemberPlaces.value(index)], row[MemberPlaces.value(index) &+ 1])
    return start < end ? Int(start)..<Int(end) : nil
  }

  @inline(__always)
  func text(of range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }
}

/// Goes from record to record, for the time of one call.
struct PlacedRecords {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let names: [[UInt8]]
  private let known: UnsafeBufferPointer<UInt32>
  private var next = 0
  /// The row of a record that is looked at here.
  private let sought: UnsafeMutableBufferPointer<UInt32>

  init(
    bytes: UnsafeBufferPointer<UInt8>, known: UnsafeBufferPointer<UInt32>, names: [[UInt8]],
    sought: UnsafeMutableBufferPointer<UInt32>
  ) {
    self.bytes = bytes
    self.known = known
    self.names = names
    self.sought = sought
  }

  /// The record that begins there; nil where none does, or where it has a name with an escape, a wanted one twice, or is
  /// no object, or lies beyond 4 GB.
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
    guard place <= UInt32.max, place + 1 < bytes.count else { return false }
    (sought[MemberPlaces.start], sought[MemberPlaces.end]) = (UInt32(start), UInt32(place))
    return bytes[place + 1] == 0x0A
  }

  /// False when the member is there for the second time.
  private func note(_ value: Range<Int>, of name: Range<Int>) -> Bool {
    for index in names.indices where names[index].count == name.count {
      guard bytes[name].elementsEqual(names[index]) else { continue }
      let place = MemberPlaces.value(index)
      guard sought[place] == 0 else { return false }
      sought[place] = UInt32(truncatingIfNeeded: value.lowerBound)
      sought[place + 1] = UInt32(truncatingIfNeeded: value.upperBound)
    }
    return true
  }
}
