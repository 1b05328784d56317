// What is wrong in a text that a person wrote, where, and what to do about it.

/// One mistake: a sentence, the byte range it is about, and advice where there is some.
package struct Diagnostic: Error, Hashable, Sendable {
  /// A lower-case sentence without a full stop: `unknown key 'pagse'`.
  package let message: String
  /// Bytes of the source text; empty for a place between two bytes.
  package let range: Range<Int>
  /// What to do, if that is known: `did you mean 'pages'?`.
  package let advice: String?

  package init(_ message: String, at range: Range<Int>, advice: String? = nil) {
    self.message = message
    self.range = range
    self.advice = advice
  }

  /// The message for a terminal, without a line feed at the end:
  ///
  ///     pipelines/coins.yaml:7:3: error: unknown key 'pagse'
  ///       pagse: { number: page }
  ///       ^~~~~
  ///       did you mean 'pages'?
  ///
  /// Control and bidirectional characters of the source are shown escaped; long lines are cut around the place.
  package func rendered(in source: SourceText) -> String {
    let place = source.place(at: range.lowerBound)
    var text = "\(source.name.printable):\(place): error: \(message.printable)"
    if let snippet = Snippet(of: range, in: source) {
      text += "\n\(snippet.text)\n\(snippet.marks)"
    }
    if let advice { text += "\n  \(advice.printable)" }
    return text
  }
}
