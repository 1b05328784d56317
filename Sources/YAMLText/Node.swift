// Result of reading the YAML subset: values with their source ranges, not yet a spec.

package import Diagnostics
package import JSONText

/// Value of a YAML (or JSON) document, with its range in the source.
package struct Node: Sendable {
  package indirect enum Content: Sendable {
    case null
    case boolean(Bool)
    /// The number as JSON spells it.
    ///
    /// `0x1F` is `31`, `+1` is `1`, `.5` is `0.5`, `1.` is `1.0`; a JSON number is kept byte for byte.
    case number(String)
    case string(String)
    case list([Node])
    case map([Entry])
  }

  package struct Entry: Sendable {
    package let key: String
    package let keyRange: Range<Int>
    package let value: Node
    package init(key: String, keyRange: Range<Int>, value: Node) {
      self.key = key
      self.keyRange = keyRange
      self.value = value
    }
  }

  package let content: Content
  /// Bytes of the value in the source, quotes and brackets included.
  ///
  /// The range of a missing value is empty.
  package let range: Range<Int>
  /// Spelling of a scalar: the source's own for plain ones (`True`, `1.50`), the decoded text for quoted ones.
  package let spelling: String
  /// True for scalars that were not plain: quoted or block.
  package let isQuoted: Bool

  package init(content: Content, range: Range<Int>, spelling: String = "", isQuoted: Bool = false) {
    self.content = content
    self.range = range
    self.spelling = spelling
    self.isQuoted = isQuoted
  }
}

// Parses a text into a node, or into all its diagnostics.

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

// Writes a node as JSON text.

extension Node {
  /// The value as compact JSON, written without recursion: deep nodes could overflow a small stack.
  package var json: JSONValue {
    enum Piece {
      case node(Node)
      case text([UInt8])
    }
    var bytes: [UInt8] = []
    /// What follows, the next piece last.
    var rest = [Piece.node(self)]
    while let piece = rest.popLast() {
      guard case .node(let node) = piece else {
        if case .text(let text) = piece { bytes += text }
        continue
      }
      switch node.content {
      case .null: bytes += "null".utf8
      case .boolean(let value): bytes += (value ? "true" : "false").utf8
      case .number(let text): bytes += text.utf8
      case .string(let text): bytes += text.quotedJSON
      case .list(let items):
        bytes.append(.openBracket)
        rest.append(.text([.closeBracket]))
        for (index, item) in items.enumerated().reversed() {
          rest += [.node(item), .text(index > 0 ? [.comma] : [])]
        }
      case .map(let entries):
        bytes.append(.openBrace)
        rest.append(.text([.closeBrace]))
        for (index, entry) in entries.enumerated().reversed() {
          rest += [.node(entry.value), .text((index > 0 ? [.comma] : []) + entry.key.quotedJSON + [.colon])]
        }
      }
    }
    return JSONValue(validated: bytes[...])
  }
}

// Maps parts of a decoded string back to the source, across quotes, escapes and folded lines.

/// Decoded text of a node, with a map back to the bytes of the source.
///
/// The reader gives a string and its byte range, not a map from one to the other. Only templates need such a map, and
/// each begins with `${`. If text and source have equally many `${`, the n-th of the text is the n-th of the source.
package struct LocatedText {
  package let bytes: [UInt8]
  package let range: Range<Int>
  private let source: [UInt8]
  /// Offsets of each `${` in text and source, in order; empty if they can't be paired (`"\u0024{"`).
  private let anchors: [(text: Int, source: Int)]

  package init(_ text: String, of node: Node, in source: SourceText) {
    bytes = Array(text.utf8)
    range = node.range.clamped(to: 0..<source.bytes.count)
    self.source = source.bytes
    let inText = Self.openings(in: bytes[...])
    let inSource = inText.isEmpty ? [] : Self.openings(in: source.bytes[range])
    anchors = inText.count == inSource.count ? Array(zip(inText, inSource)).map { (text: $0, source: $1) } : []
  }

  /// Returns the bytes of the source for a part of the text.
  ///
  /// The range is exact if text and source are equal from the template's `${` on. Otherwise it is that `${`, or,
  /// without a template, the whole string.
  package func sourceRange(of part: Range<Int>) -> Range<Int> {
    guard let anchor = anchor(before: part.lowerBound) else { return range }
    let span = anchor.text..<part.upperBound
    let start = anchor.source
    let isVerbatim =
      start + span.count <= range.upperBound
      && bytes[span].elementsEqual(source[start..<start + span.count])
    guard isVerbatim else { return start..<start + 2 }
    return start + part.lowerBound - anchor.text..<start + span.count
  }

  private func anchor(before offset: Int) -> (text: Int, source: Int)? {
    let next = anchors.partitioningIndex { $0.text > offset }
    return next > 0 ? anchors[next - 1] : nil
  }

  private static func openings(in bytes: ArraySlice<UInt8>) -> [Int] {
    bytes.indices.dropLast().filter { bytes[$0] == UInt8(ascii: "$") && bytes[$0 + 1] == UInt8(ascii: "{") }
  }
}

/// Writes texts as scalars of YAML.
package enum YAMLScalar {
  /// Returns a JSON string, with escapes for characters that an editor would not show.
  package static func quoted(_ text: String) -> String {
    String(decoding: text.quotedJSON, as: UTF8.self).unicodeScalars.reduce(into: "") { quoted, scalar in
      if String(scalar).printable == String(scalar) {
        quoted.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      }
    }
  }

  /// Returns the text of a path as YAML; an element's number needs no quotes.
  package static func path(_ text: String) -> String {
    text.utf8.allSatisfy { (48...57).contains($0) } ? text : Self.text(text)
  }

  /// Returns a text as YAML, or as a JSON string if YAML would read the plain text as something else.
  ///
  /// - Parameter inFlow: true within `[ ]` and `{ }`, where a comma and a colon have a meaning.
  package static func text(_ text: String, inFlow: Bool = false) -> String {
    let plain = "/_-.~%?&=+@*" + (inFlow ? "" : ":,")
    let isPlain =
      text.utf8.allSatisfy {
        (48...57).contains($0) || (97...122).contains($0 | 0x20) || plain.utf8.contains($0)
      } && text.utf8.first.map { (97...122).contains($0 | 0x20) || $0 == UInt8(ascii: "/") } == true
      && !text.hasSuffix(":")
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    if isPlain { return text }
    // In single quotes nothing is escaped: `'["@graph"]'`.
    let isVerbatim = text.contains("\"") && !text.contains("'") && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    return isVerbatim ? "'\(text)'" : quoted(text)
  }
}
