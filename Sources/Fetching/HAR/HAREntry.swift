// One exchange as an entry of a HAR 1.2 file (http://www.softwareishard.com/blog/har-12-spec/).

import Files
import JSONText
import Primitives
import Synchronization
import Wire

/// The parts of an entry that are known when the exchange has ended; the body's text is inserted during writing.
struct HAREntry {
  var request: Request
  var started: Double
  /// Times when the head was there, and when the exchange ended.
  var answered: Double
  var ended: Double
  var head: ReplyHead?
  /// Fields that came after the body.
  var trailers = HTTPFields()
  var bodySize: Int
  var bodyIsText: Bool
  var fault: TransportError?
  var secrets: SecretStore

  /// The id of the one page to which all entries belong.
  static let page = "run"

  /// The entry as JSON before and after the body's text.
  ///
  /// The text is the last member of the last member, so that it can be streamed.
  var halves: (opening: [UInt8], closing: [UInt8]) {
    var members = [
      ("pageref", JSONValue(Self.page)),
      ("startedDateTime", JSONValue(HARTime.text(of: started))),
      ("time", milliseconds(from: started, to: ended)),
      ("request", requestObject),
      ("cache", JSONValue(members: [])),
      ("timings", timings),
    ]
    members += customMembers
    if let peer = head?.peer { members.append(("serverIPAddress", JSONValue(peer))) }
    members.append(("response", response))
    let entry = JSONValue(members: members)
    let closing = Array(#""}}}"#.utf8)
    return (entry.bytes.dropLast(closing.count) + [], closing)
  }

  /// Phases of the exchange; unknown phases are -1, and part of `wait`.
  private var timings: JSONValue {
    let connect = head?.connectTime.map { min(max(0, $0 / .seconds(1)), max(0, answered - started)) }
    return JSONValue(members: [
      ("blocked", JSONValue(-1)), ("dns", JSONValue(-1)),
      ("connect", connect.map { milliseconds(from: 0, to: $0) } ?? JSONValue(-1)),
      ("send", JSONValue(0)),
      ("wait", milliseconds(from: started + (connect ?? 0), to: answered)),
      ("receive", milliseconds(from: answered, to: ended)),
    ])
  }

  /// Members for `pagecat report` and replays; the format allows names with `_`.
  private var customMembers: [(name: String, value: JSONValue)] {
    let purpose = request.purpose
    var members: [(name: String, value: JSONValue)] = []
    if !purpose.job.isEmpty { members.append(("_job", JSONValue(secrets.redacting(purpose.job)))) }
    if let page = purpose.page { members.append(("_page", JSONValue(page))) }
    if purpose.attempt > 1 { members.append(("_attempt", JSONValue(purpose.attempt))) }
    let waits = [("rate", purpose.waitedForRate), ("retry", purpose.waitedForRetry)].filter { $0.1 > .zero }
    guard !waits.isEmpty else { return members }
    let times = waits.map { (name: $0.0, value: milliseconds(from: 0, to: $0.1 / .seconds(1))) }
    members.append(("_waited", JSONValue(members: times)))
    return members
  }

  private var requestObject: JSONValue {
    let url = secrets.redacting(request.url.redacted)
    var members = [
      ("method", JSONValue(request.method)),
      ("url", JSONValue(url)),
      ("httpVersion", Self.unknown),
      ("cookies", JSONValue(elements: [])),
      ("headers", headers(request.fields, isHidden: false)),
      ("queryString", Self.queryString(of: url)),
      ("headersSize", JSONValue(-1)),
      ("bodySize", JSONValue(request.body?.bytes.count ?? 0)),
    ]
    if let body = request.body {
      members.append(("postData", postData(body)))
    }
    return JSONValue(members: members)
  }

  private func postData(_ body: Request.Body) -> JSONValue {
    JSONValue(members: [
      ("mimeType", JSONValue(shownType(request.fields) ?? "application/json")),
      ("text", JSONValue(secrets.redacting(body.redacted))),
    ])
  }

  private var response: JSONValue {
    var members = [
      ("status", JSONValue(head?.status ?? 0)),
      ("statusText", JSONValue("")),
      ("httpVersion", Self.unknown),
      ("cookies", JSONValue(elements: [])),
      ("headers", headers(head?.fields ?? HTTPFields(), isHidden: request.hidesReply)),
      ("redirectURL", JSONValue(request.hidesReply ? "" : secrets.redacting(head?.fields["Location"] ?? ""))),
      ("headersSize", JSONValue(-1)),
      ("bodySize", JSONValue(encodedSize)),
    ]
    if !trailers.all.isEmpty { members.append(("_trailers", headers(trailers, isHidden: request.hidesReply))) }
    if head?.hasOpenEnd == true { members.append(("_openEnd", JSONValue(true))) }
    if let fault {
      members.append(("_error", JSONValue(secrets.redacting(fault.problem))))
      members.append(("_errorKind", JSONValue(fault.kind.rawValue)))
    }
    members.append(("content", content))
    return JSONValue(members: members)
  }

  /// The content object, with an empty text.
  ///
  /// The format asks for a decoded body, whatever `Content-Encoding` says.
  private var content: JSONValue {
    var members = [
      ("size", JSONValue(bodySize)),
      ("mimeType", JSONValue(head.flatMap { shownType($0.fields) } ?? "x-unknown")),
    ]
    if !bodyIsText { members.append(("encoding", JSONValue("base64"))) }
    members.append(("text", JSONValue("")))
    return JSONValue(members: members)
  }

  private var encodedSize: Int {
    head?.fields["Content-Length"].flatMap { Int($0) }.map { max($0, -1) } ?? -1
  }

  private func headers(_ fields: HTTPFields, isHidden: Bool) -> JSONValue {
    JSONValue(
      elements: fields.all.map { field in
        let value = field.shownValue(hiding: secrets, ofHiddenReply: isHidden)
        return JSONValue(members: [("name", JSONValue(secrets.redacting(field.name))), ("value", JSONValue(value))])
      })
  }

  private func shownType(_ fields: HTTPFields) -> String? {
    fields.all.first { $0.name.lowercased() == "content-type" }?.shownValue(hiding: secrets)
  }

  /// HTTP version: unknown, since libcurl's version would have to pass through two rooms, and no program reads it.
  private static let unknown = JSONValue("unknown")

  private static func queryString(of url: String) -> JSONValue {
    JSONValue(
      elements: URLParts(url).items.map { item in
        JSONValue(members: [
          ("name", JSONValue(ReplayURL.decoded(item.name))), ("value", JSONValue(ReplayURL.decoded(item.value ?? ""))),
        ])
      })
  }

  /// Returns the time between, to a tenth of a millisecond; 0 if the wall clock was set back.
  private func milliseconds(from: Double, to: Double) -> JSONValue {
    let tenths = (max(0, to - from) * 10_000).rounded() / 10
    return JSONValue(validated: Array("\(tenths)".utf8)[...])
  }
}

// MARK: One exchange during its recording

/// The recorded part of an exchange; its body waits in a spool until the entry can be written.
final class RecordedExchange: Sendable {
  private let spool: Spool
  private let secrets: SecretStore
  private let state: Locked<State>

  private struct State {
    var entry: HAREntry
    var text = UTF8Check()
    var spoolFault: FileError?
    var hasEnded = false
  }

  init(request: Request, started: Double, secrets: SecretStore, spool: Spool) {
    self.spool = spool
    self.secrets = secrets
    let entry = HAREntry(
      request: request, started: started, answered: started, ended: started, bodySize: 0, bodyIsText: true,
      secrets: secrets)
    state = Locked(State(entry: entry))
  }

  /// Returns the error for an exchange that the reader stopped (`cut`) or that the run's end stopped (`cancelled`).
  ///
  /// In a replay the exchange fails where the reader stopped.
  func stopped(_ kind: TransportError.Kind) -> TransportError {
    let url = state.withLock { $0.entry.request.url }
    return TransportError(kind, url: url, problem: "the recording ends here: the rest of the body was not read")
  }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func answered(_ head: ReplyHead, at time: Double) {
    state.withLock { state in
      state.entry.head = head
      state.entry.answered = time
    }
  }

  func append(_ bytes: [UInt8]) {
    state.withLock { state in
      guard !state.hasEnded, state.spoolFault == nil else { return }
      do throws(FileError) {
        try spool.append(bytes)
        state.text.append(bytes)
      } catch {
        state.spoolFault = error
      }
    }
  }

  /// Ends the exchange; only the first call counts.
  func end(_ fault: TransportError?, trailers: HTTPFields = HTTPFields(), at time: Double) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.hasEnded = true
      state.entry.fault = fault
      state.entry.trailers = trailers
      state.entry.ended = time
      if state.entry.head == nil { state.entry.answered = time }
      state.entry.bodySize = spool.count
      state.entry.bodyIsText = state.text.isWhole
    }
  }

  /// Gives the entry away, piece by piece, as JSON.
  func write(to sink: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
    let (entry, spoolFault) = state.withLock { ($0.entry, $0.spoolFault) }
    if let spoolFault { throw .failed(spoolFault.problem) }
    let (opening, closing) = entry.halves
    try sink(opening)
    var text = HARBodyText(isText: entry.bodyIsText, secrets: secrets)
    while let bytes = try nextBytes() {
      try sink(text.append(bytes))
    }
    // A body that was cut short may end with the beginning of a secret. A whole body stays unchanged for a replay.
    try sink(text.finish(isCut: entry.fault != nil))
    try sink(closing)
  }

  private func nextBytes() throws(FileError) -> [UInt8]? {
    do {
      return try spool.next()
    } catch {
      throw .failed(error.problem)
    }
  }
}
