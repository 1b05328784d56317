// A job with everything that is known before its first input record.

import Primitives
package import JSONText
package import PipelineSpec
package import Wire

/// A job with everything evaluated that does not depend on a record.
package struct JobPlan: Sendable {
  package private(set) var job: Job
  private(set) var scope: TemplateScope
  private(set) var marks: SinceMarks?
  let base: Redactable?
  let userAgent: String
  /// Origin of the job's requests; nil if only its records determine it.
  package private(set) var origin: Origin?
  package private(set) var credentials: Credentials?
  /// A warning for each span whose windows may leave out events of their last second.
  package private(set) var lossyWindows: [String] = []
  /// Members of `each` whose span begins with the whole day of a saved mark.
  package private(set) var repeatedDays: [String] = []
  package private(set) var tlsFiles: TLSFiles?
  /// Highest rate of the job's requests.
  package private(set) var rate: Rate?
  /// The `body` paths that `pages`, `failure` and `poll` read, to capture them during the scan of a page.
  package private(set) var captures: [JSONPath]
  /// Members that say when to try again, beside what `retry.when` reads.
  package static let waits: [JSONPath] = [
    ["retry_after"], ["retryAfter"], ["error", "retry_after"], ["error", "retryAfter"], ["parameters", "retry_after"],
  ]
  /// The `body` paths that `pages` reads: the first of `captures`.
  package private(set) var pagerPaths: [JSONPath]
  /// True if the pager is one that a run has chosen: from then on, no sign of more means the end.
  package private(set) var isChosen = false

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
    rate = job.rate.map { Rate(interval: $0.interval) }
    if let most = job.maxPages { self.job.pages?.limit = min(most, job.pages?.limit ?? most) }
    base = try job.base.map { (base) throws(ParameterError) in
      try RequestURL.base(base, in: scope)
    }
    let each = try eachRecords()
    lossyWindows = each?.lossyWindows(of: job.inclusiveWindows) ?? []
    if job.since?.incremental.only != .new, scope.since?.isStart != true {
      repeatedDays = each?.repeatedDays ?? []
    }
    guard let endpoint = job.endpoint else { return }
    let request = try validatedRequest()
    if base != nil || endpoint.inputURL == nil { origin = Origin(of: request.url.text) }
    tlsFiles = try job.tls.flatMap { (tls) throws(ParameterError) in try files(of: tls) }
    credentials = try job.auth.flatMap { (auth) throws(ParameterError) in
      let maker = CredentialsMaker(
        auth: auth, job: job, origin: origin, base: base, userAgent: userAgent, scope: scope,
        tlsFiles: tlsFiles)
      return try maker.credentials()
    }
  }

  /// Returns the plan of a first run, which knows no marks.
  package func withoutMarks() throws(ParameterError) -> JobPlan {
    var plan = self
    if let since = job.since { plan.scope.run.marks[since.job] = nil }
    plan.marks = try SinceMarks(of: job, in: plan.scope)
    plan.scope.since = plan.marks?.common
    return plan
  }

  /// Returns the files of `tls`, which apply to the origin of `auth`.
  private func files(of tls: Job.TLS) throws(ParameterError) -> TLSFiles? {
    func path(_ template: Template?) throws(ParameterError) -> String? {
      guard let template, let text = try template.text(in: scope)?.text else { return nil }
      guard !text.isEmpty, !text.utf8.contains(0) else { throw scope.fault(template, "this is not a path of a file") }
      return text
    }
    var home = origin
    if let base = tls.base { home = Origin(of: try RequestURL.resolved(base, against: nil, in: scope).text) }
    guard let home else { return nil }
    return TLSFiles(
      certificate: try path(tls.certificate), key: try path(tls.key), ca: try path(tls.ca), origins: [home])
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

  /// Returns the plan with the pager that a run has chosen for `pages: auto`; nil if it is none.
  package func paging(by chosen: ChosenPages) -> JobPlan? {
    guard var pages = Pages(value: chosen.value) else { return nil }
    switch (pages.kind, chosen.first) {
    case (.number(let item, _), let first?): pages.kind = .number(item: item, start: first)
    case (.offset(let item, _), let first?): pages.kind = .offset(item: item, start: first)
    default: break
    }
    pages.limit = job.pages?.limit
    pages.position = job.pages?.position ?? job.position
    var plan = self
    plan.job.pages = pages
    plan.pagerPaths = plan.job.pagerPaths
    plan.captures = plan.job.captures(after: plan.pagerPaths)
    plan.isChosen = true
    return plan
  }

  // MARK: Before any record

  private static func check(_ job: Job, _ scope: TemplateScope) throws(ParameterError) {
    let holes = job.templates.flatMap(\.holes)
    for hole in holes where ![.input, .inputs, .record, .body, .headers, .last, .token].contains(hole.root) {
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
      if let path = job.download?.path { _ = try SavePath(path, url: request.url, named: "x", in: validation) }
      _ = try laterRequest(after: request, in: validation)
      return request
    } catch {
      throw error.beforeAnyRecord
    }
  }

  /// The plan with the request of the later pages; nil if all pages have the request of the first.
  var ofLaterPages: JobPlan? {
    guard let job = job.ofLaterPages else { return nil }
    var plan = self
    plan.job = job
    return plan
  }

  func scope(for record: JSONValue?) -> TemplateScope {
    var scope = scope
    scope.record = record
    if job.batch != nil, let record { scope.inputBatch = InputBatch(record, for: job) }
    scope.since = marks?.value(for: record)
    return scope
  }
}

extension Job {
  fileprivate var pagerPaths: [JSONPath] {
    var paths = (pages?.templates ?? []).flatMap(\.holes).filter { $0.root == .body }.map(\.path)
    paths += (pages?.conditions ?? []).flatMap(\.bodyPaths)
    if case .link(_, let path?)? = pages?.kind { paths.append(path) }
    return paths.unique
  }

  /// The paths that a mark of the last page reads.
  private var markPaths: [JSONPath] {
    guard case .answer(let template)? = incremental?.mark else { return [] }
    return template.holes.filter { $0.root == .body }.map(\.path)
  }

  fileprivate func captures(after pagerPaths: [JSONPath]) -> [JSONPath] {
    var paths = pagerPaths + answerConditions.flatMap(\.bodyPaths)
    paths += set.flatMap(\.value.templates).flatMap(\.holes).filter { $0.root == .body }.map(\.path) + markPaths
    if retry.condition != nil { paths += JobPlan.waits }
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
