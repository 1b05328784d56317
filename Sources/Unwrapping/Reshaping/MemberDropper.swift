// `drop`: removes members from records, at the ends of their paths.

import JSONText

/// Removes members of records, and changes nothing else in them.
struct MemberDropper: Sendable {
  /// A part of the record that is left out, and the numbers of the tokens in it.
  private struct Cut {
    var place: Range<Int>
    var tokens: Range<Int>
  }

  private let tree: MemberTree<Void>

  init(_ paths: [JSONPath]) {
    tree = MemberTree(paths.map { ($0, ()) })
  }

  /// Depth of records at which token positions are needed.
  var depth: Int { tree.depth }

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
    let closing = addCuts(of: tree.levels.count - 1, openedBy: record.opening, record, to: &cuts)
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
    let (found, closing) = tree.members(of: level, openedBy: opening, record)
    // Members that follow each other are one cut, so that a cut at the end takes the comma before it.
    var run: Cut?
    for (member, node) in found {
      if case .level(let inner) = node {
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
