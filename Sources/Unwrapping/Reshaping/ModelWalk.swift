// One pass over the tokens of a record that checks it against its model, and writes the model's members in its order.

import JSONText

/// Checks and filters record after record.
///
/// Open containers are in an array, not on the stack: models may be deep.
struct ModelWalk: Sendable {
  /// Object or array that is being written.
  private struct Frame {
    let container: Container
    /// Index in `found` of a map's first member.
    let base: Int
    /// Token number of a map's last bracket.
    let closing: Int
    /// Index of the next member or element.
    var next = 0
    var hasOutput = false
  }
  private enum Container {
    /// Range of the map's members in the table.
    case map(Range<Int>)
    case list(of: ModelTable.Kind)
  }

  private static let record = ModelTable.Kind(leaf: .map(0), listDepth: 0)
  private static let anything = ModelTable.Kind(leaf: .any, listDepth: 0)

  private let table: ModelTable
  private var frames: [Frame] = []
  /// Value that a record has for a member of the model.
  private struct Found {
    let value: Range<Int>
    /// Number of the first token in the value, or after it.
    let token: Int
    /// Offset of the name, or nil if its escapes differ from the model's spelling.
    let name: Int?
  }
  /// Values found for the members of each open map, innermost map last.
  private var found: [Found?] = []
  /// Offset after the last written byte, and the number of the first token there or after it.
  private var (place, token) = (0, 0)

  init(_ table: ModelTable) {
    self.table = table
  }

  /// Depth to which a record's tokens are read.
  var depth: Int { table.depth }

  /// Appends the checked record, and returns the offset after it.
  mutating func append(_ record: TokenedRecord, to output: inout [UInt8]) throws(ModelError) -> Int {
    frames.removeAll(keepingCapacity: true)
    found.removeAll(keepingCapacity: true)
    token = record.opening
    try write(Self.record, valueAt: record.start..<record.start + 1, from: record.start, of: record, to: &output)
    while let frame = frames.last {
      switch frame.container {
      case .map(let numbers): try writeMembers(numbers, record, to: &output)
      case .list(let kind): try writeElements(kind, record, to: &output)
      }
    }
    return place
  }

  /// Writes a leaf, or opens a list or map, together with the bytes from `start` up to the value.
  ///
  /// For a list or map, the range need only have its first byte. `token` is the number of the first token in the value
  /// or after it.
  private mutating func write(
    _ kind: ModelTable.Kind, valueAt value: Range<Int>, from start: Int, of record: TokenedRecord,
    to output: inout [UInt8]
  ) throws(ModelError) {
    let text = record.text
    if kind.listDepth > 0 {
      guard text[value.lowerBound] == JSONByte.openArray else {
        throw mismatch(kind, valueAt: value.lowerBound, of: text)
      }
      output.append(start..<value.lowerBound + 1, of: text)
      (place, token) = (value.lowerBound + 1, token + 1)
      frames.append(Frame(container: .list(of: kind.element), base: found.count, closing: 0))
      return
    }
    guard kind.leaf.accepts(value, in: text) else { throw mismatch(kind, valueAt: value.lowerBound, of: text) }
    if case .map(let map) = kind.leaf {
      output.append(start..<value.lowerBound + 1, of: text)
      open(map, of: record)
    } else {
      output.append(start..<value.upperBound, of: text)
      place = value.upperBound
    }
  }

  /// Finds the members of the object whose bracket is the next token; the last duplicate of a name counts.
  private mutating func open(_ map: Int, of record: TokenedRecord) {
    let base = found.count
    let names = table.maps[map].names
    found.append(contentsOf: repeatElement(nil, count: table.maps[map].members.count))
    let closing = names.forEachMember(openedBy: token, of: record) { member, number, isPlain in
      found[base + number] = Found(
        value: member.value, token: member.token, name: isPlain ? member.name.lowerBound : nil)
    }
    frames.append(Frame(container: .map(table.maps[map].members), base: base, closing: closing))
  }

  /// Writes members up to the first that opens a container, or to the end of the map.
  private mutating func writeMembers(
    _ numbers: Range<Int>, _ record: TokenedRecord, to output: inout [UInt8]
  ) throws(ModelError) {
    let top = frames.count - 1
    while frames[top].next < numbers.count {
      let slot = frames[top].next
      frames[top].next += 1
      try writeMember(
        table.members[numbers.lowerBound + slot], found[frames[top].base + slot], of: record, to: &output)
      if frames.count > top + 1 { return }
    }
    output.append(JSONByte.closeObject)
    (place, token) = (record.place(frames[top].closing) + 1, frames[top].closing + 1)
    found.removeLast(numbers.count)
    frames.removeLast()
  }

  private mutating func writeMember(
    _ member: ModelTable.Member, _ found: Found?, of record: TokenedRecord, to output: inout [UInt8]
  ) throws(ModelError) {
    guard let found else {
      if member.isOptional { return }
      throw ModelError(keyPath: keyPath, expected: member.kind.expectation, found: "nothing", isOfModel: true)
    }
    let top = frames.count - 1
    if frames[top].hasOutput { output.append(JSONByte.comma) }
    frames[top].hasOutput = true
    if found.name == nil { output.append(member.label, of: table.labels) }
    let isNull = member.isOptional && record.text[found.value.lowerBound] == UInt8(ascii: "n")
    token = found.token
    try write(
      isNull ? Self.anything : member.kind, valueAt: found.value, from: found.name ?? found.value.lowerBound,
      of: record, to: &output)
  }

  /// Writes elements up to the first that opens a container, or to the end of the list.
  private mutating func writeElements(
    _ kind: ModelTable.Kind, _ record: TokenedRecord, to output: inout [UInt8]
  ) throws(ModelError) {
    let top = frames.count - 1
    while record.text[place] != JSONByte.closeArray {
      let start = place
      if record.text[place] == JSONByte.comma { (place, token) = (place + 1, token + 1) }
      frames[top].next += 1
      let (element, end) = element(kind, of: record)
      try write(kind, valueAt: element, from: start, of: record, to: &output)
      if frames.count > top + 1 { return }
      token = end
    }
    output.append(JSONByte.closeArray)
    (place, token) = (place + 1, token + 1)
    frames.removeLast()
  }

  /// Returns the range of the next element, and the number of the token after it.
  ///
  /// For a container that will be opened, the range has only its first byte.
  private func element(_ kind: ModelTable.Kind, of record: TokenedRecord) -> (Range<Int>, end: Int) {
    if kind.listDepth > 0 { return (place..<place + 1, token) }
    if case .map = kind.leaf { return (place..<place + 1, token) }
    let end = record.tokenIndex.end(ofValueBehind: token - 1, in: record.text)
    return (place..<record.place(end), end)
  }

  private func mismatch(_ kind: ModelTable.Kind, valueAt start: Int, of text: [UInt8]) -> ModelError {
    ModelError(
      keyPath: keyPath, expected: kind.expectation,
      found: quotation(of: text, start..<text.endOfValue(at: start)), isOfModel: true)
  }

  /// Path of the current member or element; empty for the record itself.
  private var keyPath: String {
    KeyPathText.joined(
      frames.map { frame in
        switch frame.container {
        case .map(let numbers): KeyPathText.member(table.names[numbers.lowerBound + frame.next - 1])
        case .list: KeyPathText.element(frame.next - 1)
        }
      })
  }
}
