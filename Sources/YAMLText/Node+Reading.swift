// From a text to a node, or to all its mistakes.

package import Diagnostics

extension Node {
  /// Reads one document. After a mistake it goes on where that makes sense, so that several can be reported.
  ///
  /// What is accepted means what a YAML 1.2 parser (core schema) says it means, and every JSON text is accepted and
  /// means what JSON says.
  ///
  /// - Throws: `DiagnosticList`: what is no YAML, what the subset leaves out (each feature by its name), and usual slips with
  ///   their remedy.
  package init(reading source: SourceText) throws(DiagnosticList) {
    let (node, mistakes) = Self.read(source)
    guard mistakes.isEmpty else { throw DiagnosticList(source: source, all: mistakes) }
    self = node
  }

  /// The document, with null for what could not be read, and why that was so.
  package static func read(_ source: SourceText) -> (node: Node, mistakes: [Diagnostic]) {
    let onlyQuoted: [Int]
    do throws(Diagnostic) {
      onlyQuoted = try source.checkCharacters()
    } catch {
      return (Node(content: .map([]), range: 0..<0), [error])
    }
    var reader = YAMLReader(source)
    let node = reader.readDocument()
    if reader.mistakes.isEmpty { reader.checkQuoted(onlyQuoted) }
    let all = reader.mistakes.sorted { $0.range.lowerBound < $1.range.lowerBound }
    return (node, Array(all.prefix(YAMLReader.mistakeLimit)))
  }
}
