/// All diagnostics of one text, ordered by position.
package struct DiagnosticList: Error, Sendable {
  package let source: SourceText
  package let all: [Diagnostic]

  package init(source: SourceText, all: [Diagnostic]) {
    self.source = source
    self.all = all
  }

  package var rendered: String { all.map { $0.rendered(in: source) }.joined(separator: "\n") }
}
