// A diagnostic says what is wrong in a text that a person wrote, at which position, and what to do about it.

/// One diagnostic: a message, the byte range that it concerns, and advice if there is any.
package struct Diagnostic: Error, Hashable, Sendable {
  /// Lower-case sentence without a full stop, such as `unknown key 'pagse'`.
  package let message: String
  /// Bytes of the source text; empty for a position between two bytes.
  package let range: Range<Int>
  /// Advice, if there is any, such as `did you mean 'pages'?`.
  package let advice: String?

  package init(_ message: String, at range: Range<Int>, advice: String? = nil) {
    self.message = message
    self.range = range
    self.advice = advice
  }

  /// Renders the message for a terminal, without a line feed at the end.
  ///
  ///     pipelines/coins.yaml:7:3: error: unknown key 'pagse'
  ///       pagse: { number: page }
  ///       ^~~~~
  ///       did you mean 'pages'?
  ///
  /// Control and bidirectional characters of the source are escaped; long lines are cut around the position.
  package func rendered(in source: SourceText) -> String {
    let place = source.place(at: range.lowerBound)
    var text = "\(source.name.printable):\(place): error: \(source.masking(message, about: range).printable)"
    if let snippet = Snippet(of: range, in: source) {
      text += "\n\(snippet.text)\n\(snippet.marks)"
    }
    if let advice { text += "\n  \(source.masking(advice, about: range).printable)" }
    return text
  }
}
