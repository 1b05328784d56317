// One pass over a record, checked against its model: the model's members come out, in the model's order.

/// Checks and filters record after record. What is open is in an array, not on the stack: models may be deep.
struct ModelWalk: Sendable {
  /// An object or array that is being written.
  private struct Frame {
    let container: Container
    /// A map's first place in `found`.
    let base: Int
    /// Where a map's object ends.
    let end: Int
    /// The member or element that comes next.
    var next = 0
    var hasOutput = false
  }
  private enum Container {
    /// The numbers of its members.
    case map(Range<Int>)
    case list(of: ModelTable.Kind)
  }

  private static let record = ModelTable.Kind(leaf: .map(0), listDepth: 0)
  private static let anything = ModelTable.Kind(leaf: .any, listDepth: 0)

  private let table: ModelTable
  private var frames: [Frame] = []
  /// What stands in a record for a member of the model.
  private struct Found {
    let value: Range<Int>
    /// Where the name begins, or nil when it is escaped in another way than it comes out.
    let name: Int?
  }
  /// For each open map, what was found of its members; innermost last.
  private var found: [Found?] = []
  /// After what was written last.
  private var place = 0

  init(_ table: ModelTable) {
    self.table = table
  }

  /// Adds the record that begins at `start`, and returns the place after it.
  mutating func append(recordAt start: Int, of text: [UInt8], to output: inout [UInt8]) throws(Mismatch) -> Int {
    frames.removeAll(keepingCapacity: true)
    found.removeAll(keepingCapacity: true)
    try write(Self.record, valueAt: start..<start + 1, from: start, of: text, to: &output)
    while let frame = frames.last {
      switch frame.container {
      case .map(let numbers): try writeMembers(numbers, text, to: &output)
      case .list(let kind): try writeElements(kind, text, to: &output)
      }
    }
    return place
  }

  /// Writes a leaf, or opens a list or map, of which only the first byte need be in the range. What stands from `start`
  /// up to the value comes out with it.
  private mutating func write(
    _ kind: ModelTable.Kind, valueAt value: Range<Int>, from start: Int, of text: [UInt8], to output: inout [UInt8]
  ) throws(Mismatch) {
    if kind.listDepth > 0 {
      guard text[value.lowerBound] == Mark.openArray else { throw mismatch(kind, valueAt: value.lowerBound, of: text) }
      output += text[start...value.lowerBound]
      place = value.lowerBound + 1
      frames.append(Frame(container: .list(of: kind.element), base: found.count, end: 0))
      return
    }
    guard kind.leaf.accepts(value, in: text) else { throw mismatch(kind, valueAt: value.lowerBound, of: text) }
    if case .map(let map) = kind.leaf {
      output += text[start...value.lowerBound]
      open(map, at: value.lowerBound, of: text)
    } else {
      output += text[start..<value.upperBound]
      place = value.upperBound
    }
  }

  /// Finds the members; of duplicates the last one counts.
  private mutating func open(_ map: Int, at start: Int, of text: [UInt8]) {
    let base = found.count
    let names = table.maps[map].names
    found.append(contentsOf: repeatElement(nil, count: table.maps[map].members.count))
    var cursor = MemberCursor(objectAt: start)
    while let (name, value) = cursor.next(in: text) {
      guard let match = names.match(nameAt: name, in: text) else { continue }
      found[base + match.number] = Found(value: value, name: match.isPlain ? name.lowerBound : nil)
    }
    frames.append(Frame(container: .map(table.maps[map].members), base: base, end: cursor.place))
  }

  /// Writes members up to the first that opens a container, or to the end of the map.
  private mutating func writeMembers(
    _ numbers: Range<Int>, _ text: [UInt8], to output: inout [UInt8]
  ) throws(Mismatch) {
    let top = frames.count - 1
    while frames[top].next < numbers.count {
      let slot = frames[top].next
      frames[top].next += 1
      try writeMember(
        table.members[numbers.lowerBound + slot], found[frames[top].base + slot], of: text, to: &output)
      if frames.count > top + 1 { return }
    }
    output.append(Mark.closeObject)
    place = frames[top].end
    found.removeLast(numbers.count)
    frames.removeLast()
  }

  private mutating func writeMember(
    _ member: ModelTable.Member, _ found: Found?, of text: [UInt8], to output: inout [UInt8]
  ) throws(Mismatch) {
    guard let found else {
      if member.isOptional { return }
      throw Mismatch(keyPath: keyPath, expected: member.kind.expectation, found: "nothing")
    }
    let top = frames.count - 1
    if frames[top].hasOutput { output.append(Mark.comma) }
    frames[top].hasOutput = true
    if found.name == nil { output += table.labels[member.label] }
    let isNull = member.isOptional && text[found.value.lowerBound] == UInt8(ascii: "n")
    try write(
      isNull ? Self.anything : member.kind, valueAt: found.value, from: found.name ?? found.value.lowerBound,
      of: text, to: &output)
  }

  /// Writes elements up to the first that opens a container, or to the end of the list.
  private mutating func writeElements(
    _ kind: ModelTable.Kind, _ text: [UInt8], to output: inout [UInt8]
  ) throws(Mismatch) {
    let top = frames.count - 1
    while text[place] != Mark.closeArray {
      let start = place
      if text[place] == Mark.comma { place += 1 }
      frames[top].next += 1
      try write(kind, valueAt: element(kind, of: text), from: start, of: text, to: &output)
      if frames.count > top + 1 { return }
    }
    output.append(Mark.closeArray)
    place += 1
    frames.removeLast()
  }

  /// Where the next element stands. Of a container that will be opened only the first byte is needed.
  private func element(_ kind: ModelTable.Kind, of text: [UInt8]) -> Range<Int> {
    if kind.listDepth > 0 { return place..<place + 1 }
    if case .map = kind.leaf { return place..<place + 1 }
    return place..<text.endOfValue(at: place)
  }

  private func mismatch(_ kind: ModelTable.Kind, valueAt start: Int, of text: [UInt8]) -> Mismatch {
    Mismatch(
      keyPath: keyPath, expected: kind.expectation,
      found: quotation(of: text, start..<text.endOfValue(at: start)))
  }

  /// The way to the member or element that was begun last; empty for the record itself.
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
