// Parses a text into a node, or into all its diagnostics.

package import Diagnostics

extension Node {
  /// Reads one document, and continues after an error where possible, so that several can be reported.
  ///
  /// An accepted text means what a YAML 1.2 parser (core schema) says it means. Every JSON text is accepted and means
  /// what JSON says.
  ///
  /// - Throws: `DiagnosticList`, with errors of YAML, features that the subset leaves out, each by its name, and usual
  ///   slips with their remedy.
  package init(reading source: SourceText) throws(DiagnosticList) {
    let (node, mistakes) = Self.read(source)
    guard mistakes.isEmpty else { throw DiagnosticList(source: source, all: mistakes) }
    self = node
  }

  /// Returns the document, with null for values that could not be read, and the diagnostics.
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
