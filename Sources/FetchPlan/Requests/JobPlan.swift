// The request of a job for an input record.

package import Primitives
package import JSONText
package import PipelineSpec
package import Wire

/// A job with everything evaluated that does not depend on a record.
package struct JobPlan: Sendable {
  package let job: Job
  private let scope: TemplateScope
  private let marks: SinceMarks?
  private let base: Redactable?
  private let userAgent: String
  /// Origin of the job's requests; nil if only its records determine it.
  package private(set) var origin: Origin?
  package private(set) var credentials: Credentials?
  /// A warning for each span whose windows may leave out events of their last second.
  package private(set) var lossyWindows: [String] = []
  package private(set) var tlsFiles: TLSFiles?
  /// Highest rate of the job's requests.
  package private(set) var rate: Rate?
  /// The `body` paths that `pages`, `failure` and `poll` read, to capture them during the scan of a page.
  package let captures: [JSONPath]
  /// The `body` paths that `pages` reads: the first of `captures`.
  package let pagerPaths: [JSONPath]

  /// Evaluates and validates a job.
  ///
  /// - Parameters:
  ///   - specName: name of the spec, for messages.
  ///   - userAgent: `pagecat/1.0.0`.
  /// - Throws: `ParameterError` (with `isConfiguration`) for every error that is known before any request. Examples are
  ///   a missing `env` or `param`, a `base` or `endpoint` that is not a URL, and an illegal header value.
  package init(job: Job, specName: String, run: RunValues, userAgent: String) throws(ParameterError) {
    self.job = job
    self.userAgent = userAgent
    pagerPaths = job.pagerPaths
    captures = job.captures(after: pagerPaths)
    var scope = TemplateScope(run: run, specName: specName)
    marks = try SinceMarks(of: job, in: scope)
    scope.since = marks?.common
    self.scope = scope
    try Self.check(job, scope)
    try Self.check(job, marks?.all ?? [], scope)
    rate = try Rate(job, in: scope)
    base = try job.base.map { (base) throws(ParameterError) in
      try RequestURL.base(base, in: scope)
    }
    lossyWindows = (try eachRecords()?.lossyEnds ?? []).map(Job.warning(ofLossyWindows:))
    guard let endpoint = job.endpoint else { return }
    let request = try validatedRequest()
    if base != nil || endpoint.onlyHole?.root != .record { origin = Origin(of: request.url.text) }
    tlsFiles = try job.tls.flatMap { (tls) throws(ParameterError) in try files(of: tls) }
    credentials = try job.auth.flatMap { (auth) throws(ParameterError) in
      let maker = CredentialsMaker(
        auth: auth, job: job, origin: origin, base: base, userAgent: userAgent, scope: scope,
        tlsFiles: tlsFiles)
      return try maker.credentials()
    }
  }

  /// Returns the files of `tls`, which apply to the origin of `auth`.
  private func files(of tls: Job.TLS) throws(ParameterError) -> TLSFiles? {
    func path(_ template: Template?) throws(ParameterError) -> String? {
      guard let template, let text = try template.text(in: scope)?.text else { return nil }
      guard !text.isEmpty, !text.utf8.contains(0) else { throw scope.fault(template, "this is no path of a file") }
      return text
    }
    var home = origin
    if let base = tls.base { home = Origin(of: try RequestURL.resolved(base, against: nil, in: scope).text) }
    guard let home else { return nil }
    return TLSFiles(
      certificate: try path(tls.certificate), key: try path(tls.key), ca: try path(tls.ca), origins: [home])
  }

  /// Returns the first request for a record (nil for a job that reads none), or for the list of a batch's records.
  ///
  /// - Parameter secrets: secrets that must not be sent to another origin, even if a record contains them.
  package func request(
    for record: JSONValue?, hiding secrets: SecretStore
  ) throws(ParameterError) -> Request {
    let scope = scope(for: record)
    for hole in job.pages?.templates.flatMap(\.holes) ?? [] where hole.root == .record {
      _ = try hole.reading(in: scope)
    }
    let request = try request(in: scope)
    guard let endpoint = job.endpoint, endpoint.onlyHole?.root == .record, Origin(of: request.url.text) != origin
    else { return request }
    do {
      return try request.withoutSecrets(secrets.current)
    } catch {
      throw scope.fault(
        endpoint, "it leads to another origin, and \(error.words) holds a secret, which is not sent there")
    }
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

  /// Returns the check for errors inside a page, for a record; nil if the job has no `failure`.
  package func failureSign(for record: JSONValue?) -> FailureCheck? {
    job.failure.map { FailureCheck($0, scope(for: record)) }
  }

  /// Returns the pager for the stream of pages that begins with a request.
  ///
  /// - Parameter secrets: secrets that must not be sent to another origin.
  package func pager(first: Request, record: JSONValue?, secrets: SecretStore) -> Pager {
    Pager(
      first: first, pages: job.pages, scope: scope(for: record), isWholeBody: job.contentIdentifier == nil,
      isPart: job.contentIdentifier?.spelling.contains("*") == true,
      names: secretNames, secrets: secrets)
  }

  /// Returns the job's base and endpoint as they are spelled, with parameters inserted, and the variable that supplies an origin.
  ///
  /// This text is the same in every run of the job with these parameters.
  package func subject(hiding secrets: SecretStore) -> String {
    let texts = [job.base, job.endpoint].compactMap { $0 }.map { template in
      template.pieces.map { piece in
        switch piece {
        case .text(let text): text
        case .hole(let hole):
          hole.root == .param || hole == template.originHole
            ? (try? hole.reading(in: scope))?.text ?? "" : hole.spelling
        }
      }.joined()
    }
    return secrets.redacting(texts.joined(separator: " "))
  }

  /// Returns what may select the job's records: the parameters in its query and body, and literal query items.
  package func choices(hiding secrets: SecretStore) -> [(name: String, value: String)] {
    let templates = job.query.flatMap(\.values).flatMap(\.templates) + job.bodyTemplates
    let names = Set(templates.flatMap(\.holes).filter { $0.root == .param }.compactMap { $0.path.steps.first?.name })
    let parameters = names.sorted().compactMap { name in
      scope.run.parameters[name].map { (name: name, value: secrets.redacting($0.text)) }
    }
    let literals = literalChoices.filter { !names.contains($0.name) }
    return parameters + literals.map { (name: $0.name, value: secrets.redacting($0.value)) }
  }

  /// Query items that change the members of records, not which records come.
  private static let shapes: Set = [
    "fields", "select", "include", "expand", "embed", "format", "attributes", "properties", "lang", "locale",
  ]

  /// Query items that the spec has as text, and that may select records.
  private var literalChoices: [(name: String, value: String)] {
    job.query.compactMap { item in
      guard item.values.allSatisfy({ $0.templates.allSatisfy(\.holes.isEmpty) }),
        !PagesProposal.isPageSize(item.name), !Self.shapes.contains(item.name.lowercased().filter(\.isLetter))
      else { return nil }
      let texts = item.values.map { (try? $0.json(in: scope))??.value }.map { $0?.string ?? $0?.text ?? "" }
      return (item.name, texts.joined(separator: ","))
    }
  }

  /// Names for the job's secrets, for texts that must not contain the secrets.
  ///
  /// The names are those of environment variables, and the numbers of other secrets in `auth`. Another process finds
  /// the secrets in the same order.
  private var secretNames: [String: String] {
    let variables = scope.run.environment.values(of: job.environmentNames)
    var names = Dictionary(uniqueKeysWithValues: variables.map { ("env.\($0)", $1) })
    // Secrets as short as any word are redacted only where a template inserted them.
    for (index, secret) in (credentials?.secrets ?? []).enumerated() where secret.unicodeScalars.count >= 4 {
      if !variables.values.contains(secret) { names["auth.\(index)"] = secret }
    }
    return names
  }

  /// Returns the members that `set` adds to an output record, in order, without optional templates that are missing.
  package func additions(for record: JSONValue?) throws(ParameterError) -> [(name: String, value: JSONValue)] {
    let scope = scope(for: record)
    for name in job.membersOfEach where record?[name] == nil {
      throw ParameterError(
        template: "each", place: "\(scope.specName):\(job.place)",
        problem:
          "the record has no member '\(name)', which 'each' makes; --from takes the records that 'each' has made, as "
          + "--rejects writes them: give one that 'each' refused to the whole pipeline again")
    }
    var additions: [(name: String, value: JSONValue)] = []
    for member in job.set {
      guard let value = try member.value.json(in: scope) else { continue }
      additions.append((member.name, value.value))
    }
    return additions
  }

  /// Members that `set` adds, if each is known now or copies a member of the record; nil otherwise.
  package var plainAdditions: [(name: String, source: MemberSetter.Source)]? {
    guard job.membersOfEach.isEmpty else { return nil }
    var additions: [(name: String, source: MemberSetter.Source)] = []
    for member in job.set {
      if case .string(let template) = member.value, let hole = template.onlyHole, hole.root == .record {
        guard hole.path.steps.count == 1, hole.fallback == nil, hole.form == nil, hole.separator == nil else {
          return nil
        }
        additions.append((member.name, .member(hole.path.steps[0].name)))
      } else {
        guard !member.value.templates.flatMap(\.holes).contains(where: { $0.root == .record }),
          let value = try? member.value.json(in: scope)
        else { return nil }
        additions.append((member.name, .constant(value.value)))
      }
    }
    return additions
  }

  /// Checks that a run can start with these marks.
  ///
  /// - Parameter marks: marks by job.
  package func check(marks: [String: JSONValue]) throws(ParameterError) {
    var run = scope.run
    run.marks = marks
    _ = try JobPlan(job: job, specName: scope.specName, run: run, userAgent: userAgent)
  }

  /// Returns the value of `${since}` for a record.
  package func since(for record: JSONValue?) -> SinceValue? { marks?.value(for: record) }

  /// Returns the id under which a record's own mark is kept; nil if the job has no `by`.
  package func markID(of record: JSONValue?) throws(ParameterError) -> ExactText? {
    guard job.incremental?.by.isEmpty == false else { return nil }
    return try marks?.id(of: record)
  }

  /// Returns a hash of a record without the members that the job's own `each` gave it, in this run or before `--from`.
  package func markOwner(of record: JSONValue?) -> Int {
    let names = Set((job.each?.axes ?? []).flatMap(\.names) + job.membersOfEach)
    let members = record.map { Array($0.members) } ?? []
    return JSONValue(members: members.filter { !names.contains($0.name) }.map { ($0.name, $0.value) }).text.hashValue
  }

  /// Returns the input records of the job's `each`, one at a time; nil if the job has none.
  package func eachRecords() throws(ParameterError) -> EachRecords? {
    guard let each = job.each, !job.eachReadsRecords else { return nil }
    return try EachRecords(each, in: scope)
  }

  /// Returns an input record combined with the values of the job's `each`.
  package func eachRecords(for record: JSONValue) throws(ParameterError) -> EachRecords? {
    guard let each = job.each else { return nil }
    return try EachRecords(each, in: scope(for: record), isAdded: true)
  }

  // MARK: Before any record

  private static func check(_ job: Job, _ scope: TemplateScope) throws(ParameterError) {
    let holes = job.templates.flatMap(\.holes)
    for hole in holes where ![.record, .records, .body, .headers, .last, .token].contains(hole.root) {
      _ = try hole.reading(in: scope)
    }
  }

  /// Checks that the templates can use each of these values of `${since}`.
  private static func check(_ job: Job, _ values: [SinceValue], _ scope: TemplateScope) throws(ParameterError) {
    guard !values.isEmpty else { return }
    let holes = job.templates.flatMap(\.holes).filter { $0.root == .since }
    var scope = scope
    for since in values where !holes.isEmpty {
      scope.since = since
      for hole in holes { _ = try hole.reading(in: scope) }
      try job.each?.check(in: scope)
    }
  }

  /// Evaluates everything that each record needs, with a placeholder for the record.
  private func validatedRequest() throws(ParameterError) -> Request {
    var validation = scope
    validation.isValidation = true
    do {
      let request = try request(in: validation)
      _ = try content(in: validation)
      if let path = job.download?.path { _ = try SavePath(path, url: request.url, in: validation) }
      return request
    } catch {
      throw error.beforeAnyRecord
    }
  }

  // MARK: Requests

  func scope(for record: JSONValue?) -> TemplateScope {
    var scope = scope
    scope.record = record
    if job.batch != nil, let record { scope.inputBatch = InputBatch(record, for: job) }
    scope.since = marks?.value(for: record)
    return scope
  }

  private func request(in scope: TemplateScope) throws(ParameterError) -> Request {
    let url = try RequestURL(job, base: base, in: scope)
    let body = try job.sentBody(in: scope)
    let fields = try HTTPFields(job, userAgent: userAgent, body: body?.format, in: scope)
    var request = Request(
      method: job.sentMethod, url: url.url, fields: fields,
      body: body, timeout: job.timeout, bodyLimit: job.bodyLimit,
      allowedOrigins: job.allowedOrigins.union(base.flatMap { Origin(of: $0.text) }.map { [$0] } ?? []),
      retry: RetryPolicy(job), rate: rate, credentials: credentials)
    if job.download != nil { request.isFile = true }
    if job.isPacked { request.isPacked = true }
    if tlsFiles != nil { request.tlsFiles = tlsFiles }
    return try numbered(request, in: scope)
  }

  /// Returns the request with the pager's item for the first page.
  private func numbered(_ request: Request, in scope: TemplateScope) throws(ParameterError) -> Request {
    let (item, numbered): (Pages.PageItem, Request?)
    switch job.pages?.kind {
    case .number(let place, let start), .offset(let place, let start):
      (item, numbered) = (place, ItemRequest(request, place).carrying(start))
    case .cursor(.body(let path), _):
      // The first page is requested without a cursor, but the place for the cursor must exist.
      (item, numbered) = (.body(path), request.setting(path, to: RedactableJSON(.null)) == nil ? nil : request)
    case .cursor, .next, .link, .single, nil:
      return request
    }
    if let numbered { return numbered }
    let recordTemplate = job.bodyTemplates.first(where: \.readsInput)
    // The placeholder for the record has no members; the record may.
    if scope.isValidation, recordTemplate != nil { return request }
    let pointer = if case .body(let path) = item { path.pointer } else { "" }
    throw scope.fault(
      recordTemplate ?? Template(pieces: [.text(pointer)], place: job.pages?.place ?? job.place),
      "the request body has no place for the pager's item at '\(pointer)': what it stands in must be there")
  }

  // MARK: Content

  private func content(in scope: TemplateScope) throws(ParameterError) -> JSONPath {
    guard let template = job.contentIdentifier else { return [] }
    guard case .text(let start)? = template.pieces.first, start.utf8.first == UInt8(ascii: "/") else {
      return try template.text(in: scope).map { JSONPath(rootKey: $0.text) } ?? []
    }
    return try template.contentPath(in: scope)
  }
}

extension Job {
  fileprivate var pagerPaths: [JSONPath] {
    var paths = (pages?.templates ?? []).flatMap(\.holes).filter { $0.root == .body }.map(\.path)
    if case .link(_, let path?)? = pages?.kind { paths.append(path) }
    return paths.unique
  }

  fileprivate func captures(after pagerPaths: [JSONPath]) -> [JSONPath] {
    var paths = pagerPaths + (failure?.template?.holes ?? []).filter { $0.root == .body }.map(\.path)
    paths += [failure?.condition, empty?.condition, retry.condition].flatMap { $0?.paths ?? [] }
    paths += poll?.paths ?? []
    if isGraphQL, failure == nil { paths.append(["errors"]) }
    return paths.unique
  }
}

extension [JSONPath] {
  /// The paths in order, without repetitions.
  fileprivate var unique: [JSONPath] {
    enumerated().filter { index, path in !self[..<index].contains(path) }.map(\.element)
  }
}
