// Checks a job's request body: it has one kind, which its Content-Type does not contradict.

internal import Diagnostics
internal import JSONText
internal import Primitives
import YAMLText

extension NodeDecoder {
  static let bodyKinds = ["body", "form", "text"]

  mutating func checkBody(_ draft: JobDraft) {
    let found = Self.bodyKinds.compactMap { draft.own[$0] }
    guard found.count == 1 else { return }
    checkContentType(draft, found[0])
  }

  /// Refuses a Content-Type that contradicts the kind of the body.
  private mutating func checkContentType(_ draft: JobDraft, _ body: Node.Entry) {
    guard let header = draft.job.headers.first(where: { $0.name.lowercased() == "content-type" }),
      let literal = header.value.literal, let headers = draft.own["headers"] ?? draft.inherited["headers"]
    else { return }
    let range = entries(of: headers.value)?.last { $0.key.lowercased() == "content-type" }?.value.range
    let type = literal.mediaType
    if let advice = Self.contradiction(of: type, to: body.key) {
      let message = "'\(body.key)' is not sent as '\(type.printable)'"
      refuse(message, at: range ?? headers.keyRange, advice: advice)
    } else if type.hasSuffix("json"), let charset = literal.charset, !Self.charsets.contains(charset) {
      refuse("JSON is not sent in '\(charset.printable)'", at: range ?? headers.keyRange, advice: "leave 'charset' out")
    }
  }

  /// Charsets that UTF-8 may have as its name, or that are a part of it.
  private static let charsets: Set = ["utf-8", "utf8", "utf_8", "us-ascii", "ascii"]

  /// Returns a remedy if a kind of body can't have this type; nil if it can.
  private static func contradiction(of type: String, to kind: String) -> String? {
    switch kind {
    case "form": type == form ? nil : "leave the header out: 'form' is sent as '\(form)'"
    case "body" where type == form: "write 'form' in place of 'body'"
    case "body" where type == "application/graphql":
      "leave the header out, or write the query itself, as 'text'"
    case "body" where isOtherThanJSON(type):
      "leave the header out: 'body' is sent as JSON; other texts are 'text'"
    default: nil
    }
  }

  /// True for a type that is certainly no JSON; some APIs want JSON under types of their own, or as `text/plain`.
  private static func isOtherThanJSON(_ type: String) -> Bool {
    ["multipart/", "image/", "audio/", "video/"].contains { type.hasPrefix($0) } || type.hasSuffix("xml")
      || ["text/csv", "text/html", "application/octet-stream"].contains(type)
  }

  private static let form = "application/x-www-form-urlencoded"

  /// Checks that a pager's item of `form` is not written as a path in `body`.
  mutating func checkFormItem(_ path: JSONPath, written word: String, at range: Range<Int>) {
    guard word == "body", let first = path.steps.first else { return }
    refuse("'body' of a pager in a step with 'form'", at: range, advice: "write '{ form: \(first.name.printable) }'")
  }
}

extension String {
  /// The type of a `Content-Type`, in lower case, without parameters (RFC 9110 §8.3.1).
  fileprivate var mediaType: String {
    let type = lowercased().prefix { $0 != ";" }
    return type.split(whereSeparator: \.isWhitespace).joined()
  }

  /// The `charset` of a `Content-Type`, in lower case (RFC 9110 §8.3.2).
  fileprivate var charset: String? {
    let parameters = lowercased().split(separator: ";").dropFirst().map { $0.split(separator: "=", maxSplits: 1) }
    let charset = parameters.first { $0.first?.filter { !$0.isWhitespace } == "charset" && $0.count == 2 }
    return charset.map { $0[1].filter { !$0.isWhitespace && !"\"'".contains($0) } }
  }
}

// Checks of a whole job with `batch`, whose requests are for many input records.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  mutating func checkBatch(_ draft: JobDraft) {
    guard draft.own["download"] == nil else { return }
    guard let key = draft.own["batch"] else {
      for hole in draft.job.templates.flatMap(\.holes) where hole.root == .inputs {
        let advice = "add 'batch: 100', the most input records of a request, or read 'input'"
        refuse("'inputs' without 'batch'", at: range(of: hole), advice: advice)
      }
      return
    }
    let request = Set(draft.job.requestTemplates.map(\.position))
    for hole in draft.job.templates.filter({ !request.contains($0.position) }).flatMap(\.holes)
    where hole.root == .inputs {
      refuse(hole, advice: TemplateSite.ofInputs)
    }
    checkSingle(draft)
    checkLists(draft.job)
    if let hole = draft.job.endpoint?.onlyHole, hole.root == .inputs {
      let advice = "put their values into a segment of 'endpoint', or into 'query'"
      refuse("an endpoint from many records", at: range(of: hole), advice: advice)
    }
    if let attach = draft.own["attach"], draft.own["match"] == nil {
      let advice = "add 'match: { fetched: input }', which says to which input record a fetched one belongs"
      refuse("'attach' beside 'batch' without 'match'", at: attach.keyRange, advice: advice)
    }
    if draft.isWhole, !draft.job.requestTemplates.contains(where: { $0.readsInput }) {
      let advice = "name their values: 'query: { ids: \"${inputs.id:,}\" }'"
      refuse("'batch' without 'inputs' in the request", at: key.keyRange, advice: advice)
    }
  }

  /// Refuses templates that read one input record, since a request of `batch` has many.
  private mutating func checkSingle(_ draft: JobDraft) {
    for hole in draft.job.fetchTemplates.flatMap(\.holes) where hole.root == .input {
      let advice = "a request of 'batch' is for many input records: '${inputs.id:,}' joins their values"
      refuse(hole, advice: advice)
    }
    checkJoinedSet(draft)
  }

  /// Refuses a list inside a text.
  private mutating func checkLists(_ job: Job) {
    let wholes = (job.query + (job.form ?? [])).flatMap(\.values) + [job.body].compactMap { $0 }
    let whole = Set(wholes.flatMap(\.templates).compactMap(\.onlyHole).map(\.position))
    for hole in job.requestTemplates.flatMap(\.holes)
    where hole.root == .inputs && hole.separator == nil && !whole.contains(hole.position) {
      let advice = "join its values, for example by commas: '${inputs.id:,}'"
      refuse("a list in a text", at: range(of: hole), advice: advice)
    }
  }
}

// MARK: Checks the origin of `auth`, and its conflicts with other keys

extension NodeDecoder {
  mutating func checkAuth(_ draft: inout JobDraft) {
    guard let auth = draft.job.auth, let key = draft.own["auth"] ?? draft.inherited["auth"] else { return }
    if let base = ownBase(of: "auth", &draft, key) { draft.job.auth?.base = base }
    checkHeaders(draft, auth, key)
    checkQuery(draft, auth, key)
    checkTokenURLs(draft, auth, key)
  }

  /// Checks that a job with `env` values has an origin to send them to.
  ///
  /// Values from the environment are sent to the job's own origin only. If the endpoint comes from a record, only
  /// `base` gives that origin.
  mutating func checkEnvironment(_ draft: JobDraft) {
    guard draft.job.endpoint?.inputURL != nil, draft.job.base == nil else { return }
    let parts = [
      ("headers", draft.job.headers.map(\.value)),
      ("query", draft.job.query.flatMap(\.values).flatMap(\.templates)),
      ("body", draft.job.body?.templates ?? []),
      ("form", (draft.job.form ?? []).flatMap(\.values).flatMap(\.templates)),
      ("text", [draft.job.text].compactMap { $0 }),
    ]
    let isSinceSecret = !(draft.job.incremental?.templates.environmentNames ?? []).isEmpty
    for (name, templates) in parts
    where !templates.environmentNames.isEmpty || isSinceSecret && templates.contains(where: { $0.names(.since) }) {
      guard let key = draft.own[name] ?? draft.inherited[name] else { continue }
      refuse(
        "'env' in '\(name)' of an endpoint that only records know", at: key.keyRange,
        advice: "give the 'base' at whose origin it may be sent")
    }
  }

  /// Checks that `tls` has an origin, as `auth` must.
  mutating func checkTLS(_ draft: inout JobDraft) {
    guard draft.job.tls != nil, let key = draft.own["tls"] ?? draft.inherited["tls"] else { return }
    if let base = ownBase(of: "tls", &draft, key) { draft.job.tls?.base = base }
    let home = draft.job.tls?.base ?? draft.job.base ?? draft.job.endpoint
    guard case .text(let text)? = home?.pieces.first, text.lowercased().hasPrefix("http://") else { return }
    refuse("'tls' for http", at: key.keyRange, advice: "begin the URL with 'https://', or leave out 'tls'")
  }

  /// Returns the file's `base` for a key beside `steps`, which holds at its origin; nil for a key of the job itself.
  private mutating func ownBase(of name: String, _ draft: inout JobDraft, _ key: Node.Entry) -> Template? {
    if draft.own[name] == nil {
      if let base = draft.fileBase { return base }
      refuse(
        "'\(name)' beside 'steps' without a 'base' beside it", at: key.keyRange,
        advice: "it holds for the origin of that 'base'; add one, or move '\(name)' into the steps")
    } else if draft.job.endpoint?.inputURL != nil, draft.job.base == nil {
      refuse(
        "'\(name)' of an endpoint that only records know", at: key.keyRange,
        advice: "give the 'base' at whose origin it holds")
    }
    return nil
  }

  private mutating func checkHeaders(_ draft: JobDraft, _ auth: Job.Auth, _ key: Node.Entry) {
    for header in draft.job.headers where auth.headerNames.contains(header.name.lowercased()) {
      refuse(
        "'auth' sets the header '\(header.name)', which is in 'headers' too", at: key.keyRange,
        advice: "leave one of them out")
    }
    for case .header(let turned) in draft.job.pages?.kind.items ?? []
    where auth.headerNames.contains(turned.lowercased()) {
      refuse(
        "'auth' sets the header '\(turned)', by which 'pages' turns", at: key.keyRange,
        advice: "rename one of them: each would replace the other")
    }
  }

  private mutating func checkQuery(_ draft: JobDraft, _ auth: Job.Auth, _ key: Node.Entry) {
    let names = auth.itemNames
    for name in names where draft.job.query.contains(where: { $0.name == name }) {
      refuse(
        "'auth' sets the item '\(name.printable)', which is in 'query' too", at: key.keyRange,
        advice: "leave one of them out")
    }
    for case .query(let turned) in draft.job.pages?.kind.items ?? [] where names.contains(turned) {
      refuse(
        "'auth' sets the item '\(turned.printable)', by which 'pages' turns", at: key.keyRange,
        advice: "rename one of them: each would replace the other")
    }
  }

  /// Refuses a text that is not a URL for tokens, plain http, except for this machine (RFC 6749 §2.3.1 asks for TLS), and a
  /// socket that is not the step's own.
  private mutating func checkTokenURLs(_ draft: JobDraft, _ auth: Job.Auth, _ key: Node.Entry) {
    for (name, url, _) in auth.tokenRequests {
      let node = node(ofURL: name, in: key.value)
      let text = url.start.lowercased()
      if text.hasPrefix("unix:") {
        refuse("\(name) with 'unix:'", at: node.range, advice: Self.socketAdvice)
        continue
      }
      let before = mistakes.count
      check(url, of: draft, node, named: name, mayBeValue: true)
      guard mistakes.count == before, let authority = url.authority(against: draft.job.base) else { continue }
      if UnixSocket.isHost(authority.host) {
        let own = draft.job.base?.authority(against: nil)
        guard own?.host != authority.host || authority.scheme != "http" else { continue }
        refuse("\(name) at a socket that is not that of 'base'", at: node.range, advice: Self.socketAdvice)
      } else if authority.scheme == "http", !authority.isHere {
        let advice = "secrets are sent to it: begin it with 'https://'"
        refuse("\(name) with http", at: node.range, advice: advice)
      }
    }
  }

  /// Returns the node of a URL for tokens; that of `auth` if it is not there.
  private func node(ofURL name: String, in auth: Node) -> Node {
    let kinds = entries(of: auth)?.compactMap { entries(of: $0.value) } ?? []
    return kinds.joined().first { name.hasPrefix("'\($0.key)'") }?.value ?? auth
  }

  private static let socketAdvice =
    "only 'base' can name a socket: write 'base: unix:SOCKET:/', and here the path alone"
}

extension Template {
  /// Scheme and host of a URL, in lower case, as a check needs them.
  fileprivate struct Authority {
    let scheme: String
    let host: String

    /// True for a host that is certainly this machine.
    var isHere: Bool {
      let isAddress = host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0.isDigit }
      return host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
        || host.hasPrefix("127.") && isAddress
    }
  }

  /// The text before the first template.
  fileprivate var start: String { if case .text(let text)? = pieces.first { text } else { "" } }

  /// Returns scheme and host, with the base's scheme for a URL without one; nil if a value supplies them.
  fileprivate func authority(against base: Template?) -> Authority? {
    let shape = URLShape(self)
    if shape.hasOriginHole { return nil }
    guard let authority = shape.authority else { return base?.authority(against: nil) }
    guard let scheme = shape.scheme ?? base.flatMap({ URLShape($0).scheme }) else { return nil }
    let text = "\(URLShape.text(of: scheme))://\(URLShape.text(of: authority))".lowercased()
    let parts = URLParts(text)
    return Authority(scheme: String(parts.scheme ?? ""), host: String(parts.host ?? ""))
  }
}

// MARK: Checks of the requests of later pages: `then` and `scroll` of `pages`

extension NodeDecoder {
  mutating func checkLaterPages(_ draft: JobDraft) {
    if let key = draft.own["maxPages"], draft.own["download"] == nil, draft.job.pages?.kind == .single {
      refuse("'maxPages' beside 'pages: one'", at: key.keyRange, advice: "leave one of them out")
    }
    guard let pages = draft.job.pages, let key = draft.own["pages"],
      let entries = entries(of: key.value)
    else { return }
    if let then = pages.then, let entry = entries.first(where: { $0.key == "then" }),
      let endpoint = self.entries(of: entry.value)?.first(where: { $0.key == "endpoint" })
    {
      check(then.endpoint, of: draft, endpoint.value)
    }
    if pages.isScroll { checkScroll(pages, entries, draft) }
    if let smaller = entries.first(where: { $0.key == "smaller" }) { checkSmaller(pages, smaller, draft) }
  }

  /// Refuses what has another meaning for smaller pages.
  private mutating func checkSmaller(_ pages: Pages, _ smaller: Node.Entry, _ draft: JobDraft) {
    if !draft.job.maySizePages {
      let advice = "write the size into the request, such as 'query: { limit: 100 }'"
      refuse("'smaller' without an item that gives the size of a page", at: smaller.keyRange, advice: advice)
    }
    if pages.isScroll {
      let advice = "leave one of them out: a request of a scroll that failed may have moved the server's position"
      refuse("'smaller' beside 'scroll'", at: smaller.keyRange, advice: advice)
    }
    if case .number = pages.kind { return }
    if pages.totalPages != nil {
      let advice = "smaller pages are more pages: end them by 'totalRecords', or as the pager does by itself"
      refuse("'smaller' beside 'totalPages'", at: smaller.keyRange, advice: advice)
    }
  }

  /// Refuses keys that repeat a request of a scroll, since each one moves the server's position.
  private mutating func checkScroll(_ pages: Pages, _ entries: [Node.Entry], _ draft: JobDraft) {
    if draft.job.ignored.contains(.repeats), let entry = draft.own["ignore"] {
      let advice = "leave it out: pages of a scroll that have the same content are a circle"
      refuse("'ignore: repeats' beside 'scroll'", at: entry.value.range, advice: advice)
    }
    if draft.job.poll != nil, let entry = draft.own["poll"] {
      let advice = "a repeated request would skip a page: poll in a step before"
      refuse("'poll' beside 'scroll'", at: entry.keyRange, advice: advice)
    }
    if pages.then == nil, pages.kind.items.contains(where: draft.job.sends),
      let entry = entries.first(where: { $0.key == "cursor" || $0.namesItems })
    {
      let advice = "a scroll begins without the cursor: otherwise a lost first answer would be a lost page"
      refuse("the first request has the cursor of the scroll, too", at: entry.value.range, advice: advice)
    }
  }
}

extension Job {
  /// True if the job itself gives a value for a pager's item.
  fileprivate func sends(_ item: Pages.PageItem) -> Bool {
    switch item {
    case .query(let name): return query.contains { $0.name == name }
    case .header(let name): return headers.contains { $0.name.lowercased() == name.lowercased() }
    case .endpoint: return false
    case .body(let path):
      guard path.steps.count == 1, let name = path.steps.first?.name else { return false }
      if let form { return form.contains { $0.name == name } }
      guard case .map(let members)? = body, let member = members.first(where: { $0.name == name }) else { return false }
      if case .constant(let json, _) = member.value { return !json.isNull }
      return true
    }
  }
}

// MARK: The items of pagers

extension NodeDecoder {
  /// Checks that `${page}` stands in `endpoint` if the pager counts it; its default is the first number.
  mutating func checkPageInEndpoint(_ draft: inout JobDraft) {
    let holes = draft.job.endpoint?.holes.filter { $0.root == .page } ?? []
    for hole in draft.job.pages?.then?.endpoint.holes ?? [] where hole.root == .page {
      refuse("'page' in 'then'", at: range(of: hole), advice: "leave it out: 'then' is for pages by 'cursor'")
    }
    guard let pages = draft.job.pages, case .endpoint? = pages.kind.items.first else {
      if let hole = holes.first, draft.own["pages"] == nil || draft.job.pages != nil {
        refuse(
          "'page' without a pager that counts it", at: range(of: hole),
          advice: "write 'pages: { number: { endpoint: page } }', or '${param.page}' for a parameter")
      }
      return
    }
    guard draft.own["endpoint"] != nil, draft.job.endpoint != nil,
      let key = draft.own["pages"]
    else { return }
    guard holes.count == 1, let hole = holes.first else {
      refuse(
        holes.isEmpty ? "no '${page}' in 'endpoint'" : "'${page}' twice in 'endpoint'", at: key.value.range,
        advice: "write it once, where the page's number stands: 'endpoint: items/page/${page}'")
      return
    }
    if case .cursor = pages.kind {
      refuse(
        "a cursor in 'endpoint'", at: key.value.range, advice: "'next' leads to a URL: 'next: \"…/${body.cursor}\"'")
    }
    guard let fallback = hole.fallback else { return }
    guard let start = Int(fallback), start >= 0, fallback.utf8.allSatisfy(\.isDigit) else {
      refuse(
        "the default of 'page' is the number of the first page", at: range(of: hole), advice: "write '${page:-0}'")
      return
    }
    switch pages.kind {
    case .number(let item, _): draft.job.pages?.kind = .number(item: item, start: start)
    case .offset(let item, _): draft.job.pages?.kind = .offset(item: item, start: start)
    default: break
    }
  }

  /// Checks that the body has the container of the pager's item, since the item replaces or adds a member.
  mutating func checkPageItems(_ draft: JobDraft) {
    guard let items = draft.job.pages?.kind.items, !items.isEmpty, let pages = draft.own["pages"] else { return }
    let kind = entries(of: pages.value)?.first { ["number", "offset", "cursor"].contains($0.key) || $0.namesItems }
    let names = kind.flatMap { entries(of: $0.value) } ?? []
    for (index, item) in items.enumerated() {
      guard case .body(let path) = item else { continue }
      let name = index < names.count ? names[index] : nil
      let range = kind?.namesItems == true ? name?.keyRange : kind?.value.range
      let word = name.map { String($0.key.prefix { $0.isLetter }) } ?? "body"
      checkPageItem(path, written: word, at: range ?? pages.value.range, draft)
    }
  }

  private mutating func checkPageItem(
    _ path: JSONPath, written word: String, at range: Range<Int>, _ draft: JobDraft
  ) {
    let job = draft.job.ofLaterPages ?? draft.job
    if job.form != nil { return checkFormItem(path, written: word, at: range) }
    guard word == "body" else {
      let advice =
        job.body != nil ? "write '{ body: \(path.description.printable) }'" : "add 'form', or write the name alone"
      refuse("'form' of a pager in a step without 'form'", at: range, advice: advice)
      return
    }
    guard draft.job.pages?.then == nil ? draft.own["body"] != nil : job.body != nil else {
      let hasText = job.text != nil
      let message = hasText ? "a text, which has no places" : "a body, and there is none"
      let suffix = draft.job.pages?.then == nil ? "" : " in 'then'"
      let advice = (hasText ? "write 'body' or 'form' in place of 'text'" : "add 'body' or 'form'") + suffix
      refuse("'\(path.description.printable)' points into \(message)", at: range, advice: advice)
      return
    }
    guard let body = job.body, !body.hasPlace(for: path.steps[...]) else { return }
    let advice =
      body.lackedMember(of: path.steps).map { "add '\($0.printable): {}' to 'body'" }
      ?? "what the item stands in must be there: '${…}', a map, or the element itself"
    refuse("'\(path.description.printable)' leads nowhere in 'body'", at: range, advice: advice)
  }
}

extension TemplateValue {
  /// Returns the name of the member that a path of two steps lacks, such as `variables` for `variables.after`.
  fileprivate func lackedMember(of steps: [JSONStep]) -> String? {
    guard case .map(let members) = self, steps.count == 2, !members.contains(where: { $0.name == steps[0].name }) else {
      return nil
    }
    return steps[0].name
  }

  /// Reports that the last step of the path can be set in this value.
  ///
  /// A value that is one whole template is not known yet, so it counts as settable.
  fileprivate func hasPlace(for steps: ArraySlice<JSONStep>) -> Bool {
    guard let step = steps.first else { return true }
    switch self {
    case .constant:
      return false
    case .string(let template):
      return template.onlyHole != nil
    case .list(let values):
      guard let index = step.index, values.indices.contains(index) else { return false }
      return values[index].hasPlace(for: steps.dropFirst())
    case .map(let members):
      guard let member = members.last(where: { $0.name == step.name }) else { return steps.count == 1 }
      return member.value.hasPlace(for: steps.dropFirst())
    }
  }
}
