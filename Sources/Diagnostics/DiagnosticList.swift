/// All diagnostics of one text, ordered by position.
package struct DiagnosticList: Error, Sendable {
  package let source: SourceText
  package let all: [Diagnostic]

  package init(source: SourceText, all: [Diagnostic]) {
    self.source = source
    // Several templates may meet the same mistake.
    var seen: Set<Place> = []
    self.all = all.filter { seen.insert(Place(message: $0.message, range: $0.range)).inserted }
  }

  private struct Place: Hashable {
    let message: String
    let range: Range<Int>
  }

  package var rendered: String { all.map { $0.rendered(in: source) }.joined(separator: "\n") }
}
