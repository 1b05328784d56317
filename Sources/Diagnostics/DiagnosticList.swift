/// All diagnostics of one text, ordered by position.
package struct DiagnosticList: Error, Sendable {
  package let source: SourceText
  package let all: [Diagnostic]

  package init(source: SourceText, all: [Diagnostic]) {
    self.source = source
    // Several templates may meet the same mistake.
    self.all = all.enumerated().filter { index, one in
      index == 0 || all[index - 1].message != one.message || all[index - 1].range != one.range
    }.map(\.element)
  }

  package var rendered: String { all.map { $0.rendered(in: source) }.joined(separator: "\n") }
}
