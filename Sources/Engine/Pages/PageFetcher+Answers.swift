// The meaning of an answer beside its records: later, nothing, or an error.

import Diagnostics
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
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
      url: secrets.redacting(pageFacts.url.redacted), page: pageFacts.number, reason: quoted(secrets.redacting(reason)))
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
