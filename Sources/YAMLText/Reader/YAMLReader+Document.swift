// One document, with its start and end.

import Diagnostics

extension YAMLReader {
  mutating func readDocument() -> Node {
    do throws(Diagnostic) {
      try readStart()
      readBlocks()
      if mistakes.isEmpty { try readEnd() }
    } catch {
      mistakes.append(error)
    }
    return root ?? Node(content: .null, range: bytes.count..<bytes.count)
  }

  /// Skips comments and a `---` before the content.
  private mutating func readStart() throws(Diagnostic) {
    if let line = nextContentLine() {
      position = line.start
      if byte(position) == UInt8(ascii: "%") { throw directive() }
    } else if isMarker(.dash, at: position) {
      takenLine = lineStart
      position += 3
    }
  }

  private func directive() -> Diagnostic {
    Diagnostic(
      "a line that begins with '%' is a YAML directive, and these are not supported",
      at: position..<lineEnd(from: position), advice: "put text that begins with '%' in quotes")
  }

  /// Reads `...` and comments after the content.
  private mutating func readEnd() throws(Diagnostic) {
    while isMarker(.dot, at: position) {
      position += 3
      let rest = whiteEnd(from: position)
      guard byte(rest).isBreakOrEnd || byte(rest) == .hash else {
        throw Diagnostic("only a comment may follow '...'", at: rest..<lineEnd(from: rest))
      }
      position = lineEnd(from: rest)
      skipBreak()
      if let line = nextContentLine() { position = line.content }
    }
    guard isAtEnd else {
      throw Diagnostic(
        "a second document begins here, and a spec is one document", at: position..<lineEnd(from: position),
        advice: "put it into a file of its own")
    }
  }
}
