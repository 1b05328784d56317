// The request of a job for an input record, its content, and its pager.

package import JSONText
package import PipelineSpec
import Primitives
package import Wire

extension JobPlan {
  /// Returns the first request for a record (nil for a job that reads none), or for the list of a batch's records.
  ///
  /// - Parameter secrets: secrets that must not be sent to another origin, even if a record contains them.
  package func request(
    for record: JSONValue?, hiding secrets: SecretStore
  ) throws(ParameterError) -> Request {
    let scope = scope(for: record)
    for hole in job.pages?.templates.flatMap(\.holes) ?? [] where hole.root == .input {
      _ = try hole.reading(in: scope)
    }
    return try withoutSecrets(try request(in: scope), secrets, scope)
  }

  /// Returns a request without secrets if a record leads it to another origin.
  private func withoutSecrets(
    _ request: Request, _ secrets: SecretStore, _ scope: TemplateScope
  ) throws(ParameterError) -> Request {
    guard let endpoint = job.endpoint, endpoint.inputURL != nil, Origin(of: request.url.text) != origin
    else { return request }
    do {
      return try request.withoutSecrets(secrets.current)
    } catch {
      throw scope.fault(
        endpoint, "it leads to another origin, and \(error.words) holds a secret, which is not sent there")
    }
  }

  /// Returns the request of the later pages for a record, without a cursor; nil if it is that of the first page.
  ///
  /// - Parameters:
  ///   - first: the request of the first page, to whose origin it must go.
  ///   - secrets: secrets that must not be sent to another origin.
  package func laterRequest(
    after first: Request, for record: JSONValue?, hiding secrets: SecretStore
  ) throws(ParameterError) -> Request? {
    let scope = scope(for: record)
    guard let plan = ofLaterPages, let request = try laterRequest(after: first, in: scope) else { return nil }
    return try plan.withoutSecrets(request, secrets, scope)
  }

  func laterRequest(after first: Request, in scope: TemplateScope) throws(ParameterError) -> Request? {
    guard let plan = ofLaterPages, let endpoint = plan.job.endpoint else { return nil }
    let request = try plan.request(in: scope)
    guard Origin(of: request.url.text) == Origin(of: first.url.text) else {
      throw scope.fault(endpoint, "'then' of 'pages' leads to another origin than the first page")
    }
    return request
  }

  /// Returns the first request, as far as it is known without input records.
  ///
  /// A `StandIn` replaces each value that an input record would give.
  package func outlinedRequest() throws(ParameterError) -> Request {
    var outline = scope
    (outline.isValidation, outline.showsTemplates) = (true, true)
    return try request(in: outline)
  }

  /// Returns true if a request would ask for nothing, since no input record of the batch has an optional value.
  package func asksForNothing(_ record: JSONValue?) throws(ParameterError) -> Bool {
    guard job.batch != nil else { return false }
    let scope = scope(for: record)
    for hole in job.recordsHoles where try hole.reading(in: scope) != nil { return false }
    return true
  }

  /// Returns the path of the content, for a record.
  package func content(for record: JSONValue?) throws(ParameterError) -> JSONPath {
    try content(in: scope(for: record))
  }

  /// Returns the pager for the stream of pages that begins with a request.
  ///
  /// - Parameters:
  ///   - later: the request of the later pages, if it is another one.
  ///   - secrets: secrets that must not be sent to another origin.
  package func pager(first: Request, then later: Request? = nil, record: JSONValue?, secrets: SecretStore) -> Pager {
    Pager(
      first: first, then: later, pages: pages(from: first), ignoring: job.ignored, hasKeys: !job.uniqueMembers.isEmpty,
      scope: scope(for: record), isWholeBody: job.contentIdentifier == nil,
      isPart: job.contentIdentifier?.contentShape?.hasElements == true, contentName: job.contentName,
      names: secretNames, secrets: secrets)
  }

  /// Returns `pages` with the number from which the pages are counted in a first request.
  package func pages(from first: Request) -> Pages? {
    guard var pages = job.pages else { return nil }
    switch (pages.kind, pages.kind.items.first.map { FirstNumber(of: $0, in: first) }) {
    case (.number(let item, _), .number(let start)?): pages.kind = .number(item: item, start: start)
    case (.offset(let item, _), .number(let start)?): pages.kind = .offset(item: item, start: start)
    default: break
    }
    return pages
  }

  /// Names for the job's secrets, for texts that must not contain the secrets.
  ///
  /// The names are those of environment variables and parameters, and the numbers of other secrets in `auth`. Another
  /// process finds the secrets in the same order.
  private var secretNames: [String: String] {
    let variables = scope.run.environment.values(of: job.environmentNames)
    var names = Dictionary(uniqueKeysWithValues: variables.map { (SecretNames.Source.env.name($0), $1) })
    // Secrets as short as any word are redacted only where a template inserted them.
    for (index, secret) in (credentials?.secrets ?? []).enumerated() where secret.unicodeScalars.count >= 4 {
      if !variables.values.contains(secret) { names[SecretNames.Source.auth.name(index)] = secret }
    }
    for (name, text) in scope.run.secretParameters(of: job) where text.unicodeScalars.count >= 4 {
      if !names.values.contains(text) { names[SecretNames.Source.param.name(name)] = text }
    }
    return names
  }

  func request(in scope: TemplateScope) throws(ParameterError) -> Request {
    let url = try RequestURL(job, base: base, in: scope)
    let body = try job.sentBody(in: scope)
    let fields = try HTTPFields(job, userAgent: userAgent, body: body?.format, in: scope)
    var request = Request(
      method: job.sentMethod, url: url.url, fields: fields,
      body: body, timeout: job.timeout, bodyLimit: job.bodyLimit,
      allowedOrigins: job.allowedOrigins.union(base.flatMap { Origin(of: $0.text) }.map { [$0] } ?? []),
      retry: RetryPolicy(job), rate: rate, credentials: credentials,
      secretsOrigin: credentials?.origin ?? origin)
    if let socket = job.socket { request.socket = socket }
    if job.download != nil { request.isFile = true }
    if let unpack = job.unpack {
      (request.packing, request.mayBePlain) = (unpack == .zip ? .zip : .gzip, unpack == .auto)
    }
    let isOfLines = job.read != .json || job.download != nil
    if isOfLines, job.unpack == nil, !job.ignored.contains(.partial) { request.watchesEnd = true }
    if tlsFiles != nil { request.tlsFiles = tlsFiles }
    if job.poll != nil { request.allowsSeeOther = true }
    if job.ignored.contains(.origin) { request.staysAtOrigin = true }
    if case .endpoint? = job.pages?.kind.items.first { request.pageURL = request.url }
    try checkSize(of: request, in: scope)
    return try numbered(request, in: scope)
  }

  /// Throws if no item of the request gives the size of a page, which `smaller` needs.
  private func checkSize(of request: Request, in scope: TemplateScope) throws(ParameterError) {
    guard let pages = job.pages, pages.smallest != nil,
      !scope.isValidation || !job.requestTemplates.contains(where: \.readsInput),
      !scope.showsTemplates, RequestedPage(request).settableSize(beside: pages.kind.items) == nil
    else { return }
    throw scope.fault(
      Template(pieces: [.text("smaller")], position: pages.position),
      "no item of the request gives the size of a page as a number, which 'smaller' could halve: write it, such as "
        + "'query: { limit: 100 }'")
  }

  /// Returns the request with the pager's item for the first page.
  private func numbered(_ request: Request, in scope: TemplateScope) throws(ParameterError) -> Request {
    let (item, numbered): (Pages.PageItem, Request?)
    switch job.pages?.kind {
    case .number(let pageItem, let start), .offset(let pageItem, let start):
      let readsInput = job.requestTemplates.contains(where: \.readsInput)
      switch FirstNumber(of: pageItem, in: request) {
      case .number(let first): (item, numbered) = (pageItem, ItemRequest(request, pageItem).carrying(first))
      case .none: (item, numbered) = (pageItem, ItemRequest(request, pageItem).carrying(start))
      case .text where readsInput && (scope.isValidation || scope.showsTemplates): return request
      case .text(let text):
        throw scope.fault(
          Template(pieces: [.text(text)], position: job.pages?.position ?? job.position),
          "\(pageItem.name) is not a whole number, and the pages are counted from it: write a number, or leave the item out"
        )
      }
    case .cursor where job.pages?.then != nil:
      return request
    case .cursor:
      // The first page is requested without a cursor, but the place for the cursor must exist.
      let lost = job.pages?.kind.items.first { item in
        if case .body(let path) = item { request.setting(path, to: RedactableJSON(.null)) == nil } else { false }
      }
      guard let lost else { return request }
      (item, numbered) = (lost, nil)
    case .next, .link, .single, .auto, nil:
      return request
    }
    if let numbered { return numbered }
    let recordTemplate = job.bodyTemplates.first(where: \.readsInput)
    // The placeholder for the record has no members; the record may.
    if scope.isValidation, recordTemplate != nil { return request }
    let itemPath = if case .body(let path) = item { path.description } else { "" }
    throw scope.fault(
      recordTemplate ?? Template(pieces: [.text(itemPath)], position: job.pages?.position ?? job.position),
      "the request body has no place for the pager's item at '\(itemPath)': what it stands in must be there")
  }

  /// Returns `where` with the values of an input record; nil if no value of the record is in it.
  package func filter(for record: JSONValue?) throws(ParameterError) -> Condition? {
    guard let filter = job.filter, !job.filterTemplates.isEmpty else { return nil }
    let scope = scope(for: record)
    var values: [JSONValue?] = []
    for template in job.filterTemplates { values.append(try TemplateValue.string(template).json(in: scope)?.value) }
    return filter.giving(values)
  }

  func content(in scope: TemplateScope) throws(ParameterError) -> JSONPath {
    try job.contentIdentifier?.contentPath(in: scope) ?? []
  }
}

extension Job {
  /// The socket of this machine that `base` names; nil for a network.
  ///
  /// Only the spec itself names one: a value or an answer would lead to any of this machine.
  var socket: String? {
    guard let base = base?.literal, base.hasPrefix("http://_"), let origin = Origin(of: base) else { return nil }
    return UnixSocket.path(ofHost: origin.host)
  }
}
