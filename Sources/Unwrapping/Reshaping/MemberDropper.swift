// `drop`: removes members from records, at the ends of their paths.

import JSONText

/// Removes members of records, and changes nothing else in them.
struct MemberDropper: Sendable {
  /// Members of one object that are dropped, or that have members to drop.
  private struct Level: Sendable {
    let names: NameTable
    /// Level of each name's own members; nil for a member that is dropped.
    let inner: [Int?]
  }

  /// A part of the record that is left out, and the numbers of the tokens in it.
  private struct Cut {
    var place: Range<Int>
    var tokens: Range<Int>
  }

  /// The level of the record itself is the last.
  private let levels: [Level]
  /// Depth of records at which token positions are needed.
  let depth: Int

  init(_ paths: [JSONPath]) {
    var levels: [Level] = []
    _ = Self.add(paths.map { $0.steps.map(\.name)[...] }, to: &levels)
    self.levels = levels
    depth = paths.map(\.steps.count).max() ?? 0
  }

  /// Adds the level of these paths after those of its members, and returns its number.
  private static func add(_ paths: [ArraySlice<String>], to levels: inout [Level]) -> Int {
    var names: [String] = []
    for name in paths.compactMap(\.first) where !names.contains(name) { names.append(name) }
    var inner: [Int?] = []
    for name in names {
      let rests = paths.filter { $0.first == name }.map { $0.dropFirst() }
      inner.append(rests.contains { $0.isEmpty } ? nil : add(rests, to: &levels))
    }
    levels.append(Level(names: NameTable(names), inner: inner))
    return levels.count - 1
  }

  /// Appends the record without the members, and returns the offset after it.
  ///
  /// A record that is no object stays unchanged.
  func append(_ record: TokenedRecord, to output: inout RewrittenRecord) -> Int {
    guard record.text[record.start] == JSONByte.openObject else {
      let end = record.text.endOfValue(at: record.start)
      let isList = JSONByte.opens(record.text[record.start])
      let last = isList ? record.tokenIndex.end(ofValueBehind: record.opening - 1, in: record.text) : record.opening
      output.add(record.start..<end, record.opening..<last, of: record)
      return end
    }
    var cuts: [Cut] = []
    let closing = addCuts(of: levels.count - 1, openedBy: record.opening, record, to: &cuts)
    var copied = (place: record.start, token: record.opening)
    for cut in cuts {
      output.add(copied.place..<cut.place.lowerBound, copied.token..<cut.tokens.lowerBound, of: record)
      copied = (cut.place.upperBound, cut.tokens.upperBound)
    }
    let end = record.place(closing) + 1
    output.add(copied.place..<end, copied.token..<closing + 1, of: record)
    return end
  }

  /// Adds the cuts of an object in order, and returns the number of its last bracket.
  private func addCuts(of level: Int, openedBy opening: Int, _ record: TokenedRecord, to cuts: inout [Cut]) -> Int {
    var found: [(member: TokenIndexedMember, number: Int)] = []
    let closing = levels[level].names.forEachMember(openedBy: opening, of: record) { member, number, _ in
      found.append((member, number))
    }
    // Members that follow each other are one cut, so that a cut at the end takes the comma before it.
    var run: Cut?
    for (member, number) in found {
      if let inner = levels[level].inner[number] {
        guard record.text[member.value.lowerBound] == JSONByte.openObject else { continue }
        if let ended = run { cuts.append(ended) }
        run = nil
        _ = addCuts(of: inner, openedBy: member.token, record, to: &cuts)
        continue
      }
      // A member's comma is dropped with the member, whose first token is its colon.
      let isLast = member.end == closing
      let cut = Cut(
        place: member.name.lowerBound..<(isLast ? member.value.upperBound : record.place(member.end) + 1),
        tokens: member.token - 1..<(isLast ? member.end : member.end + 1))
      if let before = run, before.place.upperBound == cut.place.lowerBound {
        run = Cut(
          place: before.place.lowerBound..<cut.place.upperBound,
          tokens: before.tokens.lowerBound..<cut.tokens.upperBound)
      } else {
        if let ended = run { cuts.append(ended) }
        run = cut
      }
    }
    guard var last = run else { return closing }
    let isAtEnd = last.place.upperBound == record.place(closing)
    if isAtEnd, last.place.lowerBound > record.place(opening) + 1 {
      last = Cut(
        place: last.place.lowerBound - 1..<last.place.upperBound,
        tokens: last.tokens.lowerBound - 1..<last.tokens.upperBound)
    }
    cuts.append(last)
    return closing
  }
}
