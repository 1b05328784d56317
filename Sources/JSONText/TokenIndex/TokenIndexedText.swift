// Lookup of members, elements and the ends of values from token to token, without reading the bytes between.

/// Lines and their token index, for the time of one call.
///
/// Every number and every offset is compared with the end before it is used.
struct TokenIndexedText {
  let bytes: UnsafeBufferPointer<UInt8>
  let offsets: UnsafeBufferPointer<UInt32>
  let base: Int
  let turns: UnsafeBufferPointer<Int>
  let span: Int

  @inline(__always)
  func offset(_ number: Int) -> Int {
    turns.isEmpty ? base &+ Int(offsets[number]) : distantOffset(number)
  }

  private func distantOffset(_ number: Int) -> Int {
    base + Int(offsets[number]) + span * turns.count(where: { $0 <= number })
  }

  /// Returns the token's byte, or 0 after the last token.
  @inline(__always)
  func token(_ number: Int) -> UInt8 {
    guard number < offsets.count else { return 0 }
    let offset = UInt(bitPattern: offset(number))
    return offset < UInt(bitPattern: bytes.count) ? bytes[Int(bitPattern: offset)] : 0
  }

  func opening(ofRecordAt start: Int, from number: inout Int) -> Int? {
    skip(to: start, from: &number)
    return number < offsets.count && offset(number) == start ? number : nil
  }

  /// Moves to the first token at or after the offset.
  ///
  /// It is usually near. If many records were skipped, the search takes steps that double, then a binary search.
  @inline(__always)
  private func skip(to start: Int, from number: inout Int) {
    for _ in 0..<8 {
      guard number < offsets.count, offset(number) < start else { return }
      number &+= 1
    }
    number = firstToken(notBefore: start, from: number)
  }

  private func firstToken(notBefore start: Int, from number: Int) -> Int {
    var low = number
    var step = 8
    while low + step <= offsets.count, offset(low + step - 1) < start {
      low += step
      step *= 2
    }
    var high = min(low + step, offsets.count)
    while low < high {
      let middle = (low + high) / 2
      if offset(middle) < start { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the number of the token that ends the value that begins after token `number`.
  @inline(__always)
  func end(ofValueBehind number: Int) -> Int {
    let next = number &+ 1
    return token(next) | 0x20 == UInt8(ascii: "{") ? endOfContainer(openedBy: next) &+ 1 : next
  }

  /// Returns the number of a container's last bracket.
  ///
  /// `[` and `{`, and `]` and `}`, differ in one bit only.
  private func endOfContainer(openedBy number: Int) -> Int {
    var depth = 0
    var number = number
    while number < offsets.count {
      let token = token(number) | 0x20
      if token == UInt8(ascii: "{") { depth &+= 1 }
      if token == UInt8(ascii: "}") { depth &-= 1 }
      if depth == 0 { return number }
      number &+= 1
    }
    return number
  }

  /// Returns the member after a bracket or comma, or nil if there is none.
  @inline(__always)
  func member(after number: Int) -> TokenIndexedMember? {
    guard token(number &+ 1) == UInt8(ascii: ":") else { return nil }
    let end = end(ofValueBehind: number &+ 1)
    guard end < offsets.count else { return nil }
    let colon = offset(number &+ 1)
    return TokenIndexedMember(
      name: offset(number) &+ 1..<colon, value: colon &+ 1..<offset(end), token: number &+ 2, end: end)
  }

  /// Returns the first member after a bracket or comma that has a container as its value, or a name of a wanted length.
  ///
  /// Members whose values are no containers are passed over in a loop of their own.
  ///
  /// - Parameter number: afterwards, the number of the bracket or comma before the member; without one, of the last
  ///   bracket.
  @inline(__always)
  private func member(after number: inout Int, in names: WantedNames) -> TokenIndexedMember? {
    guard turns.isEmpty, number < offsets.count else { return member(after: number) }
    var before = base &+ Int(offsets[number])
    while number &+ 2 < offsets.count {
      let colon = base &+ Int(offsets[number &+ 1])
      let end = base &+ Int(offsets[number &+ 2])
      guard UInt(bitPattern: colon) < UInt(bitPattern: end), UInt(bitPattern: end) < UInt(bitPattern: bytes.count),
        bytes[colon] == UInt8(ascii: ":"), bytes[end] | 0x20 != UInt8(ascii: "{")
      else { break }
      if names.mayHave(colon &- before &- 3) {
        return TokenIndexedMember(
          name: before &+ 1..<colon, value: colon &+ 1..<end, token: number &+ 2, end: number &+ 2)
      }
      number &+= 2
      before = end
    }
    return member(after: number)
  }

  /// Calls `body` for each member that is wanted, or may be and has a name with an escape, until `body` returns false.
  ///
  /// Returns the number of the object's last bracket, or of the bracket or comma before the member at which `body`
  /// stopped.
  @inline(__always)
  func forEachMember(
    openedBy opening: Int, in names: WantedNames, _ body: (TokenIndexedMember, WantedNames.Match) -> Bool
  ) -> Int {
    // The last bracket of an object without members follows its first bracket.
    var number = token(opening &+ 1) == UInt8(ascii: "}") ? opening &+ 1 : opening
    while let member = member(after: &number, in: names) {
      let match = names.match(member.name.lowerBound &+ 1..<member.name.upperBound &- 1, in: bytes)
      if case .none = match {} else if !body(member, match) { return number }
      number = member.end
    }
    return number
  }

  // MARK: Paths

  /// Returns the range of the value at the end of the steps, in the container with its first bracket at `opening`.
  ///
  /// The last of duplicate members counts.
  func value(at steps: ArraySlice<JSONStep>, in opening: Int) -> Range<Int>? {
    var opening = opening
    for (index, step) in zip(steps.indices, steps) {
      let isObject = token(opening) == UInt8(ascii: "{")
      let member = isObject ? find(step.name, in: opening)?.last : nil
      guard let found = isObject ? member.map({ ($0.value, $0.token) }) : element(step, opening) else { return nil }
      if index == steps.endIndex - 1 { return found.value }
      // A value without a bracket here has no members or elements.
      guard found.token < offsets.count, offset(found.token) == found.value.lowerBound else { return nil }
      opening = found.token
    }
    return nil
  }

  /// Returns the first and the last member of that name, in the object with its first bracket at `opening`.
  func find(_ name: String, in opening: Int) -> (first: TokenIndexedMember, last: TokenIndexedMember)? {
    var name = name
    return name.withUTF8 { name in
      let text = CompactText(bytes: bytes)
      var found: (first: TokenIndexedMember, last: TokenIndexedMember)?
      var number = opening
      while let member = member(after: number) {
        let start = member.name.lowerBound
        if text.string(at: start, text.string(at: start), decodesTo: name) { found = (found?.first ?? member, member) }
        number = member.end
      }
      return found
    }
  }

  private func element(_ step: JSONStep, _ opening: Int) -> (value: Range<Int>, token: Int)? {
    guard let index = step.index, token(opening) == UInt8(ascii: "[") else { return nil }
    var number = opening
    for _ in 0..<index {
      number = end(ofValueBehind: number)
      guard token(number) == UInt8(ascii: ",") else { return nil }
    }
    let end = end(ofValueBehind: number)
    // Only an array without elements has an empty range here.
    guard end < offsets.count, offset(number) + 1 < offset(end) else { return nil }
    return (offset(number) + 1..<offset(end), number + 1)
  }
}

/// Member of an object, located by its tokens.
package struct TokenIndexedMember {
  /// Range of the name with its quotes.
  package let name: Range<Int>
  package let value: Range<Int>
  /// Number of the first token in the value or after it.
  package let token: Int
  /// Number of the token that ends the member: a comma, or the object's last bracket.
  package let end: Int
}

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
    guard let end = closing == nil ? seek(from: start) : closing?.offset, let base = row.baseAddress,
      end + 1 < text.bytes.count, text.bytes[end + 1] == 0x0A
    else { return nil }
    return PlacedRecord(bytes: text.bytes, start: start, end: end, row: base)
  }

  // MARK: By the token index

  /// Walks over the members of the record that has its first bracket at this token.
  ///
  /// It stops at the last bracket, or, without an offset, at a member that this fast path can't handle.
  private func walk(from opening: Int) -> (number: Int, offset: Int?) {
    let number = text.forEachMember(openedBy: opening, in: names) { add($0.value, $1) }
    guard text.token(number) == UInt8(ascii: "}") else { return (number, nil) }
    let end = text.offset(number)
    return (number, end <= UInt32.max ? end : nil)
  }

  // MARK: By scanning

  private func seek(from start: Int) -> Int? {
    let offset = CompactText(bytes: text.bytes).forEachMember(at: start) { start, member in
      add(member.value, names.match(start + 1..<member.name.end - 1, in: text.bytes))
    }
    guard offset < text.bytes.count, text.bytes[offset] == UInt8(ascii: "}") else { return nil }
    return offset <= UInt32.max ? offset : nil
  }

  /// Notes a member; returns false if the name may be a wanted one and has an escape, or if the member was noted before.
  @inline(__always)
  private func add(_ value: Range<Int>, _ match: WantedNames.Match) -> Bool {
    switch match {
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

/// Object among lines, and the positions of its wanted members.
struct PlacedRecord {
  let bytes: UnsafeBufferPointer<UInt8>
  let start: Int
  /// Offset of the closing bracket, which a line feed follows.
  let end: Int
  /// Start and end offset of each name's value; 0 and 0 for a missing member.
  let row: UnsafePointer<UInt32>

  @inline(__always)
  func value(of index: Int) -> Range<Int>? {
    let (start, end) = (row[2 &* index], row[2 &* index &+ 1])
    return start < end ? Int(start)..<Int(end) : nil
  }

  @inline(__always)
  func text(of range: Range<Int>) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }
}
