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
    case map(Int)
    case list(of: ModelTable.Kind)
  }

  private let table: ModelTable
  private var frames: [Frame] = []
  /// For each open map, where the values of its members stand; innermost last.
  private var found: [Range<Int>?] = []
  /// After what was written last.
  private var place = 0

  init(_ table: ModelTable) {
    self.table = table
  }

  /// Adds the record that begins at `start`, and returns the place after it.
  mutating func append(recordAt start: Int, of text: [UInt8], to output: inout [UInt8]) throws(Mismatch) -> Int {
    frames.removeAll(keepingCapacity: true)
    found.removeAll(keepingCapacity: true)
    let record = ModelTable.Kind(leaf: .map(0), listDepth: 0)
    try write(record, valueAt: start..<start + 1, of: text, to: &output)
    while let frame = frames.last {
      switch frame.container {
      case .map(let map): try writeMembers(of: map, text, to: &output)
      case .list(let kind): try writeElements(kind, text, to: &output)
      }
    }
    return place
  }

  /// Writes a leaf, or opens a list or map, whose range need not be known but for its first byte.
  private mutating func write(
    _ kind: ModelTable.Kind, valueAt value: Range<Int>, of text: [UInt8], to output: inout [UInt8]
  ) throws(Mismatch) {
    if kind.listDepth > 0 {
      guard text[value.lowerBound] == Mark.openArray else { throw mismatch(kind, valueAt: value.lowerBound, of: text) }
      output.append(Mark.openArray)
      place = value.lowerBound + 1
      frames.append(Frame(container: .list(of: kind.element), base: found.count, end: 0))
      return
    }
    guard kind.leaf.accepts(value, in: text) else { throw mismatch(kind, valueAt: value.lowerBound, of: text) }
    guard case .map(let map) = kind.leaf else {
      output += text[value]
      place = value.upperBound
      return
    }
    output.append(Mark.openObject)
    open(map, at: value.lowerBound, of: text)
  }

  /// Finds the members; of duplicates the last one counts.
  private mutating func open(_ map: Int, at start: Int, of text: [UInt8]) {
    let base = found.count
    let names = table.maps[map].names
    found.append(contentsOf: repeatElement(nil, count: table.maps[map].members.count))
    var cursor = MemberCursor(objectAt: start)
    while let (name, value) = cursor.next(in: text) {
      if let number = names.number(ofNameAt: name, in: text) { found[base + number] = value }
    }
    frames.append(Frame(container: .map(map), base: base, end: cursor.place))
  }

  /// Writes members up to the first that opens a container, or to the end of the map.
  private mutating func writeMembers(of map: Int, _ text: [UInt8], to output: inout [UInt8]) throws(Mismatch) {
    let members = table.maps[map].members
    let top = frames.count - 1
    while frames[top].next < members.count {
      let member = members[frames[top].next]
      let value = found[frames[top].base + frames[top].next]
      frames[top].next += 1
      guard let value else {
        if member.isOptional { continue }
        throw Mismatch(keyPath: keyPath, expected: member.kind.expectation, found: "nothing")
      }
      if frames[top].hasOutput { output.append(Mark.comma) }
      frames[top].hasOutput = true
      output += member.label
      if member.isOptional, text[value.lowerBound] == UInt8(ascii: "n") {
        output += text[value]
        continue
      }
      try write(member.kind, valueAt: value, of: text, to: &output)
      if frames.count > top + 1 { return }
    }
    output.append(Mark.closeObject)
    place = frames[top].end
    found.removeLast(members.count)
    frames.removeLast()
  }

  /// Writes elements up to the first that opens a container, or to the end of the list.
  private mutating func writeElements(
    _ kind: ModelTable.Kind, _ text: [UInt8], to output: inout [UInt8]
  ) throws(Mismatch) {
    let top = frames.count - 1
    while text[place] != Mark.closeArray {
      if text[place] == Mark.comma {
        output.append(Mark.comma)
        place += 1
      }
      frames[top].next += 1
      try write(kind, valueAt: element(kind, of: text), of: text, to: &output)
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
        case .map(let map): KeyPathText.member(table.maps[map].members[frame.next - 1].name)
        case .list: KeyPathText.element(frame.next - 1)
        }
      })
  }
}
