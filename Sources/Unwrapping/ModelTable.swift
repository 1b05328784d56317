// A model, flattened: what a record is checked against without following a tree.

import JSONText

/// The maps of a model, each with its members by number.
struct ModelTable: Sendable {
  /// What a value must be. A list of lists of maps is the map with two levels of list around it.
  struct Kind: Sendable {
    let leaf: Leaf
    /// How many lists are around the leaf.
    let listDepth: Int
    var element: Kind { Kind(leaf: leaf, listDepth: listDepth - 1) }
  }
  enum Leaf: Sendable {
    case string, integer, number, boolean, date, url, any
    case map(Int)
  }
  struct Member: Sendable {
    let name: String
    /// The name with quotes and colon, as it comes out.
    let label: [UInt8]
    let kind: Kind
    let isOptional: Bool
  }
  struct Map: Sendable {
    let names: NameTable
    let members: [Member]
  }

  /// The record's own comes first.
  private(set) var maps: [Map] = []

  /// Maps inside maps are put in a queue, not followed: a model may be as deep as JSON.
  init(_ model: [Shape.Member]) {
    var queue = [model]
    while maps.count < queue.count {
      let members = queue[maps.count]
      let compiled = members.map { member in
        Member(
          name: member.name, label: member.name.quotedJSON + [Mark.colon],
          kind: Self.kind(member.kind, &queue), isOptional: member.isOptional)
      }
      maps.append(Map(names: NameTable(members.map(\.name)), members: compiled))
    }
  }

  private static func kind(_ kind: Shape.Kind, _ queue: inout [[Shape.Member]]) -> Kind {
    var leaf = kind
    var listDepth = 0
    while case .list(let element) = leaf {
      leaf = element
      listDepth += 1
    }
    return Kind(leaf: self.leaf(leaf, &queue), listDepth: listDepth)
  }

  private static func leaf(_ kind: Shape.Kind, _ queue: inout [[Shape.Member]]) -> Leaf {
    switch kind {
    case .string: return .string
    case .integer: return .integer
    case .number: return .number
    case .boolean: return .boolean
    case .date: return .date
    case .url: return .url
    case .any, .list: return .any
    case .map(let members):
      queue.append(members)
      return .map(queue.count - 1)
    }
  }
}

extension ModelTable.Kind {
  /// For the error.
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
  /// Whether the value there, which is no container that the model looks into, is of this kind.
  func accepts(_ value: Range<Int>, in text: [UInt8]) -> Bool {
    let first = text[value.lowerBound]
    switch self {
    case .any: return true
    case .string: return first == Mark.quote
    case .boolean: return first == UInt8(ascii: "t") || first == UInt8(ascii: "f")
    case .number: return first.beginsNumber
    case .integer: return first.beginsNumber && text.isWholeNumber(at: value)
    case .date: return text.content(ofStringAt: value).map(isDate) ?? false
    case .url: return text.content(ofStringAt: value).map(isAbsoluteURL) ?? false
    case .map: return first == Mark.openObject
    }
  }

  private func isDate(_ text: ArraySlice<UInt8>) -> Bool {
    var reader = FieldReader(text)
    guard CivilDate(&reader) != nil else { return false }
    return reader.isAtEnd || Instant(rfc3339: text) != nil
  }

  /// A scheme (RFC 3986 §3.1), a colon and something after it; a host for `http` and `https` (RFC 9110 §4.2.1). Text
  /// beyond ASCII is accepted, as it is by everything that reads URLs; white space and controls are not.
  private func isAbsoluteURL(_ text: ArraySlice<UInt8>) -> Bool {
    guard let colon = text.firstIndex(of: Mark.colon), colon + 1 < text.endIndex else { return false }
    let scheme = text[..<colon].map { $0 | 0x20 }
    let rest = text[(colon + 1)...]
    guard let first = text.first, isLetter(first | 0x20), text[..<colon].allSatisfy(isSchemeByte) else { return false }
    guard rest.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
    guard scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8) else { return true }
    guard rest.starts(with: "//".utf8), let host = rest.dropFirst(2).first else { return false }
    return !"/?#:".utf8.contains(host)
  }

  private func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte | 0x20) || (48...57).contains(byte) || "+-.".utf8.contains(byte)
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}

extension UInt8 {
  fileprivate var beginsNumber: Bool { self == UInt8(ascii: "-") || (48...57).contains(self) }
}

extension [UInt8] {
  /// Digits alone are whole; only `1.0` and `1e3` need a closer look.
  fileprivate func isWholeNumber(at value: Range<Int>) -> Bool {
    let digits = self[value].drop { $0 == UInt8(ascii: "-") }
    return digits.allSatisfy { (48...57).contains($0) } || JSONValue(validated: self[value]).isWholeNumber
  }
}
