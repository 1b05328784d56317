// The fetch of one page: a request becomes a whole page, or an error that names the page and its URL.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import Diagnostics
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// Fetches pages; no other type of this room sends requests.
struct PageFetcher: Sendable {
  let transport: any HTTPTransport
  var retrier: Retrier
  let report: Report
  let secrets: SecretStore
  /// Creates the spool that holds a page until it is whole.
  let spool: @Sendable () -> Spool
  /// The job that the pages are for; its page and attempt are set for each request.
  var purpose = Request.Purpose()

  typealias FetchAttemptError = AttemptError<NetworkingError>

  /// Calls `attempt` as often as the request's policy allows.
  ///
  /// - Parameter page: number of the page in its stream; nil for a request that is not for a page.
  func retrying<Value>(
    _ request: Request, page: Int?, attempt: (Request) async throws(FetchAttemptError) -> Value
  ) async throws(NetworkingError) -> Value {
    let request = labelled(request, page: page)
    do {
      return try await retrier.fetch(request, attempt: attempt)
    } catch {
      switch error {
      case .failed(let failure, let hint): throw failure.noting(failure.remedy(for: request, after: hint)).noting(hint)
      case .held(let fault): throw transportFailure(fault, page: page)
      case .cancelled: throw cancelled(request, page: page)
      }
    }
  }

  /// Returns a request with the job and the page for which it is sent, and without secrets in its shown URL.
  func labelled(_ request: Request, page: Int?) -> Request {
    var purpose = purpose
    purpose.page = page
    // A URL from a record may contain a secret that the server echoed.
    return request.with(purpose: purpose, redactedURL: secrets.redacting(request.url.redacted))
  }

  /// Warns, once a job, if a link named another scheme or port than the job's own, which were used in their place.
  func warnOfReplacedOrigin(_ request: Request) {
    guard let named = request.replacedOrigin, let own = Origin(of: request.url.text) else { return }
    report.adviseOnce(
      "\(purpose.job): links name '\(named)', and '\(own)' is asked in its place, since only the scheme or the port "
        + "differs (as behind a proxy); write 'ignore: [origin]' if that is meant, or '\(named.hostsEntry)' in 'hosts' if it "
        + "is the right one", about: "origin \(purpose.job)")
  }

  func cancelled(_ request: Request, page: Int?) -> NetworkingError {
    .transportFailure(url: request.url.redacted, page: page, reason: "the request was cancelled")
  }

  /// Sends the request once, and reads the answer to its end.
  func attempt(
    _ request: Request, number: Int, wants: PageWants
  ) async throws(FetchAttemptError) -> PageAnswer {
    var request = request
    if wants.refused != nil { request.tokenTrace = TokenTrace() }
    return try await attempt(traced: request, number: number, wants: wants)
  }

  private func attempt(
    traced request: Request, number: Int, wants: PageWants
  ) async throws(FetchAttemptError) -> PageAnswer {
    let reply: Reply
    do {
      reply = try await transport.send(request)
    } catch {
      throw attemptError(error, page: number)
    }
    defer { reply.exchange?.finish() }
    let page: Page
    switch try await self.page(from: reply, to: request, number: number, wants: wants) {
    case .page(let found): page = found
    case .unfinished(let finding): return .unfinished(reply.head, finding: finding)
    case .refused(let error):
      // A new token, once, as after a 401.
      guard request.tokenTrace?.refuse() == true else { throw error }
      reply.exchange?.finish()
      return try await attempt(traced: request, number: number, wants: wants)
    }
    reply.exchange?.update { $0.records = page.body.recordCount }
    let pageFacts = PageFacts(
      number: number, status: reply.head.status, url: reply.head.url, fields: reply.fields, body: page.body)
    return .page(page, pageFacts)
  }

  enum Found {
    case page(Page)
    case unfinished(String)
    /// The token was refused; the error is for one that was refused before.
    case refused(FetchAttemptError)
  }

  private func page(
    from reply: Reply, to request: Request, number: Int, wants: PageWants
  ) async throws(FetchAttemptError) -> Found {
    switch reply.head.status {
    case 204 where wants.poll?.until != nil && !wants.takesNoContent:
      _ = await start(of: reply)
      return .unfinished("the status is 204")
    case 204:
      _ = await start(of: reply)
      return .page(.empty)
    case 202 where wants.poll != nil:
      _ = await start(of: reply)
      return .unfinished("the status is 202")
    case 202 where request.waitsForContent, 206 where request.wantsWhole && reply.head.isPartOfBody:
      throw await refusal(of: reply, page: number)
    case 200...299:
      return try await unwrap(reply, number: number, wants: wants)
    default:
      return try await found(withErrorStatus: reply, number: number, wants: wants)
    }
  }

  /// Returns the error of a status that brings no content, or only a part of it.
  func refusal(of reply: Reply, page: Int?) async -> FetchAttemptError {
    refusal(reply.head, body: await start(of: reply).shown(hiding: secrets), page: page)
  }

  func refusal(_ head: ReplyHead, body: String, asked: Duration? = nil, page: Int?) -> FetchAttemptError {
    let (url, status) = (secrets.redacting(head.url.redacted), head.status)
    let hint = status == 206 ? "a part of the content, which was not asked for" : ""
    let pause = retrier.wait(askedBy: head) ?? asked
    let error: NetworkingError =
      status == 202
      ? .notReady(status: status, url: url, page: page, retryAfter: pause, hint: "", body: body)
      : .invalidResponseStatus(status: status, url: url, page: page, retryAfter: pause, hint: hint, body: body)
    return AttemptError(error, .status(head, body: body, asked: asked))
  }

  private func unwrap(_ reply: Reply, number: Int, wants: PageWants) async throws(FetchAttemptError) -> Found {
    var options = wants.unwrapping
    options.mark?.now = Int(Date().timeIntervalSince1970)
    options.charset = reply.head.fields.charset
    var unwrapper = Unwrapper(options, spool: spool)
    var start = BodyStart()
    let showsStart = wants.failure != nil || wants.poll?.failure != nil
    try await read(reply, number: number, into: &unwrapper) { chunk in
      if showsStart { start.append(chunk) }
    }
    if showsStart { start.bytes = TextDecoder.text(of: start.bytes, charset: options.charset, isJSON: true) }
    if !wants.ignored.contains(.error) { try checkTrailers(of: reply, page: number) }
    do {
      try unwrapper.end()
    } catch {
      let isCut = reply.head.hasOpenEnd && error.endsEarly
      let fault = contentError(error, reply.head, page: number, as: wants.unwrapping.format)
      let mayPass = isCut || error.endsEarly && !error.isOfCSV || error.isMarkup(reply.head)
      throw AttemptError(
        isCut ? fault.adding(NetworkingError.cutHint) : fault, mayPass ? .content(reply.head) : .lasting)
    }
    if wants.unwrapping.format != .json, !wants.ignored.contains(.partial) {
      let isClosed = wants.unwrapping.format == .sequence && unwrapper.lastByte.map { "}]\"".utf8.contains($0) } == true
      if !isClosed { try checkEnd(of: reply, last: unwrapper.lastByte, page: number) }
    }
    if let line = unwrapper.errorLine {
      let pageFacts = pageFacts(of: unwrapper, reply, page: number)
      let text = String(decoding: line.prefix(Self.shownLine), as: UTF8.self)
      throw AttemptError(contentFailure("a line of the answer is \(text)", pageFacts), .lasting)
    }
    let maySayGraphQLError = wants.isGraphQL && wants.failure == nil && unwrapper.hasNoContent
    // Create the facts only if something reads them, since this code runs for every page.
    if wants.readsAnswer || maySayGraphQLError {
      let pageFacts = pageFacts(of: unwrapper, reply, page: number)
      if let refused = wants.refused, refused.holds(in: pageFacts) {
        return .refused(AttemptError(contentFailure(refused.finding(in: pageFacts), pageFacts), .lasting))
      }
      if let expired = wants.expired, expired.holds(forAny: AnswerValues(pageFacts)) {
        return .page(.expired(expired.finding(in: pageFacts)))
      }
      if try isEmpty(wants, pageFacts, reply.head) { return .page(.empty) }
      // The server's own error explains all other errors.
      if let error = failure(wants, in: pageFacts, start) { throw AttemptError(error, .lasting) }
      if maySayGraphQLError, let error = graphQLFailure(wants, in: pageFacts) { throw AttemptError(error, .lasting) }
      if let finding = try unfinished(wants.poll, in: pageFacts, start) { return .unfinished(finding) }
    }
    do {
      return .page(try unwrapper.page())
    } catch {
      throw AttemptError(contentError(error, reply.head, page: number, as: wants.unwrapping.format), .lasting)
    }
  }

  /// Limit for the bytes of a line that a message shows.
  private static let shownLine = 512

  /// Size after which the rest of a page is parsed on another thread than the transfers', so that both run in parallel.
  ///
  /// A smaller page is parsed faster on the thread on which it arrives.
  private static let smallPage = 1 << 20

  /// Reads the body to its end.
  ///
  /// - Parameter look: receives the first chunks of the body, up to the size of a small page.
  private func read(
    _ reply: Reply, number: Int, into unwrapper: inout Unwrapper, look: ([UInt8]) -> Void
  ) async throws(FetchAttemptError) {
    var count = 0
    while count < Self.smallPage {
      guard let chunk = try await next(of: reply, page: number) else { return }
      count += chunk.count
      look(chunk)
      try take(chunk, of: reply, number: number, into: &unwrapper)
    }
    try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(FetchAttemptError) in
      while let chunk = try await next(of: reply, page: number) {
        try take(chunk, of: reply, number: number, into: &unwrapper)
      }
    }
  }

  /// Throws if a body of lines ends inside a line, and nothing but the end of the connection says that it ends there.
  ///
  /// A value in such a line may be cut: 73 of 7345.
  func checkEnd(of reply: Reply, last: UInt8?, page: Int?) throws(FetchAttemptError) {
    guard reply.head.hasOpenEnd, let last, last != UInt8(ascii: "\n"), last != UInt8(ascii: "\r") else { return }
    let advice = page == nil ? "" : "; if the server never ends the last line, write 'ignore: [partial]'"
    throw AttemptError(
      .transportFailure(
        url: secrets.redacting(reply.head.url.redacted), page: page,
        reason:
          "the body ends inside a line, and nothing but the connection's end says that it ends there: it may have been "
          + "cut" + advice), .openEnd)
  }

  /// Throws if a field after the body names an error: the server failed while it sent the body.
  func checkTrailers(of reply: Reply, page: Int?) throws(FetchAttemptError) {
    let trailers = reply.body.trailers
    guard let error = trailers.all.first(where: \.namesError) else { return }
    let words = error.isNamed("grpc-status") ? trailers["grpc-message"].map { " (\($0))" } ?? "" : ""
    let shown = quoted(secrets.redacting("\(error.value.redacted)\(words)"))
    throw AttemptError(
      .transportFailure(
        url: secrets.redacting(reply.head.url.redacted), page: page,
        reason: "after the body, the trailer '\(error.name.printable)' says: \(shown)"), .content(reply.head))
  }

  private func take(_ chunk: [UInt8], of reply: Reply, number: Int, into unwrapper: inout Unwrapper)
    throws(FetchAttemptError)
  {
    report.count { $0.bytes += chunk.count }
    do {
      try unwrapper.take(chunk)
    } catch {
      reply.body.cancel()
      let cause: AttemptErrorCause = error.isMarkup(reply.head) ? .content(reply.head) : .lasting
      throw AttemptError(contentError(error, reply.head, page: number, as: unwrapper.format), cause)
    }
  }

  func next(of reply: Reply, page: Int?) async throws(FetchAttemptError) -> [UInt8]? {
    do {
      guard let chunk = try await reply.body.next() else { return nil }
      reply.exchange?.update { $0.bytes += chunk.count }
      return chunk
    } catch {
      reply.exchange?.update { $0.problem = error.problem }
      throw attemptError(error, page: page)
    }
  }

  func attemptError(_ fault: TransportError, page: Int?) -> FetchAttemptError {
    let cause: AttemptErrorCause =
      fault.kind == .timeout ? .slow : fault.mayPass ? .passing : fault.kind == .noAnswer ? .unanswered : .lasting
    return AttemptError(transportFailure(fault, page: page), cause)
  }

  private func transportFailure(_ fault: TransportError, page: Int?) -> NetworkingError {
    NetworkingError(fault, page: page, hiding: secrets)
  }

  private func contentError(
    _ fault: ContentError, _ head: ReplyHead, page: Int, as format: BodyFormat
  ) -> NetworkingError {
    let url = secrets.redacting(head.url.redacted)
    switch fault {
    case .json(let fault):
      let hints = markupHint(head, fault, hiding: secrets) + kindHint(head, fault, hiding: secrets)
      let reason = fault.rendered(hiding: secrets) + hints
      if case .csv = format {
        return .invalidCSV(source: url, page: page, line: fault.line, column: fault.column, reason: reason)
      }
      return .invalidJSON(
        source: url, page: page, offset: fault.offset, line: fault.line, column: fault.column, reason: reason)
    case .missing(let content, let path, let available, let kind):
      let content = secrets.redacting(content)
      // Redact before cutting: a search does not find half a secret.
      let reason = missingReason(content, secrets.redacting(path), available.map { secrets.redacting($0) }, kind)
      return .missingContentIdentifier(
        identifier: content.description.printable, source: url, page: page, reason: secrets.redacting(reason))
    case .nameless(let record, let path):
      return .decodingError(
        source: url, page: page, record: record, keyPath: secrets.redacting(path).description,
        expected: "an object, whose members' names 'key' takes", found: JSONKind.array.rawValue)
    case .record(let record, let error): return recordError(error, record: record, of: url, page: page)
    case .otherHeader(let header, let first):
      func shown(_ names: [UInt8]) -> String {
        let text = secrets.redacting(String(decoding: names, as: UTF8.self)).printable
        return text.count > 80 ? text.prefix(80) + "…" : text
      }
      return .invalidCSV(
        source: url, page: page, line: 1, column: 1,
        reason:
          "the first line is \(shown(header)), and that of the first page is \(shown(first)): if only the first page has "
          + "the names, write 'read: { csv: { header: first } }'")
    case .repeatedHeader:
      return .invalidCSV(
        source: url, page: page, line: 1, column: 1,
        reason: "the first line has the names again: if each page has them, leave 'header: first' out")
    case .columns(let path, let reason):
      return .missingContentIdentifier(
        identifier: secrets.redacting(path).description.printable, source: url, page: page, reason: reason)
    case .spool(let problem):
      return .outputFailure(reason: "\(problem), to hold page \(page) of \(url)")
    }
  }

  /// Returns the error of a record that does not fit `decode` or `model`.
  ///
  /// - Parameter source: URL of the page, or the source of the record.
  func recordError(_ error: ModelError, record: Int, of source: String, page: Int?) -> NetworkingError {
    let keyPath = secrets.redacting(error.keyPath)
    let shown = secrets.isShown(in: error.found) ? "***" : error.found
    return .decodingError(
      source: source, page: page, record: record, keyPath: keyPath, expected: error.expected,
      found: error.isOfModel ? shown + modelHint(keyPath: keyPath, found: error.found) : shown)
  }
}

extension Request {
  /// True if a 202 means that the content is not available yet.
  ///
  /// For other methods than GET and QUERY the body of a 202 is the content.
  fileprivate var waitsForContent: Bool { asksForContent || retry.statuses.contains(202) }

  /// True if the spec does not itself ask for a part of the content.
  fileprivate var wantsWhole: Bool { asksForContent && fields["Range"] == nil }

  private var asksForContent: Bool { method == "GET" || method == "QUERY" }
}

extension ReplyHead {
  /// True if a 206 has only some bytes of the body (RFC 9110 §14.4).
  ///
  /// Parts in other units (`items 0-24/66`, or none) are pages, as some APIs spell them.
  fileprivate var isPartOfBody: Bool {
    guard let range = fields["Content-Range"]?.lowercased() else { return true }
    return range.hasPrefix("bytes")
  }
}

extension ContentError {
  /// True for a text that ends too early, such as an empty body in place of JSON.
  fileprivate var endsEarly: Bool { if case .json(let fault) = self { fault.after.isEmpty } else { false } }

  /// True for a line of CSV, which may have too few fields wherever it stands.
  fileprivate var isOfCSV: Bool {
    if case .json(let fault) = self, case .csv = fault.reason { true } else { false }
  }

  /// Reports that the body is a page of HTML in place of the content.
  fileprivate func isMarkup(_ head: ReplyHead) -> Bool {
    guard case .json(let fault) = self else { return false }
    return head.fields["Content-Type"]?.lowercased().contains("html") == true || isMarkupBody(head, fault)
  }
}

extension HTTPFields.Field {
  /// True if a trailer says that the body is not what it should be: `X-Stream-Error: reset`, `grpc-status: 13`.
  fileprivate var namesError: Bool {
    let (name, value) = (name.lowercased(), value.text.lowercased())
    if name == "grpc-status" { return value != "0" }
    guard ["error", "exception", "failure"].contains(where: name.contains) else { return false }
    return !["", "0", "false", "no", "none", "null", "nil", "ok", "\"\"", "[]", "{}"].contains(value)
  }
}

extension NetworkingError {
  /// Returns the remedy for a status, if one is known and the error has no note yet.
  ///
  /// - Parameter hint: hint of the last attempt, such as the time at which a limit ends.
  fileprivate func remedy(for request: Request, after hint: String) -> String {
    if case .notReady = self, !request.retry.statuses.contains(202) {
      return request.isFile
        ? "run it again later, or add 'retry: { when: 202 }'"
        : "run it again later, or add 'poll: { every: 10s, within: 30m }' to ask until it is"
    }
    guard case .invalidResponseStatus(_, let context) = self, context.hint.isEmpty, let status = context.status else {
      return ""
    }
    switch status {
    case 300...303, 305...399: return "a redirect that names no URL: see 'endpoint'"
    case 401: return "see 'auth'"
    case 403 where hint.isEmpty: return "see 'auth': it may not give access to this"
    case 405: return "see 'method'"
    case 406: return "see 'Accept' in 'headers'"
    case 415: return "see 'Content-Type' in 'headers'"
    default: break
    }
    guard RetryPolicy().statuses.contains(status), hint.isEmpty else { return "" }
    if request.movesPosition { return "tried once, since 'scroll' may have moved on: run it again" }
    return request.mayBeRepeated
      ? "" : "tried once: add 'retry' to the step itself if a \(request.method) may be repeated"
  }

  /// Returns the error with a note about the attempts or a remedy.
  func noting(_ hint: String) -> NetworkingError {
    guard !hint.isEmpty else { return self }
    let known = context.hint
    switch self {
    case .invalidResponseStatus, .notReady: return withNote(known.isEmpty ? hint : "\(known), \(hint)")
    case .transportFailure: return withNote("\(known) (\(hint))")
    case .contentFailure:
      // The start of the response has a line of its own.
      let end = known.firstIndex(of: "\n") ?? known.endIndex
      return withNote("\(known[..<end]) (\(hint))\(known[end...])")
    case .invalidJSON, .invalidCSV:
      if known.hasSuffix(Self.cutHint) { return adding(" (\(hint))") }
      // The line below the caret is a remedy, which is better than to try again.
      return adding(hasRemedy ? " (\(hint.prefix { $0 != ";" }))" : "\n  \(hint)")
    default: return self
    }
  }

  /// Returns the error with the start of the body that it is about.
  func showing(_ start: BodyStart, hiding secrets: SecretStore) -> NetworkingError {
    guard case .contentFailure = self, !start.bytes.isEmpty else { return self }
    return withNote("\(context.hint)\n  the response begins: \(start.shown(hiding: secrets))")
  }

  /// True for an error of a text that ends with a remedy, not with the line of the caret.
  private var hasRemedy: Bool {
    let lines = context.hint.split(separator: "\n")
    return lines.count > 1 && lines.last?.allSatisfy({ " \t^~".contains($0) }) == false
  }

  /// Hint for a truncated text whose end may not be the server's.
  fileprivate static let cutHint =
    "\n  nothing but the connection's end says where this body ends: it may have been cut"

  /// Returns an error of a text with words appended to its reason.
  fileprivate func adding(_ words: String) -> NetworkingError {
    switch self {
    case .invalidJSON, .invalidCSV: withNote(context.hint + words)
    default: self
    }
  }
}
