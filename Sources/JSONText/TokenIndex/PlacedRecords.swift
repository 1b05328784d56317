// Finds wanted members in records, one after the other: by their token index, or by scanning if the token index is not
// known.

/// Walks from record to record, for the time of one call.
struct PlacedRecords {
  private let text: TokenIndexedText
  private let names: WantedNames
  /// Token number from which the next record is searched.
  private var next = 0
  /// Row of the current record.
  private let row: UnsafeMutableBufferPointer<UInt32>

  /// Creates the walk.
  ///
  /// - Parameter row: two numbers for each name.
  init(_ text: TokenIndexedText, _ names: WantedNames, row: UnsafeMutableBufferPointer<UInt32>) {
    self.text = text
    self.names = names
    self.row = row
  }

  /// Calls `body` with a walk over lines.
  static func walk<Result>(
    _ lines: [UInt8], _ names: WantedNames, _ tokenIndex: TokenIndex, _ body: (inout PlacedRecords) -> Result
  ) -> Result {
    tokenIndex.withText(lines) { text in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * names.texts.count) { row in
        var records = PlacedRecords(text, names, row: row)
        return body(&records)
      }
    }
  }

  /// Returns the record that begins at the offset.
  ///
  /// Nil if no record begins there, or if it is no object or lies beyond 4 GB. Nil also if a name that may be a wanted
  /// one has an escape, or if a wanted name is there twice.
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

  // MARK: By the token index

  /// Walks over the members of the record that has its first bracket at this token.
  ///
  /// It stops at the last bracket, or, without an offset, at a member that this fast path can't handle.
  private func walk(from opening: Int) -> (number: Int, place: Int?) {
    var number = text.token(opening &+ 1) == UInt8(ascii: "}") ? opening &+ 1 : opening
    while true {
      number = text.skippingMembers(after: number) { !names.mayHave($0) }
      guard let member = text.member(after: number) else { break }
      let name = member.name.lowerBound &+ 1..<member.name.upperBound &- 1
      if names.mayHave(name.count) {
        guard note(member.value, of: name) else { return (number, nil) }
      }
      number = member.end
    }
    guard text.token(number) == UInt8(ascii: "}") else { return (number, nil) }
    let end = text.place(number)
    return (number, end <= UInt32.max ? end : nil)
  }

  // MARK: By scanning

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

  /// Notes a member; returns false if the name may be a wanted one and has an escape, or if the member was noted before.
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
