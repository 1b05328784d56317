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
    let position = source.position(at: range.lowerBound)
    var text = "\(source.name.printable):\(position): error: \(source.masking(message, about: range).printable)"
    if let snippet = Snippet(of: range, in: source) {
      text += "\n\(snippet.text)\n\(snippet.marks)"
    }
    if let advice { text += "\n  \(source.masking(advice, about: range).printable)" }
    return text
  }
}

/// All diagnostics of one text, ordered by position, and each once.
package struct DiagnosticList: Error, Sendable {
  package let source: SourceText
  package let all: [Diagnostic]

  package init(source: SourceText, all: [Diagnostic]) {
    self.source = source
    // Several templates may meet the same mistake.
    var seen: Set<Position> = []
    self.all = all.filter { seen.insert(Position(message: $0.message, range: $0.range)).inserted }.sorted { a, b in
      (a.range.lowerBound, a.range.upperBound, a.message) < (b.range.lowerBound, b.range.upperBound, b.message)
    }
  }

  private struct Position: Hashable {
    let message: String
    let range: Range<Int>
  }

  package var rendered: String { all.map { $0.rendered(in: source) }.joined(separator: "\n") }
}

// The source line around a position, and the caret line to print below it.

/// Excerpt of a source text for a terminal: `pagse: { number: page }` with `^~~~~` below.
struct Snippet {
  /// The line, safe to print; a long line is cut around the position.
  let text: String
  /// White space up to the position, a caret, and a tilde below each further column of the range.
  let marks: String

  /// Most scalars that are shown before the position, and from the position on.
  private static let reach = 60

  /// Creates the snippet, or returns nil if the line is empty.
  init?(of range: Range<Int>, in source: SourceText) {
    let number = source.position(at: range.lowerBound).line
    guard let line = source.lineRange(number), !line.isEmpty else { return nil }
    let start = min(max(range.lowerBound, line.lowerBound), line.upperBound)
    let end = min(max(range.upperBound, start), line.upperBound)

    let before = Self.tail(of: source.shown[line.lowerBound..<start])
    let within = Self.head(of: source.shown[start..<end], atMost: Self.reach)
    let after = Self.head(of: source.shown[end..<line.upperBound], atMost: Self.reach - within.scalars)
    self.text = before + within.text + (within.isCut ? "" : after.text)
    let tildes = max(0, Self.columns(of: within.text) - 1)
    self.marks = Self.padding(below: before) + "^" + String(repeating: "~", count: tildes)
  }

  /// Returns the last scalars of a part of a line, with an ellipsis for the scalars before them.
  private static func tail(of bytes: ArraySlice<UInt8>) -> String {
    // No scalar has more than four bytes; the cut removes a torn scalar at the front.
    let scalars = String(decoding: bytes.suffix(4 * (reach + 1)), as: UTF8.self).unicodeScalars
    let isCut = scalars.count > reach
    return (isCut ? "…" : "") + scalars.suffix(isCut ? reach - 1 : reach).map(shown).joined()
  }

  /// Returns the first scalars of a part of a line, with an ellipsis for the scalars after them.
  private static func head(
    of bytes: ArraySlice<UInt8>, atMost limit: Int
  ) -> (text: String, scalars: Int, isCut: Bool) {
    let scalars = String(decoding: bytes.prefix(4 * (limit + 1)), as: UTF8.self).unicodeScalars
    guard scalars.count > limit else { return (scalars.map(shown).joined(), scalars.count, false) }
    return (scalars.prefix(max(0, limit - 1)).map(shown).joined() + "…", limit, true)
  }

  /// Returns the scalar safe to print; a tab stays a tab, since the terminal knows its width.
  private static func shown(_ scalar: Unicode.Scalar) -> String {
    scalar == "\t" ? "\t" : String(scalar).printable
  }

  private static func padding(below text: String) -> String {
    text.unicodeScalars.map { $0 == "\t" ? "\t" : String(repeating: " ", count: $0.columns) }.joined()
  }

  private static func columns(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + $1.columns }
  }
}

extension Unicode.Scalar {
  /// Number of terminal columns that the scalar takes.
  ///
  /// Combining marks take none, scalars that East Asian Width (UAX #11) calls wide take two, others one.
  fileprivate var columns: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}

// MARK: "Did you mean …?": finds the valid name that is nearest to a misspelt one

/// Returns the candidate nearest to a misspelt name, or nil if none is near.
///
/// A candidate is near if it takes at most 2 edits, or 1 for a name of up to 4 letters, and fewer than the name has letters.
/// An edit adds, removes or replaces a letter, or swaps two neighbours. The first of several equally near candidates wins.
/// If the name has at least 3 letters and only one candidate begins with it, the result is that candidate.
package func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
  let letters = Array(name.unicodeScalars)
  // Nobody misspells a name this long; the work grows with its square.
  guard letters.count <= 128 else { return nil }
  if letters.count >= 3 {
    let longer = candidates.filter { $0.unicodeScalars.starts(with: letters) }
    if longer.count == 1 { return longer[0] }
  }
  var best: (name: String, edits: Int)?
  for candidate in candidates {
    let limit = min(best?.edits ?? (letters.count > 4 ? 3 : 2), letters.count) - 1
    guard let edits = edits(from: letters, to: Array(candidate.unicodeScalars), atMost: limit) else { continue }
    best = (candidate, edits)
  }
  return best?.name
}

/// The candidate that a name may be a misspelling of: one that differs in case, `_` or `-` only, else the nearest one
/// (at most 2 edits; for names of up to 4 letters 1, after the same first letter).
///
/// Nil for none, and never the name itself.
package func misspelling(of name: String, in candidates: [String]) -> String? {
  let letters = plainLetters(of: name)
  guard letters.count >= 2, letters.count <= 128 else { return nil }
  let others = candidates.filter { $0 != name }.map { (name: $0, letters: plainLetters(of: $0)) }
  if let same = others.first(where: { $0.letters == letters }) { return same.name }
  let isShort = letters.count <= 4
  let near = others.compactMap { other -> (name: String, edits: Int)? in
    guard !isShort || other.letters.first == letters.first else { return nil }
    return edits(from: letters, to: other.letters, atMost: isShort ? 1 : 2).map { (other.name, $0) }
  }
  return near.min { $0.edits < $1.edits }?.name
}

private func plainLetters(of name: String) -> [Unicode.Scalar] {
  name.lowercased().unicodeScalars.filter { !"_-.".unicodeScalars.contains($0) }
}

/// The Damerau–Levenshtein distance (optimal string alignment), or nil when it is above the limit.
private func edits(from a: [Unicode.Scalar], to b: [Unicode.Scalar], atMost limit: Int) -> Int? {
  guard limit >= 0, abs(a.count - b.count) <= limit else { return nil }
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var edits = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { edits = min(edits, beforeLast[j - 1] + 1) }
      row.append(edits)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count] <= limit ? last[b.count] : nil
}
