// The meaning of an answer beside its records: later, nothing, or an error.

import Diagnostics
import FetchPlan
import Fetching
import Files
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Unwrapping
import Wire
import YAMLText

/// The first bytes of a body that is not read to its end.
struct BodyStart: Sendable {
  /// More than the shown length, since a search does not find a secret that is cut in half.
  static let length = 8_192

  var bytes: [UInt8] = []
  var isCut = true
  /// True if the body broke off before its first byte.
  var isUnreadable = false

  /// Takes the next bytes of a body that is read to its end elsewhere.
  mutating func append(_ chunk: [UInt8]) {
    guard bytes.count <= Self.length else { return }
    bytes += chunk.prefix(Self.length + 1 - bytes.count)
    isCut = bytes.count > Self.length
  }

  /// Returns the first 512 bytes, safe to print, for the message about a status.
  func shown(hiding secrets: SecretStore) -> String {
    if isUnreadable { return "(a body that can't be read)" }
    let text = String(decoding: bytes.prefix(Self.length), as: UTF8.self)
    return quoted(secrets.redacting(text, isCut: isCut || bytes.count > Self.length))
  }

  /// The body as JSON, if it is whole and valid.
  var json: JSONValue? { isCut ? nil : try? JSONValue(parsing: bytes) }
}

extension PageFetcher {
  /// Limit for the bytes of an error's body that a condition reads.
  private static let longestError = 1 << 20

  /// Returns an empty page for an error status that means that there are no records, or the refusal of a token.
  ///
  /// - Throws: the error for any other reply.
  func found(
    withErrorStatus reply: Reply, number: Int, wants: PageWants
  ) async throws(FetchAttemptError) -> Found {
    let isRead =
      wants.empty?.readsAnswer == true || wants.later != nil || wants.refused != nil
      || wants.expired != nil
      || [429, 503].contains(reply.head.status)
    let start = await start(of: reply, atMost: isRead ? Self.longestError : BodyStart.length)
    let body = isRead ? start.json : nil
    let shown = start.shown(hiding: secrets)
    let answer = AnswerValues(status: reply.head.status, fields: reply.fields, body: body)
    let isLater = wants.later?.holds(forAny: answer) ?? false
    if !isLater, !reply.head.meetsLimit(body: shown, now: retrier.unixTime) {
      if wants.expired?.holds(forAny: answer) == true { return .page(.expired("the status is \(reply.head.status)")) }
      if wants.empty?.condition?.holds(for: answer) == true { return .page(.empty) }
    }
    let asked = body.flatMap { retrier.wait(askedBy: $0) }
    let refusal = refusal(reply.head, body: shown, asked: asked, page: number)
    if wants.refused?.holds(forAny: answer) == true { return .refused(refusal) }
    guard isLater, reply.head.status != 401 else { throw refusal }
    throw AttemptError(refusal.failure, .later(reply.head, asked: asked))
  }

  /// Returns true if the body of a success says that there are no records.
  ///
  /// - Throws: an error that allows another attempt, if the body says "later".
  func isEmpty(_ wants: PageWants, _ pageFacts: PageFacts, _ head: ReplyHead) throws(FetchAttemptError) -> Bool {
    if let later = wants.later, later.holds(in: pageFacts) {
      let values = JobPlan.waits.lazy.compactMap { pageFacts.body.captured[$0.description] }
      let asked = values.compactMap {
        retrier.wait(askedBy: JSONValue(members: [("retry_after", JSONValue(validated: $0[...]))]))
      }
      throw AttemptError(contentFailure(later.finding(in: pageFacts), pageFacts), .later(head, asked: asked.first))
    }
    return wants.empty?.condition?.holds(in: pageFacts) ?? false
  }

  /// Returns the error that a reply reports in its body, with the start of that body.
  func failure(_ wants: PageWants, in pageFacts: PageFacts, _ start: BodyStart) -> NetworkingError? {
    guard let failure = wants.failure else { return nil }
    guard failure.holds(in: pageFacts) else {
      return failure.barrier(in: pageFacts).map { contentFailure($0, pageFacts) }
    }
    return contentFailure(failure.finding(in: pageFacts), pageFacts).noting(
      limitHint(wants, failure.limitSign(in: pageFacts))
    )
    .showing(start, hiding: secrets)
  }

  /// Returns the error that a GraphQL server reports in `errors` in place of the content.
  func graphQLFailure(_ wants: PageWants, in pageFacts: PageFacts) -> NetworkingError? {
    JobPlan.graphQLError(in: pageFacts).map {
      contentFailure($0, pageFacts).noting(limitHint(wants, LimitSign(at: [["errors"]], in: pageFacts)))
    }
  }

  /// Returns the remedy for an error that names a rate limit; empty without one, or if the job has `retry.when`.
  private func limitHint(_ wants: PageWants, _ sign: LimitSign?) -> String {
    guard let sign, wants.later == nil else { return "" }
    let path = JSONPath(root: "body", secrets.redacting(sign.path).steps.map(\.name)).yaml.printable
    guard path.utf8.count <= 200 else { return "" }
    return "this may be a rate limit; to wait and try again, add 'retry: { when: { \(path): "
      + "{ has: \(YAMLScalar.text(sign.word)) } } }'"
  }

  func contentFailure(_ reason: String, _ pageFacts: PageFacts) -> NetworkingError {
    .contentFailure(
      url: secrets.redacting(pageFacts.url.redacted), page: pageFacts.number,
      reason: quoted(secrets.redactingCutNames(reason)))
  }

  /// Returns the facts about a page that are known before its records.
  func pageFacts(of unwrapper: borrowing Unwrapper, _ reply: Reply, page: Int) -> PageFacts {
    PageFacts(
      number: page, status: reply.head.status, url: reply.head.url, fields: reply.fields,
      body: unwrapper.bodyWithoutRecords)
  }

  /// Reads the first bytes of a body, and cancels the rest.
  ///
  /// If the body breaks off, its start is enough, since the status matters more.
  func start(of reply: Reply, atMost limit: Int = BodyStart.length) async -> BodyStart {
    var start = BodyStart()
    do {
      while start.isCut, start.bytes.count < limit {
        if let chunk = try await reply.body.next() { start.bytes += chunk } else { start.isCut = false }
      }
    } catch {
      start.isUnreadable = start.bytes.isEmpty
    }
    reply.body.cancel()
    reply.exchange?.update { $0.bytes = start.bytes.count }
    start.bytes = TextDecoder.text(of: start.bytes, charset: reply.head.fields.charset, isJSON: true)
    return start
  }
}

extension Incremental {
  /// Path of the mark, for messages.
  var keyPath: String {
    switch mark {
    case .member(let path): path.description
    case .input(let template), .run(let template), .answer(let template): template.spelling
    }
  }
}

// MARK: `poll`: repeats the request for a page until the server is done; only the last answer is a page

/// The answer to one request for a page.
enum PageAnswer {
  case page(Page, PageFacts)
  /// The server is still at work.
  case unfinished(ReplyHead, finding: String)
}

extension PageFetcher {
  /// Fetches a whole page; a failed attempt, or an answer before the server is done, leaves nothing.
  ///
  /// - Parameter number: number of the page in its stream, from 1.
  func fetch(_ request: Request, number: Int, wants: PageWants) async throws(NetworkingError) -> (Page, PageFacts) {
    let start = retrier.now
    var request = request
    while true {
      let answer = try await retrying(request, page: number) { (request) async throws(FetchAttemptError) in
        do throws(FetchAttemptError) {
          return try await attempt(request, number: number, wants: wants)
        } catch {
          guard let size = wants.size, error.cause.mayBeTooMuch else { throw error }
          size.isTooLarge.store(true, ordering: .relaxed)
          throw AttemptError(error.failure, .lasting)
        }
      }
      switch answer {
      case .page(let page, let pageFacts): return (page, pageFacts)
      case .unfinished(let head, let finding):
        let poll = wants.poll ?? Poll()
        let time = wait(after: head, poll, passed: retrier.now - start)
        guard let time else { throw notReady(head, page: number, finding, after: retrier.now - start) }
        guard await retrier.sleep(time, .poll, labelled(request, page: number)) else {
          throw cancelled(request, page: number)
        }
        if let status = try statusRequest(request, after: head, page: number) {
          warnOfReplacedOrigin(status)
          request = status
        }
      }
    }
  }

  /// Returns the request for the state of the job, if the answer names its address.
  private func statusRequest(
    _ request: Request, after head: ReplyHead, page: Int
  ) throws(NetworkingError) -> Request? {
    let answer = PageFacts(
      number: page, status: head.status, url: head.url, fields: head.fields, body: PageBody(recordCount: 0))
    do {
      return try request.statusRequest(after: answer, hiding: secrets)
    } catch {
      throw NetworkingError(error, hiding: secrets)
    }
  }

  /// Returns the wait before the next request, or nil if there is no time for one.
  ///
  /// The last wait is shorter, unless the server asks for it.
  private func wait(after head: ReplyHead, _ poll: Poll, passed: Duration) -> Duration? {
    let rest = poll.within - passed
    guard rest > .zero else { return nil }
    guard let asked = retrier.wait(askedBy: head) else { return min(poll.every, rest) }
    // A server that always says 0 still gets a pause.
    let time = max(asked, min(poll.every, .seconds(1)))
    return time <= rest ? time : nil
  }

  private func notReady(_ head: ReplyHead, page: Int, _ finding: String, after time: Duration) -> NetworkingError {
    let passed = time > .zero ? ", asked for \(time.formatted)" : ""
    let wait = retrier.wait(askedBy: head) ?? .zero
    let asked = wait > .zero ? ", the server asks to wait \(wait.formatted)" : ""
    return .notReady(
      status: head.status, url: secrets.redacting(head.url.redacted), page: page,
      hint: "\(finding)\(passed)\(asked); give 'poll' a longer 'within' if it may take so long", body: "")
  }

  /// Returns the sign that a server is still at work; nil if the answer is the content.
  ///
  /// - Throws: an error if the answer says that the content will never be available.
  func unfinished(
    _ poll: Poll?, in pageFacts: PageFacts, _ start: BodyStart
  ) throws(FetchAttemptError) -> String? {
    guard let poll else { return nil }
    func shown(_ condition: Condition) -> String { quoted(secrets.redactingCutNames(condition.finding(in: pageFacts))) }
    if let failure = poll.failure, failure.holds(in: pageFacts) {
      let error = contentFailure(failure.finding(in: pageFacts), pageFacts)
      throw AttemptError(error.showing(start, hiding: secrets), .lasting)
    }
    guard let until = poll.until else { return nil }
    if let path = until.statement { return try isDone(path, pageFacts) ? nil : shown(until) }
    return until.holds(in: pageFacts) ? nil : shown(until)
  }

  /// Returns what the bare path of `until` says.
  ///
  /// - Throws: an error for a value that is neither yes nor no, such as `PROCESSING`.
  private func isDone(_ path: JSONPath, _ pageFacts: PageFacts) throws(FetchAttemptError) -> Bool {
    guard let value = AnswerValues(pageFacts).values(at: path).first(where: { !$0.isNull }), value.string != "" else {
      return false
    }
    if let answer = value.yesOrNo { return answer }
    let shown = secrets.redactingCutNames(value.text)
    let reason =
      "'\(path)' is \(quoted(shown)), and a bare path in 'until' takes true or 1 for done, false or 0 for not yet: write what it "
      + "is at the end, as 'until: { \(path): DONE }'"
    throw AttemptError(
      .contentFailure(url: secrets.redacting(pageFacts.url.redacted), page: pageFacts.number, reason: reason), .lasting)
  }
}

extension PageFetcher {
  /// Saves the file of a URL, if no earlier record has the path; returns no file if `empty` says that there is none.
  ///
  /// A failed attempt leaves nothing, and no existing file changes.
  func save(
    _ download: Download, by downloadStore: DownloadStore
  ) async throws(NetworkingError) -> (file: SavedFile?, status: Int) {
    if let target = download.target, await !target.reservation.wait() {
      throw NetworkingError(target.conflict, hiding: secrets)
    }
    let request = download.request
    let (file, target, status) = try await retrying(request, page: nil) { (request) async throws(FetchAttemptError) in
      try await attempt(request, download, downloadStore)
    }
    if file != nil { target?.reservation.keep() } else { target?.reservation.release() }
    return (file, status)
  }

  private func attempt(
    _ request: Request, _ download: Download, _ downloadStore: DownloadStore
  ) async throws(FetchAttemptError) -> (SavedFile?, Download.ReservedPath?, status: Int) {
    var old: EntryMetadata?
    var asked = request
    if let target = download.target {
      old = try emitting { () throws(FileError) in try downloadStore.look(at: target.path.names) }
      if let old, old.size == download.size {
        downloadStore.keep(old)
        return (SavedFile(path: target.path, size: old.size, type: nil), target, status: 200)
      }
      if let old { asked.ask(ifModifiedSince: old.modified) }
    }
    var reply = try await reply(to: asked)
    defer { reply.body.cancel() }
    var known: ReplyHead?
    if reply.head.status == 304, let old {
      if reply.head.mayHaveLength(of: old) { known = await knownHead(of: request, reply.head) }
      if known?.mayHaveLength(of: old) != true {
        // The file was changed locally, or it is a different file, or the server tells its type to a GET only.
        reply.body.cancel()
        reply = try await self.reply(to: request)
      }
    }
    if download.isEmpty(reply) { return (nil, download.target, status: reply.head.status) }
    let target: Download.ReservedPath
    if let planned = download.target {
      target = planned
    } else {
      guard reply.head.hasWholeFile else { throw await refusal(of: reply, page: nil) }
      target = try await self.target(of: download, in: reply.head)
      old = try emitting { () throws(FileError) in try downloadStore.look(at: target.path.names) }
    }
    let isSame = download.target == nil && old != nil && old?.size == download.size
    if let old, isSame || reply.head.isUnchanged(old, now: retrier.unixTime) {
      downloadStore.keep(old)
      let type = reply.head.fields["Content-Type"] ?? known?.fields["Content-Type"]
      return (SavedFile(path: target.path, size: old.size, type: type), target, status: 200)
    }
    guard reply.head.hasWholeFile else { throw await refusal(of: reply, page: nil) }
    let size = try await write(reply, to: target.path, downloadStore)
    return (SavedFile(path: target.path, size: size, type: reply.head.fields["Content-Type"]), target, status: 200)
  }

  /// Reserves the path of a file that the server has named.
  private func target(of download: Download, in head: ReplyHead) async throws(FetchAttemptError)
    -> Download.ReservedPath
  {
    do throws(ParameterError) {
      let target = try download.target(in: head)
      guard await target.reservation.wait() else { throw target.conflict }
      return target
    } catch {
      throw AttemptError(NetworkingError(error, hiding: secrets), .lasting)
    }
  }

  /// Returns the head of a 304 if it has length and type, or else the head of a HEAD request.
  ///
  /// Most servers leave both out of a 304 (RFC 9110 §15.4.5). Some refuse a HEAD, such as one for a URL that was signed
  /// for a GET. Returns nil if that leaves the type unknown.
  private func knownHead(of request: Request, _ head: ReplyHead) async -> ReplyHead? {
    let hasType = head.fields["Content-Type"] != nil
    guard !hasType || (head.length ?? 0) == 0 else { return head }
    var asked = request
    asked.method = "HEAD"
    asked.timeout = min(asked.timeout, .seconds(10))
    // Ignore its errors: the server has already said that the file was not modified.
    if let reply = try? await transport.send(asked) {
      reply.body.cancel()
      if reply.head.status == 200 { return reply.head }
    }
    return hasType ? head : nil
  }

  private func reply(to request: Request) async throws(FetchAttemptError) -> Reply {
    do {
      return try await transport.send(request)
    } catch {
      throw attemptError(error, page: nil)
    }
  }

  private func write(_ reply: Reply, to path: SavePath, _ downloadStore: DownloadStore) async throws(FetchAttemptError)
    -> Int
  {
    var file = try emitting { () throws(FileError) in try downloadStore.begin(path.names) }
    var last: UInt8?
    while let chunk = try await next(of: reply, page: nil) {
      report.count { $0.bytes += chunk.count }
      last = chunk.last
      try emitting { () throws(FileError) in try file.write(chunk) }
    }
    try checkTrailers(of: reply, page: nil)
    if reply.head.hasLines(at: path.text) { try checkEnd(of: reply, last: last, page: nil) }
    let (size, modified) = (file.size, reply.head.modified(now: retrier.unixTime))
    try emitting { () throws(FileError) in try downloadStore.finish(&file, modified: modified) }
    return size
  }

  private func emitting<Value: ~Copyable>(
    _ work: () throws(FileError) -> Value
  ) throws(FetchAttemptError) -> Value {
    do {
      return try work()
    } catch {
      throw AttemptError(.outputFailure(reason: secrets.redacting(error.problem).printable), .lasting)
    }
  }
}

/// The parts of a page that a job needs, and the meaning of its status and body.
struct PageWants: Sendable {
  /// The handling of the body.
  var unwrapping: UnwrapOptions
  /// True if an answer without content and with `errors` is an error, when the job has no `failure`.
  var isGraphQL = false
  /// Finds an error inside a page.
  var failure: Condition?
  /// Answers that mean that there are no records.
  var empty: Job.Empty?
  /// Holds for an answer that says "later".
  var later: Condition?
  /// Holds for an answer that refuses the token.
  var refused: Condition?
  /// Holds for an answer that says that the mark of the request is too old; nil for a request without a mark.
  var expired: Condition?
  /// Tells whether the server is done.
  var poll: Poll?
  /// Kinds of evidence that are meant.
  var ignored: Set<Sign> = []
  /// Receives the fact that the page may be too large for the server, which is then not asked again; nil if the page can't
  /// be smaller.
  var size: SizeProbe?
  /// True if `empty` names the status 204, so that it ends a `poll`.
  var takesNoContent: Bool {
    empty?.alternatives.contains { $0.allSatisfy { $0.isAboutStatus && $0.statuses.contains(204) } } ?? false
  }

  /// True if the meaning of a success depends on the body beside the records.
  var readsAnswer: Bool {
    failure != nil || refused != nil || expired != nil || empty?.condition != nil || later != nil || poll?.until != nil
      || poll?.failure != nil
  }
}

/// Whether a page was probably too large for the server.
final class SizeProbe: Sendable {
  let isTooLarge = Atomic(false)
}

extension Job {
  /// True if an input record that fails must have no output at all, though it has several pages, or parts.
  ///
  /// A user who pipes the rejected records back in must not get some records twice.
  var leavesOutWhole: Bool {
    onError == .skip && attach == nil && match.isEmpty
      && (each?.split != nil || pages.map { $0.kind != .single } ?? false)
  }

  /// True if `set` adds members to fetched records.
  var setsInFetched: Bool { !set.isEmpty && endpoint != nil && download == nil }

  /// Paths that templates read in a page's last record.
  var lastPaths: [JSONPath] {
    (pages?.templates ?? []).flatMap(\.holes).filter { $0.root == .last }.map(\.path)
      + answerConditions.flatMap(\.lastPaths) + (pages?.kind == .auto ? ChosenPages.lastPaths : [])
  }
}

extension Pages {
  /// True if a page is compared with the pages before it.
  var comparesPages: Bool { kind != .single }
}

extension PageFacts {
  /// True if the status alone says that there are no records, as `empty` of the job says.
  func isAnsweredByNothing(_ job: Job) -> Bool {
    // Nothing is new, says a 304.
    guard !(200..<300).contains(status), status != 304, let empty = job.empty else { return false }
    return empty.alternatives.contains { $0.allSatisfy { $0.isAboutStatus && $0.holds(JSONValue(status)) } }
  }
}
