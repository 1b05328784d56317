// Names that are known beforehand, found by the bytes that stand in a record.

import JSONText

/// Numbers names from 0, so that one pass over a record's members needs no look-up by text.
struct NameTable: Sendable {
  private let names: WantedNames
  /// Quoted and minimally escaped.
  private let quoted: [[UInt8]]

  init(_ names: [String]) {
    self.names = WantedNames(names)
    quoted = names.map(\.quotedJSON)
  }

  /// Tells of the members of an object that have one of the names, by its number, and whether it is escaped no more than
  /// it must be. Gives the number of the object's last bracket.
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
  /// FNV-1a: names are short, and for them nothing that starts slower is faster. What it is used for stays right, and
  /// bounded, when a server chooses names that collide.
  func nameHash(_ range: Range<Int>) -> Int {
    var hash: UInt32 = 0x811c_9dc5
    for place in range { hash = (hash ^ UInt32(self[place])) &* 0x0100_0193 }
    return Int(hash ^ (hash >> 15))
  }
}
