// The requests of a run as a script of curl commands; nothing is sent.

import Diagnostics
package import Engine
import FetchPlan
import Fetching
import Files
import JSONText
package import PipelineSpec
import Primitives
import Wire

/// The requests of a run as far as they are known before it, for people and for a shell.
///
/// Comments describe the parts that depend on data. The script has the names of environment variables, not their
/// values.
package struct RunOutline {
  private let specs: [Spec]
  private let plans: [JobPlan]
  private var tokens: [TokenCommand] = []
  private var functions: Set<ShellFunction> = []
  /// True if a command follows no redirects, though the run does.
  private var refusesRedirects = false
  private let variables: SignatureVariables
  private var lines: [String] = ["#!/bin/sh"]
  /// Name of the stream whose records the first job reads, in place of standard input.
  private let source: String?

  /// Outlines a run.
  ///
  /// - Parameters:
  ///   - state: file with the marks for `${since}`; nil for a first run.
  ///   - source: name of the stream whose records the first job reads, if any.
  /// - Throws: `SpecError` with every reason why the run can't begin, except for variables that are not set.
  ///   `FileError` if the state can't be read.
  package init(_ specs: [Spec], _ options: RunOptions, state: String? = nil, reading source: String? = nil) throws {
    self.source = source
    let specs = try options.firstJob.map { try specs.starting(at: $0) } ?? specs
    self.specs = specs
    var options = options
    options.environment = Self.standIns(for: specs, options.environment)
    // As in a replay, no secret and no file is read.
    options.isReplay = true
    var file = try state.map { try StateFile(OutputPath($0), .system) }
    let marks = Dictionary((file?.marks ?? []).map { ($0.name, $0.value) }) { $1 }
    let plan = try RunPlan(specs, options, start: options.start ?? Int(SystemClock().unixTime), since: marks)
    plans = plan.jobs
    variables = SignatureVariables(besides: RunPlan.environmentNames(specs))
    _ = try file?.match(plan.subjects)
    describeVariables()
    if let folder = options.secretsFolder, specs.flatMap(\.jobs).contains(where: \.readsSecretFiles) {
      lines.append("CREDENTIALS_DIRECTORY=\(ShellWord(folder).text)")
    }
    let headEnd = lines.count
    // A job that only passes the records of the stream on is not one of the spec.
    let passed = source != nil && plans[0].job.name == source ? 1 : 0
    for index in plans.indices.dropFirst(passed) { try describe(index, number: index + 1 - passed) }
    lines.insert(contentsOf: head, at: headEnd)
  }

  /// Lines about all commands, and the functions that they need.
  private var head: [String] {
    let hint = "# only a GET without secrets follows redirects: curl would send secrets to other origins"
    let definitions = ShellFunction.allCases.filter(functions.contains).flatMap { ["", $0.definition] }
    return (refusesRedirects ? [hint] : []) + definitions
  }

  /// The script, without its last line end.
  package var text: String { lines.joined(separator: "\n") }

  /// Returns an environment in which each variable that a run would read has a stand-in as its value.
  ///
  /// An optional variable that is not set stays unset. A variable that supplies scheme and host is no secret, and keeps
  /// its value.
  private static func standIns(for specs: [Spec], _ environment: Environment) -> Environment {
    var names: Environment = [:]
    for name in specs.flatMap(\.parameters).compactMap(\.template).environmentNames {
      names[name] = StandIn.variable(name).text
    }
    for job in specs.flatMap(\.jobs) {
      let secret = job.environmentNames
      for hole in job.templates.flatMap(\.holes) {
        guard let name = hole.variable else { continue }
        let value = environment[name].flatMap { $0.isEmpty ? nil : $0 }
        if !secret.contains(name) {
          names[name] = names[name] ?? value
        } else if value != nil || hole.fallback == nil && !hole.isOptional {
          names[name] = StandIn.variable(name).text
        }
      }
    }
    return names
  }

  private mutating func describeVariables() {
    for (name, origins) in specs.flatMap(\.environmentDestinations) {
      let reference = Template.Hole.file(ofVariable: name).map { "the file '\($0)'" } ?? "$\(name)"
      let line = "# \(reference) goes to \(origins.joined(separator: ", "))".printable
      if !lines.contains(line) { lines.append(line) }
    }
  }

  // MARK: Jobs

  private mutating func describe(_ index: Int, number: Int) throws {
    let (plan, job) = (plans[index], plans[index].job)
    // A later job combines `each` with records that are not known.
    let each = index == 0 ? try plan.eachRecords() : nil
    lines += ["", "# \(number). \(job.name.printable): \(occasion(index, each).printable)"]
    guard job.endpoint != nil else {
      lines += details(of: plan).map { "# \($0.printable)" }
      return
    }
    let readsInput = (job.requestTemplates + [job.base].compactMap { $0 }).contains(where: \.readsInput)
    let first = each.flatMap { Self.first(of: $0, for: job) }
    let isKnown = !readsInput || first != nil
    let request = try request(plan, isKnown: isKnown, record: first)
    lines += details(of: plan, request).map { "# \($0.printable)" }
    let secrets = Self.ownSecrets(of: plan)
    let (asked, token) = authorized(request, by: plan, hiding: secrets)
    let command = CurlCommand(
      asked, for: plan.job.auth?.kind == .netrc ? .pageByNetrc : .page, variables: variables, hiding: secrets)
    functions.formUnion(command.functions)
    refusesRedirects = refusesRedirects || !command.followsRedirects
    let text = token + command.preparation + command.text
    let tokenBody = token.isEmpty || tokens.last?.isForm == true ? "" : tokens.last?.body ?? ""
    lines += hints(on: asked, tokenBody, of: plan, text).map { "# \($0.printable)" }
    lines += text.split(separator: "\n", omittingEmptySubsequences: false).map { isKnown ? String($0) : "# \($0)" }
  }

  /// Returns the first record of `each`, or for `batch` the list of the first request's records.
  private static func first(of each: EachRecords, for job: Job) -> JSONValue? {
    guard let batch = job.batch else { return each.first { _ in true } }
    return JSONValue(elements: Array(each.prefix(batch)))
  }

  /// Returns the secrets that the spec itself has in `auth`, except for a user's name, without which the command is
  /// useless.
  private static func ownSecrets(of plan: JobPlan) -> SecretStore {
    var shown: Set<String> = ["***"]
    // The user is the first secret of Basic credentials.
    if case .basic? = plan.job.auth?.kind, let user = plan.credentials?.secrets.first { shown.insert(user) }
    return SecretStore((plan.credentials?.secrets ?? []).filter { !shown.contains($0) && !Self.isStandIn($0) })
  }

  /// Reports that a secret consists of stand-ins, perhaps after a scheme, as in `Token …`, or beside words of schemes.
  private static func isStandIn(_ secret: String) -> Bool {
    func isBare(_ word: Substring) -> Bool {
      StandIn.pieces(of: String(word)).allSatisfy { if case .standIn = $0 { true } else { false } }
    }
    let words = secret.split(separator: " ")
    if words.dropFirst().allSatisfy(isBare), words.count > 1 || words.allSatisfy(isBare) { return true }
    let pieces = StandIn.pieces(of: secret)
    return pieces.count > 1
      && pieces.allSatisfy { piece in
        guard case .text(let text) = piece else { return true }
        return text.lowercased().split { !$0.isLetter && !$0.isNumber }.allSatisfy { schemeWords.contains(String($0)) }
      }
  }

  /// Words beside a variable that are no secret, as in `Token token="${env.KEY}"`.
  private static let schemeWords: Set = [
    "api", "apikey", "auth", "basic", "bearer", "id", "jwt", "key", "oauth", "oauth2", "token", "user", "v1", "v2",
  ]

  private func request(_ plan: JobPlan, isKnown: Bool, record: JSONValue?) throws -> Request {
    let request: Request
    do throws(ParameterError) {
      request = try isKnown ? plan.request(for: record, hiding: SecretStore()) : plan.outlinedRequest()
    } catch {
      throw SpecError(messages: ["\(error.position): error: \(error.template): \(error.problem)"])
    }
    // No run sends it, and a curl without that rule must not get it.
    if let problem = request.socketProblem {
      throw SpecError(messages: ["\(plan.job.name.printable): \(request.url.redacted): \(problem)"])
    }
    return request
  }

  /// Number of the job's requests, in words.
  private func occasion(_ index: Int, _ each: EachRecords?) -> String {
    let job = plans[index].job
    let name = index == 0 ? source : plans[index - 1].job.name
    let source = name.map { "of '\($0)'" } ?? "from standard input"
    if job.endpoint == nil { return "no request; changes each record \(source)" }
    if let each {
      let count = each.count
      if count == 0 { return "no request: 'each' has no records" }
      if count == 1 { return "one record of 'each'" }
      guard let batch = job.batch else { return "for each of \(count) records of 'each'; the first:" }
      if count <= batch { return "for all \(count) records of 'each' at once" }
      return "for \(batch) of \(count) records of 'each' at a time; the first:"
    }
    if let batch = job.batch { return "for \(batch) records \(source) at a time" }
    if !job.match.isEmpty { return "one request, joined to the records \(source)" }
    guard job.readsRecords else { return "one request" }
    return job.each == nil
      ? "for each record \(source)" : "for each record \(source), times the values of 'each'"
  }

  private func details(of plan: JobPlan, _ request: Request? = nil) -> [String] {
    let job = plan.job
    var details: [String] = []
    if let poll = job.poll {
      details.append(
        "again every \(poll.every.formatted) until the server is done, for \(poll.within.formatted) at most")
    }
    if let pages = request.map(plan.pages) ?? nil { details.append("pages: \(pages.outline)") }
    if let rate = plan.rate { details.append("rate: a request every \(rate.interval.formatted)") }
    if let path = job.download?.path { details.append("saved as '\(path.spelling)'") }
    return details
  }

  // MARK: Commands

  /// Returns a request with its credentials, and the command that fetches the token if they need one.
  private mutating func authorized(
    _ request: Request, by plan: JobPlan, hiding secrets: SecretStore
  ) -> (request: Request, token: String) {
    var request = request
    if goesToRecordURL(request) {
      for field in request.fields.all where field.value.isSecret { request.fields.remove(field.name) }
      return (request, "")
    }
    guard let credentials = plan.credentials, Origin(of: request.url.text) == credentials.origin else {
      return (request, "")
    }
    switch credentials.proof {
    case .named(let fields, let items): return (request.setting(fields).setting(items), "")
    case .signature(let key):
      request.signingKey = key
      return (request, "")
    case .grant(let grant, let use):
      let (variable, command) = token(of: grant, isInQuery: use.isInQuery, hiding: secrets)
      return (request.bearing(StandIn.variable(variable).text, as: use), command)
    }
  }

  /// Reports that the request goes to a URL that only a record supplies.
  private func goesToRecordURL(_ request: Request) -> Bool {
    if case .standIn(.url)? = StandIn.pieces(of: request.url.text).first { true } else { false }
  }

  private func hints(on request: Request, _ tokenBody: String, of plan: JobPlan, _ command: String) -> [String] {
    var hints: [String] = []
    if goesToRecordURL(request), let origin = plan.credentials?.origin ?? plan.origin {
      hints.append("with what is secret only if that is at \(origin)")
    }
    if command.contains("***") { hints.append("*** is a secret that the spec itself has, with what stands beside it") }
    let body = String(decoding: request.body?.bytes ?? [], as: UTF8.self)
    if [request.url.text, body, tokenBody].contains(where: { StandIn.pieces(of: $0).contains(where: \.isVariable) }) {
      hints.append(
        "the values of variables stand as they are: in a URL or a form they must be percent-encoded, in JSON escaped")
    }
    if request.signingKey != nil, StandIn.pieces(of: request.url.text).contains(where: \.isVariable) {
      hints.append("the signature is right for values that need no encoding")
    }
    return hints
  }

  /// Returns the variable for a token, and the command that fetches the token, unless an earlier command does.
  private mutating func token(
    of grant: TokenGrant, isInQuery: Bool, hiding secrets: SecretStore
  ) -> (variable: String, command: String) {
    if let known = tokens.first(where: { $0.grant == grant && $0.isInQuery == isInQuery }) {
      return (known.variable, "")
    }
    let taken = RunPlan.environmentNames(specs).union(tokens.map(\.variable))
    var (variable, number) = ("TOKEN", 1)
    while taken.contains(variable) || taken.contains(TokenCommand.assertionVariable(of: variable)) {
      number += 1
      variable = "TOKEN\(number)"
    }
    let token = TokenCommand(grant: grant, variable: variable, isInQuery: isInQuery)
    tokens.append(token)
    let command = token.command(variables, hiding: secrets)
    functions.formUnion(command.functions.union(isInQuery ? [.encode] : []).union(token.functions))
    return (variable, token.text(command, hiding: secrets) + "\n")
  }
}

extension Job {
  /// True if a template names a file of a secret.
  fileprivate var readsSecretFiles: Bool { environmentNames.contains { Template.Hole.file(ofVariable: $0) != nil } }
}

// Texts with stand-ins, as people read them.

extension StandIn {
  /// Returns the text with the spelling of each stand-in: `${param.q}`, `$KEY`.
  static func formatted(_ text: String) -> String {
    pieces(of: text).map { piece in
      switch piece {
      case .text(let text): text
      case .standIn(.template(let spelling)), .standIn(.url(let spelling)): spelling
      case .standIn(.variable(let name)): "$\(name)"
      }
    }.joined()
  }
}

extension String {
  /// The URL with `***` in place of each query item's value that is a credential in plain text.
  var hidingCredentials: String {
    // The text may be a template, whose '#' ends nothing.
    guard let start = firstIndex(of: "?") else { return self }
    let query = self[start...].dropFirst().prefix { $0 != "#" }
    let items = query.split(separator: "&", omittingEmptySubsequences: false).map { text in
      let item = QueryItem(text)
      let (name, value) = (String(item.name), String(item.value ?? ""))
      let isText = StandIn.pieces(of: value).allSatisfy { if case .text = $0 { true } else { false } }
      guard isText, !value.isEmpty, CredentialName.isCredential(item: name, value: value) else { return String(text) }
      return "\(name)=***"
    }
    return "\(self[..<query.startIndex])\(items.joined(separator: "&"))\(self[query.endIndex...])"
  }
}

// MARK: The first request of each job, as far as the spec tells

extension Spec {
  /// Method and URL of each job's first request; unknown values appear as their templates.
  ///
  /// A job is left out if nothing is known without the values of parameters, such as the ends of a span.
  package var firstRequests: [(job: String, request: String)] {
    var run = RunValues(start: Int(SystemClock().unixTime))
    run.netrc = RunPlan.anyLogin
    for parameter in parameters {
      run.parameters[parameter.name] =
        parameter.standard.map {
          RunValues.Parameter(value: $0, text: parameter.isList ? $0.text : parameter.spelling)
        } ?? parameter.template.map { value(ofDefault: $0, run) } ?? standIn(for: parameter.name)
    }
    for hole in jobs.flatMap(\.templates).flatMap(\.holes) where hole.fallback == nil && !hole.isOptional {
      if let name = hole.variable { run.environment[name] = StandIn.template(hole.spelling).text }
    }
    for hole in jobs.compactMap(\.base?.originHole) where hole.root == .env {
      if let name = hole.variable { run.environment[name] = StandIn.url(hole.spelling).text }
    }
    return jobs.compactMap { job in
      guard job.endpoint != nil, let plan = try? JobPlan(job: job, specName: name, run: run, userAgent: ""),
        let request = try? plan.outlinedRequest()
      else { return nil }
      return (job.name, "\(request.method) \(StandIn.formatted(request.url.text.hidingCredentials))")
    }
  }

  /// Returns the value of a default, in which stand-ins replace variables.
  private func value(ofDefault template: Template, _ run: RunValues) -> RunValues.Parameter {
    var run = run
    for hole in template.holes { hole.variable.map { run.environment[$0] = StandIn.template(hole.spelling).text } }
    return run.parameter(by: template, in: name)
  }

  /// Returns a value that stands for a required parameter.
  private func standIn(for name: String) -> RunValues.Parameter {
    let origin = jobs.lazy.compactMap(\.base?.originHole).first {
      $0.root == .param && $0.path.steps.first?.name == name
    }
    let standIn = origin.map { StandIn.url($0.spelling) } ?? StandIn.template("${param.\(name)}")
    return RunValues.Parameter(value: JSONValue(standIn.text), text: standIn.text)
  }
}

// MARK: A description of `pages`, in sentences

extension Pages {
  /// The way to the next page, and the end of the pages, in words.
  var outline: String {
    var ends = [ending].compactMap { $0 }
    if let more { ends.append(more.statement.map { "or \($0) says no" } ?? "or 'more' does not hold") }
    if let totalPages { ends.append("or \(totalPages.spelling) pages were fetched") }
    if let totalRecords { ends.append("or \(totalRecords.spelling) records were fetched") }
    ends += until.map { end in
      switch end {
      case .short: "or a page has fewer records than the first"
      case .known: "or a page has a record that is not new"
      case .repeated: "or a page comes again"
      case .condition(let condition): condition.statement.map { "or \($0) says yes" } ?? "or 'until' holds"
      }
    }
    if let limit { ends.append("or \(limit) page\(limit == 1 ? " was" : "s were") fetched") }
    if kind == .auto {
      return "as the first answer with a sign of more says" + (limit.map { ", at most \($0)" } ?? "")
    }
    guard let step else { return "one" }
    return "then \(step), until \(ends.joined(separator: ", "))"
  }

  private var step: String? {
    switch kind {
    case .single, .auto: nil
    case .number(let item, let start): "the same with \(item.outline) \(start + 1), \(start + 2), …"
    case .offset(let item, let start): "the same with \(item.outline) \(start) and the number of records so far"
    case .cursor:
      "\(then.map { "'\($0.endpoint.spelling.hidingCredentials)'" } ?? "the same") with "
        + kind.cursors.map { "\($0.item.outline) \($0.from.spelling)" }.joined(separator: " and ")
    case .next(let from): "the URL \(from.spelling.hidingCredentials)"
    case .link(let relation, nil): "the URL of the header 'Link' with rel=\"\(relation)\""
    case .link(let relation, let path?): "the URL of the link '\(relation)' in '\(path)'"
    }
  }

  private var ending: String? {
    switch kind {
    case .single, .auto: nil
    case .number, .offset: "a page has no records"
    case .cursor, .next:
      kind.templates.map(\.spelling.hidingCredentials).joined(separator: " or ") + " is missing, null or empty"
    case .link: "there is none"
    }
  }
}

extension Pages.PageItem {
  fileprivate var outline: String {
    switch self {
    case .query(let name): "'\(name)' ="
    case .body(let path): "'\(path)' in the body ="
    case .header(let name): "the header '\(name)' ="
    case .endpoint: "'${page}' ="
    }
  }
}
