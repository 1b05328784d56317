// The templates of a job, and the need for input records.

internal import Diagnostics
internal import JSONText

extension Job {
  /// True if the job needs input records.
  ///
  /// It needs them if a template names `input` or `inputs`, if it has `match`, or if it has no endpoint.
  package var readsRecords: Bool {
    isLater || endpoint == nil || !match.isEmpty || namesInput
  }

  /// True if a template names the input records.
  var namesInput: Bool {
    templatesBesideEach.contains { $0.readsInput }
  }

  /// True if a first job reads standard input: it reads records, and makes none by `each`.
  package var readsInput: Bool { readsRecords && each == nil }

  /// Members of the input records that `each` made, in the run before (`--from`).
  package var membersOfEach: [String] { (eachBefore?.axes ?? []).map(\.name) }

  /// Depth to which the job reads its input records; 0 if it reads none.
  ///
  /// It is the length of the longest path in its templates, and at least 1 if it sets or matches members.
  package var recordDepth: Int {
    guard readsRecords else { return 0 }
    let paths = templates.flatMap(\.holes).filter { $0.root == .input }.map(\.path.steps.count)
    let setsInInput = !set.isEmpty && (endpoint == nil || download != nil)
    let depth = match.map(\.input.steps.count).max() ?? (setsInInput || attach != nil || download != nil ? 1 : 0)
    return max(paths.max() ?? 0, depth)
  }

  /// All templates of the job, in the order of the spec.
  package var templates: [Template] {
    (templatesBesideEach + eachTemplates).sorted { $0.position < $1.position }
  }

  /// Templates that read what `each` makes.
  var templatesBesideEach: [Template] {
    fetchTemplates + (incremental?.templates ?? []) + filterTemplates + set.flatMap(\.value.templates)
  }

  /// Templates that decide what is fetched, and which part of it is content.
  var fetchTemplates: [Template] {
    [base].compactMap { $0 } + requestTemplates + (download?.templates ?? []) + (contentIdentifier?.templates ?? [])
      + (pages?.templates ?? []) + (auth?.templates ?? []) + (tls?.templates ?? []) + fixed.map(\.template)
  }

  /// Templates of the request itself, without `base`.
  package var requestTemplates: [Template] {
    [endpoint].compactMap { $0 } + query.flatMap(\.values).flatMap(\.templates) + headers.map(\.value) + bodyTemplates
  }

  /// True if the request depends on the mark of the last run.
  var requestReadsSince: Bool {
    (requestTemplates + (pages?.then?.templates ?? [])).contains { $0.names(.since) }
  }

  /// Templates in the request's body, of whatever kind it is.
  package var bodyTemplates: [Template] {
    (body?.templates ?? []) + (form ?? []).flatMap(\.values).flatMap(\.templates) + [text].compactMap { $0 }
  }

  /// True if the request has a body.
  package var hasBody: Bool { body != nil || form != nil || text != nil }

  /// The request's method: the job's own, or GET or POST depending on the body.
  package var sentMethod: String { method ?? (hasBody ? "POST" : "GET") }

  /// True if a request of the job only reads, so that it may be sent again: a GET, HEAD or QUERY (RFC 10008), a request
  /// whose further pages are requested, and a query of GraphQL.
  package var isRead: Bool {
    if ["GET", "HEAD", "QUERY"].contains(sentMethod) { return true }
    return sentMethod == "POST" && (pages.map { $0.kind != .single } ?? false || asksByGraphQLQuery)
  }

  /// True if the values of `each` depend on the input record.
  package var eachReadsRecords: Bool {
    eachTemplates.contains { $0.names(.input) || $0.names(.since) && since?.incremental.by.isEmpty == false }
  }

  /// True if the job asks for what is new since the mark, or leaves out what is not.
  package var asksForNews: Bool {
    incremental?.only == .new || pages?.until.contains(.known) == true
      || !asksIfChanged && (templates + eachTemplates).contains { $0.names(.since) }
  }

  /// True if the job asks for its whole list, unless that is as it was: its mark is the list's own ETag or date of change,
  /// which one header field sends back (RFC 9110 §13.1).
  package var asksIfChanged: Bool {
    guard case .answer(let mark)? = incremental?.mark, let hole = mark.onlyHole, hole.root == .headers,
      ["etag", "last-modified"].contains(hole.path.steps.first?.name.lowercased()),
      pages == nil || pages?.kind == .single, each == nil, eachBefore == nil, match.isEmpty,
      !requestTemplates.contains(where: \.readsInput)
    else { return false }
    let asking = headers.filter { $0.value.names(.since) }
    return asking.count == 1
      && asking.allSatisfy { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
      && (templates + eachTemplates).count { $0.names(.since) } == 1
  }

  var eachTemplates: [Template] {
    (each?.axes ?? []).flatMap(\.templates)
  }
}

extension Template.Hole {
  /// Name by which a value from outside is looked up: `NAME` for `env`, `file.NAME` for a file; nil for other roots.
  package var variable: String? {
    switch root {
    case .env: path.steps.first?.name
    case .file: path.steps.first.map { Self.fileStart + $0.name }
    default: nil
    }
  }

  private static let fileStart = "file."

  /// Returns the name of a file that a variable stands for; nil for one of the environment.
  package static func file(ofVariable name: String) -> String? {
    name.hasPrefix(fileStart) ? String(name.dropFirst(fileStart.count)) : nil
  }

  /// Reports that a name is that of a file directly in a folder, not a path.
  package static func isFileName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}

extension Job {
  /// Names of the variables and files in the job's templates, all of which hold secrets.
  package var environmentNames: Set<String> { environmentNames(in: templates) }

  /// Returns the names of the variables and files in some of the job's templates.
  ///
  /// The variable that supplies the origin of `base` is not included, since a requested URL is no secret.
  package func environmentNames(in templates: [Template]) -> Set<String> {
    let origin = base?.originHole
    return Set(
      templates.flatMap(\.holes).filter { $0 != origin }.compactMap(\.variable))
  }
}

extension Job {
  /// Names of the variables and files that may decide which records come, without the variable that supplies the
  /// origin of `base`.
  package var decidingVariables: Set<String> {
    let templates = decidingTemplates {
      CredentialName.isCredential(item: $0)
    } orField: {
      CredentialName.isOnlyCredential(field: $0)
    }
    return environmentNames(in: templates).filter { !CredentialName.isCredential(variable: $0) }
  }

  /// Names of the parameters that may decide which records come, also by an item such as `key` or `session`.
  package var decidingParameters: Set<String> {
    func isCredential(_ name: String) -> Bool {
      CredentialName.isCredential(item: name) && !CredentialName.isAmbiguous(name)
    }
    let templates = decidingTemplates(exceptItem: isCredential, orField: isCredential)
    return Set(templates.flatMap(\.holes).filter { $0.root == .param }.compactMap { $0.path.steps.first?.name })
  }

  /// Templates that may decide which records come.
  ///
  /// Credentials decide nothing, and may change before an interrupted run is resumed: what only `auth` and `tls` read,
  /// and variables, header fields and items with a name such as `API_KEY`.
  private func decidingTemplates(
    exceptItem isCredentialItem: (String) -> Bool, orField isCredentialField: (String) -> Bool
  ) -> [Template] {
    let then = pages?.then
    let items = (query + (form ?? []) + (then?.query ?? []) + (then?.form ?? []))
      .filter { !isCredentialItem($0.name) }
    return [base, endpoint, text].compactMap { $0 } + (download?.templates ?? []) + (contentIdentifier?.templates ?? [])
      + items.flatMap(\.values).flatMap(\.templates)
      + headers.filter { !isCredentialField($0.name) }.map(\.value)
      + (body?.templates ?? []) + (pages?.ownTemplates ?? []) + fixed.filter { !$0.mayChange }.map(\.template)
      + [then?.endpoint, then?.text].compactMap { $0 }
      + (then?.body?.templates ?? []) + eachTemplates + filterTemplates + set.flatMap(\.value.templates)
      + (incremental?.templates ?? [])
  }
}

extension Template {
  /// True if a hole reads the input records.
  package var readsInput: Bool { names(.input) || names(.inputs) }
}

extension [Template] {
  /// Names of the variables and files in these templates.
  package var environmentNames: Set<String> {
    Set(flatMap(\.holes).compactMap(\.variable))
  }
}

// MARK: GraphQL in a job's request: its text, and what the text asks the server to do

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
    self.init(document.text { _ in "\0" })
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
