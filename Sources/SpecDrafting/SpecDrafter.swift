// `new`: drafts a spec from a few requests to an API, and tries the spec.

package import Engine
import Primitives
import Diagnostics
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Wire

/// Writes a spec from one request, or two: the second shows that the pager is right.
///
/// Each trial is a normal run on the answers that have already come. So a draft means the same as in a later run.
package struct SpecDrafter: Sendable {
  /// The file, and the messages about it.
  package struct Result: Sendable {
    package let text: String
    /// Variables that stand for secrets in the spec.
    package let variables: [String]
    package let requestCount: Int
  }

  let look: Look
  private let options: RunOptions
  private let listener: RunListener
  let isOnce: Bool
  private let hasModel: Bool
  let replies: KeptReplies
  /// True if a recording answers in place of the network.
  let isRecorded: Bool
  let variables: [(name: String, value: String)]
  let start: SpecDraft
  /// Secrets that no comment may show.
  let secrets: SecretStore

  /// - Parameters:
  ///   - look: the request; without a URL, a recording's first one.
  ///   - recording: path of a HAR file that answers in place of the network; nil for the network.
  ///   - isOnce: true if only the first page may be requested.
  ///   - hasModel: true if the spec gets a `model`.
  ///   - listener: receives the events of the runs.
  package init(
    _ look: Look, options: RunOptions, recording: String? = nil, isOnce: Bool, hasModel: Bool = false,
    listener: RunListener = RunListener(to: []) { _ in }
  ) throws {
    var look = look
    var source: any HTTPTransport = CurlTransport(environment: options.environment, on: options.thread)
    if let recording {
      let file = try Input(path: recording, givenBy: "--har").readAll(limit: Input.mostRecorded)
      do {
        let har = try HARFile.text(file, name: recording)
        look.take(fromFirstIn: har)
        source = try ReplayTransport(har: har, name: recording)
      } catch {
        throw SpecError(messages: ["--har: \(error.problem)"])
      }
    }
    if let problem = look.problem { throw SpecError(messages: [problem]) }
    (self.look, self.isOnce, self.hasModel, self.listener) = (look, isOnce, hasModel, listener)
    isRecorded = recording != nil
    let writer = LookWriter(look)
    (start, variables) = (writer.draft, writer.variables)
    try Self.check(start)
    // A recording is on this machine: it answers any number of requests.
    replies = KeptReplies(over: source, limit: recording == nil ? isOnce ? 1 : 2 : nil)
    secrets = SecretStore(variables.map(\.value))
    var options = options
    options.transport = replies
    // Recordings have asterisks in place of secrets.
    for (name, value) in variables { options.environment[name] = recording == nil ? value : "***" }
    self.options = options
  }

  /// The pending request, for the user; nil for none.
  package var pending: String? { replies.pending.map { secrets.redacting($0).printable } }

  /// Makes the request, and writes the spec.
  ///
  /// - Throws: `SpecError`, or the `NetworkingError` of the first request.
  package func result() async throws -> Result {
    var draft = start
    let (reply, first) = try await lookedAt(&draft)
    if reply.head.status == 202, method(of: draft) == "GET" { return try notReady(draft, reply) }
    try describe(reply, &draft, error: error(of: first))
    var whole = try await trial(draft.file, pages: 1)
    if whole.failure != nil, draft.content?.columns != nil {
      // Some rows are no rows of the table.
      draft.content?.columns = nil
      whole = try await trial(draft.file, pages: 1)
    }
    if whole.failure != nil { throw error(of: whole) }
    try await addPages(&draft, whole, of: reply)
    addAdvice(&draft, whole, of: reply)
    if hasModel { try await addModel(&draft) }
    draft.comments["", default: []] += samples(whole.lines, keptName: draft.content?.nameMember)
    let text = draft.file
    _ = try Self.spec(text)
    return Result(
      text: text, variables: variables.map(\.name), requestCount: replies.requestCount)
  }

  /// Makes the request; returns its reply, unpacked, and the run that made it.
  func lookedAt(_ draft: inout SpecDraft) async throws -> (KeptReplies.Kept, Trial) {
    let first = try await trial(draft.file, pages: 1)
    guard let reply = replies.last else { throw error(of: first) }
    guard !reply.bytes.isEmpty || reply.head.status == 202 else {
      throw SpecError(messages: [
        "the answer is empty (status \(reply.head.status)): there is nothing to write a spec from"
      ])
    }
    guard let packing = reply.packing else { return (reply.decoded, first) }
    draft.packing = packing
    draft.comments["unpack"] = [packing == .zip ? "The body is a zip archive." : "The body is a gzip file."]
    do {
      return (try reply.unpacked().decoded, first)
    } catch {
      throw SpecError(messages: [error.problem])
    }
  }

  /// Returns a spec that waits for the result of a job.
  private func notReady(_ draft: SpecDraft, _ reply: KeptReplies.Kept) throws -> Result {
    var draft = draft
    draft.poll = "{ \(JobAdvice.interval(of: reply)) }"
    draft.comments["poll"] = [
      "The status is 202: the result is not there yet, and 'poll' repeats the request until it is.",
      "Its records and pages are not known: see what a run brings, or run 'new' again when the result is there.",
    ]
    let text = draft.file
    _ = try Self.spec(text)
    return Result(text: text, variables: variables.map(\.name), requestCount: replies.requestCount)
  }

  /// Adds comments about a job that was started, and about times in the request.
  private func addAdvice(_ draft: inout SpecDraft, _ first: Trial, of reply: KeptReplies.Kept) {
    var names = WritableNames(without: secrets)
    let body = (try? JSONValue(parsing: reply.bytes)).map { names.keep($0) }
    if let advice = JobAdvice(draft, reply, body, method: method(of: draft)) {
      draft.comments["poll"] = advice.lines.map { secrets.redacting($0) }
    } else if let advice = LoginAdvice(draft, body, method: method(of: draft), in: look.url),
      (try? Self.spec(advice.spec.joined(separator: "\n"))) != nil
    {
      draft.comments["login"] = advice.lines.map { secrets.redacting($0) }
    }
    let records = first.lines.split(separator: UInt8(ascii: "\n")).prefix(Self.mostExamined).map {
      names.keep(JSONValue(validated: Array($0)[...]))
    }
    if draft.comments["login"] == nil, let advice = ReferenceAdvice(draft, records: records, url: look.url) {
      draft.comments["steps"] = advice.lines.map { secrets.redacting($0) }
    }
    if let advice = WindowAdvice(draft, records: records) {
      draft.comments["each"] = advice.lines.map { secrets.redacting($0) }
    }
  }

  /// Number of records that are examined for references.
  private static let mostExamined = 100

  private func method(of draft: SpecDraft) -> String { draft.method ?? (look.body == nil ? "GET" : "POST") }

  // MARK: Trials

  struct Trial {
    var lines: [UInt8] = []
    var counters = RunCounters()
    var failure: Failure? { counters.failure }
  }

  /// Returns the error of a trial, with remedies that name the options of `new`.
  func error(of trial: Trial) -> any Error {
    guard let error = trial.failure?.error else { return SpecError(messages: ["the run ended without an answer"]) }
    guard case .invalidResponseStatus(_, let context) = error, let status = context.status else { return error }
    let advice = RefusalAdvice(
      status: status, challenges: replies.refusal?.fields.values(of: "WWW-Authenticate") ?? [],
      hasCredentials: !variables.isEmpty || start.auth != nil)
    return error.withNote(advice.text ?? context.hint)
  }

  func trial(_ text: String, pages: Int) async throws -> Trial {
    var options = options
    options.pageLimit = pages
    let run = try Run(
      [Self.spec(text)], options: options, source: .network, input: Input(descriptor: 0),
      listener: listener, tell: { _, _ in })
    var trial = Trial()
    while let batch = await run.next() {
      run.count(batch)
      trial.lines += batch.lines
    }
    await run.stop()
    _ = try run.close()
    trial.counters = run.report.counters
    try run.release()
    try Task.checkCancellation()
    return trial
  }

  /// Name of the draft, and of its job.
  static let name = "draft"

  static func spec(_ text: String) throws(SpecError) -> Spec {
    do {
      return try Spec(reading: SourceText(name: name, bytes: Array(text.utf8)))
    } catch {
      throw SpecError(error)
    }
  }

  /// Options of `new` by the key of the draft that has their values.
  private static let options = [
    "method": "-X", "headers": "-H", "auth": "-u", "body": "-d", "form": "-d", "text": "-d",
  ]

  /// Checks the request of a draft.
  ///
  /// - Throws: `SpecError`, which names the option that has the mistake.
  private static func check(_ draft: SpecDraft) throws(SpecError) {
    let source = SourceText(name: name, bytes: Array(draft.file.utf8))
    do {
      _ = try Spec(reading: source)
    } catch {
      guard let first = error.all.first else { throw SpecError(error) }
      let lines = draft.file.split(separator: "\n", omittingEmptySubsequences: false)
      let line = source.position(at: first.range.lowerBound).line
      let keys = lines.prefix(line).filter { !$0.hasPrefix(" ") && !$0.hasPrefix("#") }
      let option = options[String((keys.last ?? "").prefix { $0 != ":" })] ?? "the URL"
      throw SpecError(messages: [
        "\(option): \(first.message.printable)" + (first.advice.map { ": \($0.printable)" } ?? "")
      ])
    }
  }

  // MARK: Lists

  /// The lists of an answer, the likeliest first.
  static func candidates(in body: JSONValue, of draft: SpecDraft) -> [ContentCandidate] {
    let path = draft.endpoint.split(separator: "/").last ?? ""
    return ContentCandidate.all(in: body, of: String(path.prefix { !".?#".contains($0) }))
  }

  // MARK: Model

  /// Adds a model of all records that have come, and checks that they match the model.
  private func addModel(_ draft: inout SpecDraft) async throws {
    // All answers have already come.
    let pages = isOnce || draft.pages == nil ? 1 : 2
    let seen = try await trial(draft.file, pages: pages)
    var types = MemberTypes()
    for record in Batch(lines: seen.lines).records { _ = types.add(record) }
    let lines = types.modelLines ?? []
    // A name that contains a secret would show the secret in the file.
    draft.model = lines.allSatisfy { secrets.redacting($0) == $0 } ? lines : []
    guard !draft.model.isEmpty else {
      draft.comments["model"] = ["No 'model': the records have no members that one could name."]
      return
    }
    let tried = try await trial(draft.file, pages: pages)
    guard tried.failure == nil, tried.counters.records == seen.counters.records else {
      draft.model = []
      draft.comments["model"] = ["No 'model': none was found that all records match."]
      return
    }
    draft.comments["model"] = [
      "What the first \(types.count.counted("record")) had; '?' is what some lacked, or had as null. A record of another kind ends a run,",
      "and members that are not named here are left out: take away what is not sure.",
    ]
  }

  // MARK: Samples

  /// Limit for the shown characters of a record.
  private static let mostShown = 300

  /// - Parameter keptName: the member that has the name of each record of a map.
  private func samples(_ lines: [UInt8], keptName: String?) -> [String] {
    let first = lines.split(separator: UInt8(ascii: "\n"), maxSplits: 3).prefix(3)
    guard !first.isEmpty else { return [] }
    return ["", "The first records:"]
      + first.map { line in
        let text = secrets.redacting(JSONValue(validated: Array(line)[...]).withoutCredentials(except: keptName).text)
        return "  " + text.shortened(to: Self.mostShown)
      }
  }
}

extension JSONValue {
  /// Returns the value with asterisks in place of texts whose members are named like credentials.
  ///
  /// - Parameter kept: a member that is no credential, in spite of its name.
  fileprivate func withoutCredentials(except kept: String? = nil) -> JSONValue {
    switch kind {
    case .object:
      JSONValue(
        members: members.map { member in
          let isSecret =
            member.value.kind == .string && member.name != kept && CredentialName.isCredential(item: member.name)
          return (member.name, isSecret ? JSONValue("***") : member.value.withoutCredentials())
        })
    case .array: JSONValue(elements: elements.map { $0.withoutCredentials() })
    case .string:
      if let text = string, CredentialName.isToken(text) || text.contains("://") && text.holdsCredential {
        JSONValue("***")
      } else {
        self
      }
    case .number, .boolean, .null: self
    }
  }
}

extension String {
  /// True if a URL has a user name in it, or an item that is named like a credential.
  fileprivate var holdsCredential: Bool {
    let authority = split(separator: "/", maxSplits: 2).dropFirst().first ?? ""
    return authority.contains("@") || CredentialName.first(in: self) != nil
  }
}
