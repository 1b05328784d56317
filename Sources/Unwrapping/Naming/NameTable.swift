// Finds names that are known beforehand by the bytes of a record.

import JSONText

/// Numbers names from 0, so that one pass over a record's members needs no look-up by text.
struct NameTable: Sendable {
  private let names: WantedNames
  /// The names, quoted and minimally escaped.
  private let quoted: [[UInt8]]

  init(_ names: [String]) {
    self.names = WantedNames(names)
    quoted = names.map(\.quotedJSON)
  }

  /// Calls `body` for each member that has one of the names, and returns the token number of the object's last bracket.
  ///
  /// `body` gets the name's number, and whether the name has no needless escapes.
  func forEachMember(
    openedBy opening: Int, of record: TokenedRecord,
    _ body: (TokenIndexedMember, _ number: Int, _ isPlain: Bool) -> Void
  ) -> Int {
    record.tokenIndex.forEachMember(openedBy: opening, of: record.text, in: names) { member, match in
      switch match {
      case .none: break
      case .number(let number): body(member, number, true)
      case .escaped:
        let name = record.text[member.name]
        guard let number = JSONValue(validated: name).string.flatMap({ names.known($0) }) else { return }
        body(member, number, name.elementsEqual(quoted[number]))
      }
    }
  }
}

extension [UInt8] {
  /// FNV-1a hash of the range.
  ///
  /// Names are short, so a hash with a more costly start would not be faster. Colliding names from a server
  /// cost time only: callers stay correct and bounded.
  func nameHash(_ range: Range<Int>) -> Int {
    var hash: UInt32 = 0x811c_9dc5
    for place in range { hash = (hash ^ UInt32(self[place])) &* 0x0100_0193 }
    return Int(hash ^ (hash >> 15))
  }
}
