// A model, flattened: records are checked against it without following a tree.

import JSONText
import Primitives

/// Maps of a model and their members, by number.
///
/// No member is reference-counted, since members are read for every value of every record.
struct ModelTable: Sendable {
  /// Type that a value must have.
  ///
  /// A list of lists of maps is the map with a list depth of two.
  struct Kind: Sendable {
    let leaf: Leaf
    /// Number of lists around the leaf.
    let listDepth: Int
    var element: Kind { Kind(leaf: leaf, listDepth: listDepth - 1) }
  }
  enum Leaf: Sendable {
    case string, integer, number, boolean, date, url, any
    case map(Int)
  }
  struct Member: Sendable {
    let kind: Kind
    let isOptional: Bool
    /// Range in `labels` of the name with quotes and colon, as it is written.
    let label: Range<Int>
  }
  struct Map: Sendable {
    let names: NameTable
    /// Range in `members`.
    let members: Range<Int>
  }

  /// All maps; the record's own map is the first.
  private(set) var maps: [Map] = []
  /// Members of all maps.
  private(set) var members: [Member] = []
  /// Names for key paths in errors, indexed like `members`.
  private(set) var names: [String] = []
  private(set) var labels: [UInt8] = []
  /// Depth to which lists and maps are read in records; 1 for the record itself.
  private(set) var depth = 1

  /// Maps that are not added yet, each with its depth.
  private typealias Queue = [(map: [Shape.Member], depth: Int)]

  /// Creates the table of a model.
  ///
  /// Nested maps go into a queue, not onto the stack: a model may be as deep as JSON.
  init(_ model: [Shape.Member]) {
    var queue: Queue = [(model, 1)]
    while maps.count < queue.count {
      let first = members.count
      let (map, depth) = queue[maps.count]
      for member in map { add(member, in: depth, &queue) }
      maps.append(Map(names: NameTable(map.map(\.name)), members: first..<members.count))
    }
  }

  private mutating func add(_ member: Shape.Member, in depth: Int, _ queue: inout Queue) {
    let start = labels.count
    labels += member.name.quotedJSON + [JSONByte.colon]
    names.append(member.name)
    members.append(
      Member(
        kind: kind(member.kind, in: depth, &queue), isOptional: member.isOptional, label: start..<labels.count))
  }

  private mutating func kind(_ kind: Shape.Kind, in depth: Int, _ queue: inout Queue) -> Kind {
    var leaf = kind
    var listDepth = 0
    while case .list(let element) = leaf {
      leaf = element
      listDepth += 1
    }
    self.depth = max(self.depth, depth + listDepth)
    return Kind(leaf: self.leaf(leaf, in: depth + listDepth, &queue), listDepth: listDepth)
  }

  private mutating func leaf(_ kind: Shape.Kind, in depth: Int, _ queue: inout Queue) -> Leaf {
    switch kind {
    case .string: return .string
    case .integer: return .integer
    case .number: return .number
    case .boolean: return .boolean
    case .date: return .date
    case .url: return .url
    case .any, .list: return .any
    case .map(let members):
      self.depth = max(self.depth, depth + 1)
      queue.append((members, depth + 1))
      return .map(queue.count - 1)
    }
  }
}

extension ModelTable.Kind {
  /// Text for the error message.
  var expectation: String {
    guard listDepth == 0 else { return "array" }
    return switch leaf {
    case .string: "string"
    case .integer: "integer"
    case .number: "number"
    case .boolean: "boolean"
    case .date: "date (RFC 3339 or yyyy-MM-dd)"
    case .url: "absolute URL"
    case .any: "any value"
    case .map: "object"
    }
  }
}

extension ModelTable.Leaf {
  /// Reports that the value is of this kind; it must not be a container that the model looks into.
  func accepts(_ value: Range<Int>, in text: [UInt8]) -> Bool {
    let first = text[value.lowerBound]
    switch self {
    case .any: return true
    case .string: return first == JSONByte.quote
    case .boolean: return first == UInt8(ascii: "t") || first == UInt8(ascii: "f")
    case .number: return first.beginsNumber
    case .integer: return first.beginsNumber && text.isWholeNumber(at: value)
    case .date: return text.content(ofStringAt: value).map(isDate) ?? false
    case .url: return text.content(ofStringAt: value).map(isAbsoluteURL) ?? false
    case .map: return first == JSONByte.openObject
    }
  }

  private func isDate(_ text: ArraySlice<UInt8>) -> Bool {
    CivilDate(text) != nil || Timestamp(rfc3339: text) != nil
  }

  /// Reports that the text is a scheme (RFC 3986 §3.1), a colon and something after it.
  ///
  /// `http` and `https` need a host (RFC 9110 §4.2.1). Text beyond ASCII is accepted, as by everything that reads URLs;
  /// white space and controls are not.
  private func isAbsoluteURL(_ text: ArraySlice<UInt8>) -> Bool {
    guard let colon = text.firstIndex(where: { !$0.isSchemeByte }), text[colon] == JSONByte.colon else { return false }
    guard colon > text.startIndex, text[text.startIndex].isLetter, colon + 1 < text.endIndex else { return false }
    for offset in colon..<text.endIndex where text[offset] <= 0x20 || text[offset] == 0x7F { return false }
    return !text[..<colon].isHTTP || text[(colon + 1)...].beginsWithHost
  }
}

extension ArraySlice<UInt8> {
  /// True if this is the scheme `http` or `https`, in any case.
  fileprivate var isHTTP: Bool {
    guard count == 4 || count == 5 else { return false }
    return hasLetter("h", at: 0) && hasLetter("t", at: 1) && hasLetter("t", at: 2) && hasLetter("p", at: 3)
      && (count == 4 || hasLetter("s", at: 4))
  }

  private func hasLetter(_ letter: Unicode.Scalar, at offset: Int) -> Bool {
    self[startIndex + offset] | 0x20 == UInt8(ascii: letter)
  }

  fileprivate var beginsWithHost: Bool {
    guard count > 2, self[startIndex] == UInt8(ascii: "/"), self[startIndex + 1] == UInt8(ascii: "/") else {
      return false
    }
    switch self[startIndex + 2] {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: ":"): return false
    default: return true
    }
  }
}

extension UInt8 {
  fileprivate var beginsNumber: Bool { isDigit || self == UInt8(ascii: "-") }
  fileprivate var isSchemeByte: Bool {
    isLetterOrDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
  }
}

extension [UInt8] {
  /// Reports that the number is whole; only spellings such as `1.0` and `1e3` need more than a scan for digits.
  fileprivate func isWholeNumber(at value: Range<Int>) -> Bool {
    for offset in value.dropFirst() where !self[offset].isDigit {
      return JSONValue(validated: self[value]).isWholeNumber
    }
    return true
  }
}

// One pass over the tokens of a record that checks it against its model, and writes the model's members in its order.

/// Checks and filters record after record.
///
/// Open containers are in an array, not on the stack: models may be deep.
struct ModelWalk: RecordPass {
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
  private var (offset, token) = (0, 0)

  init(_ table: ModelTable) {
    self.table = table
  }

  /// Depth to which a record's tokens are read.
  var depth: Int { table.depth }

  /// Appends the checked record, and returns the offset after it.
  ///
  /// No pass reads the copy by its tokens.
  mutating func append(_ record: TokenedRecord, to copy: inout RecordCopy) throws(ModelError) -> Int {
    frames.removeAll(keepingCapacity: true)
    found.removeAll(keepingCapacity: true)
    token = record.opening
    try write(Self.record, valueAt: record.start..<record.start + 1, from: record.start, of: record, to: &copy.text)
    while let frame = frames.last {
      switch frame.container {
      case .map(let numbers): try writeMembers(numbers, record, to: &copy.text)
      case .list(let kind): try writeElements(kind, record, to: &copy.text)
      }
    }
    return offset
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
      (offset, token) = (value.lowerBound + 1, token + 1)
      frames.append(Frame(container: .list(of: kind.element), base: found.count, closing: 0))
      return
    }
    guard kind.leaf.accepts(value, in: text) else { throw mismatch(kind, valueAt: value.lowerBound, of: text) }
    if case .map(let map) = kind.leaf {
      output.append(start..<value.lowerBound + 1, of: text)
      open(map, of: record)
    } else {
      output.append(start..<value.upperBound, of: text)
      offset = value.upperBound
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
    (offset, token) = (record.offset(frames[top].closing) + 1, frames[top].closing + 1)
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
    while record.text[offset] != JSONByte.closeArray {
      let start = offset
      if record.text[offset] == JSONByte.comma { (offset, token) = (offset + 1, token + 1) }
      frames[top].next += 1
      let (element, end) = element(kind, of: record)
      try write(kind, valueAt: element, from: start, of: record, to: &output)
      if frames.count > top + 1 { return }
      token = end
    }
    output.append(JSONByte.closeArray)
    (offset, token) = (offset + 1, token + 1)
    frames.removeLast()
  }

  /// Returns the range of the next element, and the number of the token after it.
  ///
  /// For a container that will be opened, the range has only its first byte.
  private func element(_ kind: ModelTable.Kind, of record: TokenedRecord) -> (Range<Int>, end: Int) {
    if kind.listDepth > 0 { return (offset..<offset + 1, token) }
    if case .map = kind.leaf { return (offset..<offset + 1, token) }
    let end = record.tokenIndex.end(ofValueBehind: token - 1, in: record.text)
    return (offset..<record.offset(end), end)
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
