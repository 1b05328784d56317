// Where wanted members are in records, one after the other: by the places of their tokens (`TokenIndex`), or, where those
// are not known, by a closer look.

/// Goes from record to record, for the time of one call.
struct PlacedRecords {
  private let text: TokenIndexedText
  private let names: WantedNames
  /// The number of the token from which on the next record is.
  private var next = 0
  /// The row of the record that was looked at last.
  private let row: UnsafeMutableBufferPointer<UInt32>

  /// - Parameter row: two numbers for each name.
  init(_ text: TokenIndexedText, _ names: WantedNames, row: UnsafeMutableBufferPointer<UInt32>) {
    self.text = text
    self.names = names
    self.row = row
  }

  /// The record that begins there; nil where none does, or where it has a name with an escape, a wanted one twice, or is
  /// no object, or lies beyond 4 GB.
  mutating func record(at start: Int) -> PlacedRecord? {
    guard start < text.bytes.count, text.bytes[start] == UInt8(ascii: "{") else { return nil }
    row.update(repeating: 0)
    let closing = text.opening(ofRecordAt: start, from: &next).map { walk(from: $0) }
    if let closing { next = closing.number }
    guard let end = closing == nil ? seek(from: start) : closing?.place, let base = row.baseAddress,
      end + 1 < text.bytes.count, text.bytes[end + 1] == 0x0A
    else { return nil }
    return PlacedRecord(bytes: text.bytes, start: start, end: end, row: base)
  }

  // MARK: By its tokens

  /// Goes from member to member of the record whose first bracket has that number, to the last one, or to where it takes a
  /// closer look: then there is no place.
  private func walk(from opening: Int) -> (number: Int, place: Int?) {
    var number = text.token(opening &+ 1) == UInt8(ascii: "}") ? opening &+ 1 : opening
    while let member = text.member(behind: number) {
      guard note(member.value, of: member.name.lowerBound &+ 1..<member.name.upperBound &- 1) else {
        return (number, nil)
      }
      number = member.end
    }
    guard text.token(number) == UInt8(ascii: "}") else { return (number, nil) }
    let end = text.place(number)
    return (number, end <= UInt32.max ? end : nil)
  }

  // MARK: By a closer look

  private func seek(from start: Int) -> Int? {
    let compact = CompactText(bytes: text.bytes)
    var place = start + 1
    while place < text.bytes.count, text.bytes[place] == UInt8(ascii: "\"") {
      let member = compact.member(at: place)
      guard note(member.value, of: (place + 1)..<(member.name.end - 1)) else { return nil }
      place = member.value.upperBound
      if place < text.bytes.count, text.bytes[place] == UInt8(ascii: ",") { place += 1 }
    }
    return place <= UInt32.max ? place : nil
  }

  /// False when the name has an escape, or the member is there for the second time.
  @inline(__always)
  private func note(_ value: Range<Int>, of name: Range<Int>) -> Bool {
    switch names.match(name, in: text.bytes) {
    case .none: return true
    case .escaped: return false
    case .number(let index):
      guard row[2 &* index] == 0 else { return false }
      row[2 &* index] = UInt32(truncatingIfNeeded: value.lowerBound)
      row[2 &* index &+ 1] = UInt32(truncatingIfNeeded: value.upperBound)
      return true
    }
  }
}
