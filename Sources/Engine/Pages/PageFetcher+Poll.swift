// `poll`: repeats the request for a page until the server is done; only the last answer is a page.

import Diagnostics
import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Unwrapping
import Wire

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
        try await attempt(request, number: number, wants: wants)
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
      let (url, reason) = (secrets.redacting(error.url.redacted), secrets.redacting(error.problem).printable)
      throw .invalidPage(url: url, page: page, reason: reason)
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
      let error = NetworkingError.contentFailure(
        url: secrets.redacting(pageFacts.url.redacted), page: pageFacts.number, reason: shown(failure))
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
