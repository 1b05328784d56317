import Diagnostics
import Fetching
import Wire

/// Counts the requests of a run in its report, and tells a listener about them.
struct RequestLog: TransportObserver {
  /// Length of the shown start of a request's body, in characters.
  private static let shownBody = 512

  let report: Report
  let secrets: SecretStore
  let listener: RunListener
  /// True if the replies come from a recording, so that no wait takes any time.
  let isReplay: Bool

  func willSend(_ request: Request) {
    report.count { counters in
      counters.requests += 1
      if request.purpose.step > 0 { counters.jobs[request.purpose.step - 1, default: JobCounters()].requests += 1 }
    }
    report.update { $0.requests += 1 }
    tell(.sending, request) { event in
      var sent = request.fields
      if let coding = request.acceptedCoding { sent.append("Accept-Encoding", coding) }
      event.fields = fields(sent)
      event.body = request.body.map { body in
        let text = secrets.redacting(body.redacted)
        return (text.count > Self.shownBody ? text.prefix(Self.shownBody) + "…" : text).printable
      }
    }
  }

  func didReceive(_ head: ReplyHead, to request: Request) {
    tell(.receiving, request) { event in
      event.status = head.status
      event.fields = fields(head.fields, ofHiddenReply: request.hidesReply)
    }
  }

  func wasNotSent(_ request: Request) {
    report.count { counters in
      counters.requests -= 1
      if request.purpose.step > 0 { counters.jobs[request.purpose.step - 1, default: JobCounters()].requests -= 1 }
    }
    report.update { $0.requests -= 1 }
  }

  func didEnd(_ exchange: OpenExchange.Outcome, of request: Request) {
    report.update { $0.requests -= 1 }
    if let status = exchange.status { report.count { $0.statuses[status, default: 0] += 1 } }
    tell(.request, request) { event in
      (event.status, event.bytes, event.records) = (exchange.status, exchange.bytes, exchange.records)
      event.duration = exchange.duration
      event.reason = exchange.problem.map { secrets.redacting($0).printable }
    }
  }

  func waits(_ request: Request, for time: Duration, because reason: WaitReason) {
    guard !isReplay else { return }
    report.count { counters in
      switch reason {
      case .rate: counters.waitedForRate += time
      case .status, .condition, .failure, .content, .pause: counters.waitedForRetry += time
      case .poll: break
      }
    }
    report.update { activity in
      let end = ContinuousClock.now + time
      if activity.wait.map({ $0.end < end }) ?? true { activity.wait = .init(end: end, reason: reason.text) }
    }
    tell(.wait, request) { event in
      event.duration = time
      event.reason = reason.text
      event.isWaitForRate = reason == .rate
    }
  }

  func retries(_ request: Request) {
    report.count { $0.retries += 1 }
  }

  func warns(_ text: String) {
    report.advise(secrets.redacting(text))
  }

  private func tell(_ kind: RunEvent.Kind, _ request: Request, _ complete: (inout RunEvent) -> Void) {
    guard listener.kinds.contains(kind) else { return }
    var event = RunEvent(
      kind: kind, purpose: request.purpose, method: request.method,
      url: secrets.redacting(request.url.redacted).printable)
    complete(&event)
    listener.onEvent(event)
  }

  private func fields(_ fields: HTTPFields, ofHiddenReply isHidden: Bool = false) -> [RunEvent.Field] {
    fields.all.map { field in
      RunEvent.Field(
        name: secrets.redacting(field.name).printable,
        value: field.shownValue(hiding: secrets, ofHiddenReply: isHidden).printable)
    }
  }
}

extension WaitReason {
  var text: String {
    switch self {
    case .status(let status): "\(status)"
    case .condition: "retry.when"
    case .failure: "the connection failed"
    case .content: "the response can't be read"
    case .pause: "the server asked for a pause"
    case .rate: "rate"
    case .poll: "the server is still at work"
    }
  }
}
