// GraphQL in a job's request: its text, and what the text asks the server to do.

internal import JSONText

extension Job {
  /// The text of a GraphQL request, with its templates as they are spelled; nil where the request has none.
  package var graphQLQuery: String? { graphQLInBody ?? graphQLInURL ?? graphQLInText }

  /// The member `query` of a JSON body.
  package var graphQLInBody: String? {
    guard case .map(let members)? = body, let query = members.last(where: { $0.name == "query" })?.value,
      case .string(let template) = query
    else { return nil }
    return template.spelling
  }

  /// The item `query` of a GET (GraphQL over HTTP), if its value has a selection.
  private var graphQLInURL: String? {
    guard let values = query.last(where: { $0.name == "query" })?.values, values.count == 1,
      case .string(let template) = values[0], template.spelling.contains("{")
    else { return nil }
    return template.spelling
  }

  /// A `text` that is a JSON object with a member `query`.
  private var graphQLInText: String? {
    guard let spelling = text?.spelling, spelling.drop(while: \.isWhitespace).first == "{",
      spelling.contains("\"query\"")
    else { return nil }
    return spelling
  }

  /// True if the body has a GraphQL document that only reads: its operations are queries.
  ///
  /// A document may have several operations, of which `operationName` selects one, so none may be another (GraphQL
  /// October 2021 §2.3).
  var asksByGraphQLQuery: Bool {
    if case .map(let members)? = body, let query = members.last(where: { $0.name == "query" })?.value,
      case .string(let document) = query
    {
      return GraphQLDocument(document).onlyQueries
    }
    guard let text else { return false }
    let type = headers.first { $0.name.lowercased() == "content-type" }?.value.literal ?? ""
    if type.lowercased().hasPrefix("application/graphql") { return GraphQLDocument(text).onlyQueries }
    let json = text.literal.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    return json?["query"]?.string.map { GraphQLDocument($0).onlyQueries } ?? false
  }
}

/// The operations of a GraphQL document, as far as its outermost words tell them.
struct GraphQLDocument {
  /// True if the document has an operation, and each one is a query.
  let onlyQueries: Bool

  /// - Parameter document: outside of selections, a hole of it may be anything.
  init(_ document: Template) {
    self.init(document.pieces.map { if case .text(let text) = $0 { text } else { "\0" } }.joined())
  }

  init(_ text: String) {
    var hasSelection = false
    var (depth, word, words) = (0, "", [String]())
    var isFresh = true
    var bytes = text.utf8[...]
    /// Ends a word, which is an operation's if no other word of its definition came before.
    func endWord() {
      if !word.isEmpty, isFresh, depth == 0 { (words, isFresh) = (words + [word], false) }
      word = ""
    }
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "#"):
        endWord()
        bytes = bytes.drop { $0 != 0x0A && $0 != 0x0D }
      case UInt8(ascii: "\""):
        endWord()
        Self.skipString(&bytes)
      case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
        endWord()
        // A selection without a word before it is a query.
        if byte == UInt8(ascii: "{"), depth == 0, isFresh { words.append("query") }
        hasSelection = hasSelection || byte == UInt8(ascii: "{")
        (depth, isFresh) = (depth + 1, false)
      case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
        depth -= 1
        if byte == UInt8(ascii: "}"), depth == 0 { isFresh = true }
      case 48...57, 65...90, 97...122, UInt8(ascii: "_"):
        if depth == 0 { word.unicodeScalars.append(Unicode.Scalar(byte)) }
      case 0 where depth == 0:
        words.append("")
      default:
        endWord()
      }
    }
    endWord()
    let operations = words.filter { $0 != "fragment" }
    onlyQueries = depth == 0 && hasSelection && operations.allSatisfy { $0 == "query" }
  }

  /// Skips the rest of a string, which may be a block string.
  private static func skipString(_ bytes: inout Substring.UTF8View.SubSequence) {
    let block = "\"\"".utf8
    if bytes.starts(with: block) {
      bytes = bytes.dropFirst(2)
      guard bytes.first == UInt8(ascii: "\"") else { return }
      bytes = bytes.dropFirst()
      while !bytes.isEmpty, !bytes.starts(with: "\"\"\"".utf8) {
        bytes = bytes.dropFirst(bytes.starts(with: "\\\"\"\"".utf8) ? 4 : 1)
      }
      bytes = bytes.dropFirst(3)
      return
    }
    while let byte = bytes.popFirst(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") { bytes = bytes.dropFirst() }
    }
  }
}
