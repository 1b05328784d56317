import JSONText
import Testing

@testable import Unwrapping

@Suite("The records at the edges of a page")
struct PageEdgesTests {
  /// The edges of lines that come in pieces.
  private func edges(_ lines: [String], cutAfter cuts: Set<Int> = []) -> (first: Int, last: Int) {
    var content = Fingerprint()
    var edges = PageEdges()
    var piece: [UInt8] = []
    for (index, line) in lines.enumerated() {
      piece += Array((line + "\n").utf8)
      if cuts.contains(index + 1) {
        edges.add(piece)
        content.combine(piece)
        piece = []
      }
    }
    edges.add(piece)
    content.combine(piece)
    return edges.hashes(content: content.finalize())
  }

  @Test("an edge is unknown if the record beside it is the same, wherever the lines are cut")
  func cuts() {
    let (a, b, c) = (#"{"v":1}"#, #"{"v":2}"#, #"{"w":3}"#)
    let known = edges([a, b])
    #expect(known.first != 0 && known.last != 0 && known.first != known.last)
    let table: [(lines: [String], first: Int, last: Int)] = [
      ([], 0, 0), ([a], known.first, known.first), ([a, b], known.first, known.last), ([a, a], 0, 0),
      ([a, a, b], 0, known.last), ([a, b, b], known.first, 0), ([a, c, c, b], known.first, known.last),
      ([a, c, b, b], known.first, 0), ([a, "7", b], known.first, known.last), (["7", a], 0, known.first),
      ([a, "[]"], known.first, 0), ([a, c, b], known.first, known.last),
    ]
    for row in table {
      for bits in 0..<(1 << row.lines.count) {
        let found = edges(row.lines, cutAfter: Set(row.lines.indices.filter { bits >> $0 & 1 == 1 }.map { $0 + 1 }))
        #expect(found.first == row.first && found.last == row.last, "\(row.lines), \(bits)")
      }
    }
  }
}
