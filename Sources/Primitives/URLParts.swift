// A URL taken apart (RFC 3986 appendix B): nothing is decoded, checked or resolved.

/// The parts of a URL or a reference, each as it is spelled, so that together they are the text again.
package struct URLParts: Sendable {
  /// Without its `:`; nil for a relative reference.
  package let scheme: Substring?
  /// Without the `//` before it; nil if there is none.
  package let authority: Substring?
  package let path: Substring
  /// Without its `?`; nil if there is none.
  package let query: Substring?
  /// Without its `#`; nil if there is none.
  package let fragment: Substring?

  package init(_ reference: some StringProtocol) {
    let text = Substring(reference)
    let bytes = text.utf8
    /// Returns the end of a part that one of these delimiters ends.
    func end(from start: Substring.Index, before delimiters: StaticString) -> Substring.Index {
      delimiters.withUTF8Buffer { all in bytes[start...].firstIndex { all.contains($0) } ?? bytes.endIndex }
    }
    func begins(at index: Substring.Index, _ delimiter: StaticString) -> Bool {
      delimiter.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }
    /// Returns the part after a delimiter, and where the text goes on.
    func part(at index: Substring.Index, after delimiter: StaticString, before others: StaticString) -> Substring? {
      guard begins(at: index, delimiter) else { return nil }
      let start = bytes.index(index, offsetBy: delimiter.utf8CodeUnitCount)
      return text[start..<end(from: start, before: others)]
    }
    let colon = end(from: text.startIndex, before: ":/?#")
    let hasScheme = begins(at: colon, ":") && colon > text.startIndex
    scheme = hasScheme ? text[..<colon] : nil
    let start = hasScheme ? bytes.index(after: colon) : text.startIndex
    authority = part(at: start, after: "//", before: "/?#")
    let pathStart = authority?.endIndex ?? start
    path = text[pathStart..<end(from: pathStart, before: "?#")]
    query = part(at: path.endIndex, after: "?", before: "#")
    fragment = part(at: query?.endIndex ?? path.endIndex, after: "#", before: "")
  }

  /// User name, and perhaps a password, before the host; nil if there is none.
  package var userInfo: Substring? {
    authority.flatMap { authority in authority.lastIndex(of: "@").map { authority[..<$0] } }
  }

  /// The host with the brackets of an IPv6 address; nil without an authority.
  package var host: Substring? { hostAndPort?.host }

  /// The port as it is spelled, perhaps empty; nil if no colon follows the host.
  package var port: Substring? { hostAndPort?.port }

  private var hostAndPort: (host: Substring, port: Substring?)? {
    guard let authority else { return nil }
    let text = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
    guard let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") else { return (text, nil) }
    return (text[..<colon], text[colon...].dropFirst())
  }

  /// The items of the query, without empty ones.
  package var items: [QueryItem] { QueryItem.items(of: query ?? "") }
}

/// An item of a query, or of a form, as it is spelled.
package struct QueryItem: Sendable {
  /// Name and value, with the `=` between them.
  package let text: Substring

  package init(_ text: Substring) {
    self.text = text
  }

  package var name: Substring { text.prefix { $0 != "=" } }

  /// The text after the first `=`; nil if there is none.
  package var value: Substring? {
    let name = name
    return name.endIndex < text.endIndex ? text[name.endIndex...].dropFirst() : nil
  }

  /// Returns the items of a query, without empty ones.
  package static func items(of query: Substring) -> [QueryItem] {
    query.split(separator: "&").map { QueryItem($0) }
  }
}
