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
    for place in colon..<text.endIndex where text[place] <= 0x20 || text[place] == 0x7F { return false }
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
    for place in value.dropFirst() where !self[place].isDigit { return JSONValue(validated: self[value]).isWholeNumber }
    return true
  }
}
