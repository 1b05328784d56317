// Answers from a recording: no network, and always the same result.

import JSONText
import Primitives
import Synchronization
package import Wire

/// Answers requests from a HAR file, for `--replay`.
///
/// Answers are found by method, URL, body and a cursor in a header field, in their redacted form. Repeated requests of a
/// job with the same header fields get their answers in order. A recorded failure happens again, also in the middle of a
/// body. A redirect is a normal answer, after which another request follows.
package final class ReplayTransport: HTTPTransport {
  /// The recording's start in Unix seconds, which is `now` in a replay; nil if the file has no times.
  package let start: Int?
  private let name: String
  private let answers: [HARAnswer]
  private let isResumed: Bool
  private let index: Locked<ReplayIndex>

  /// Parses a HAR file, which may be packed.
  ///
  /// - Parameter name: name of the file, for messages.
  package init(har bytes: [UInt8], name: String) throws(ReplayError) {
    let reader = try HARReader(HARFile.text(bytes, name: name), name: name)
    self.name = name
    (answers, isResumed) = (reader.answers, reader.isResumed)
    start = reader.start.map { Int($0.rounded(.down)) }
    index = Locked(ReplayIndex(reader.answers))
  }

  package func send(_ request: Request) async throws(TransportError) -> Reply {
    try reply(try answer(to: request), to: request)
  }

  private func answer(to request: Request) throws(TransportError) -> HARAnswer {
    let (method, url) = (request.method, request.url.redacted)
    let cursor = request.cursorField.map { name in
      (name: name, value: request.fields.all.first { $0.isNamed(name) }?.value.redacted ?? "")
    }
    let caller = ReplayCaller(request)
    let finding = index.withLock {
      $0.take(method: method, url: url, body: request.body?.redacted, cursor: cursor, by: caller)
    }
    let asked = "\(method) \(url.clipped)"
    var problem: String
    switch finding {
    case .found(let number): return answers[number]
    case .exhausted(let count):
      problem =
        "'\(name)' has \(count == 1 ? "one answer" : "\(count) answers") to \(asked), and it was asked once more"
    case .otherBody(let body):
      problem = "'\(name)' has \(asked) \(body.isEmpty ? "without a body only" : "with another body: \(body.clipped)")"
    case .otherCursor(let field):
      problem = "'\(name)' has \(asked) only with other cursors in the header '\(field)'"
    case .missing(let nearest?):
      problem = "'\(name)' has no answer to \(asked); the nearest it has is \(nearest.clipped)"
    case .missing(nil):
      problem = "'\(name)' has no answer to \(asked)\(answers.isEmpty ? ", nor any other" : "")"
    }
    if isResumed { problem += "; it was recorded with --resume, and begins where the run before it stopped" }
    throw TransportError(.noAnswer, url: request.url, problem: problem)
  }

  private func reply(_ answer: HARAnswer, to request: Request) throws(TransportError) -> Reply {
    let url = request.url
    let failure = failure(of: answer, url: url)
    guard answer.status > 0 else {
      throw failure
        ?? TransportError(
          .other, url: url, problem: "the request got no answer when '\(name)' was recorded; record it again")
    }
    guard let bytes = answer.body else {
      throw TransportError(
        .other, url: url, problem: "'\(name)' has the answer's head, but not its body; record it again")
    }
    var head = ReplyHead(status: answer.status, fields: HTTPFields(recorded: answer.fields), url: url)
    (head.peer, head.hasOpenEnd) = (answer.peer, answer.hasOpenEnd)
    let body = ReplayBody(
      bytes, trailers: HTTPFields(recorded: answer.trailers), failure: failure, limit: request.bodyLimit, url: url)
    // Bodies that pagecat records are unpacked; a browser's recording has the packed file.
    let isPacked = request.packing != nil && RequestSettings.Packing(of: bytes) == request.packing
    return Reply(
      head: head, body: isPacked ? DecodedBody.unpacking(body, head, of: request, isCoded: false) : body)
  }

  private func failure(of answer: HARAnswer, url: Redactable) -> TransportError? {
    guard let problem = answer.error else { return nil }
    let kind = answer.errorKind.flatMap { TransportError.Kind(rawValue: $0) } ?? (answer.status > 0 ? .cut : .other)
    return TransportError(kind, url: url, problem: problem)
  }
}

extension HTTPFields {
  fileprivate init(recorded fields: [(name: String, value: String)]) {
    self.init(fields.map { Field(name: $0.name, value: Redactable($0.value)) })
  }
}

extension String {
  /// The text, shortened for a message.
  fileprivate var clipped: String {
    count <= 400 ? self : prefix(400) + "…"
  }
}

/// A recorded body, in pieces as from a network.
private final class ReplayBody: ReplyBody {
  private let bytes: [UInt8]
  let trailers: HTTPFields
  private let failure: TransportError?
  private let limit: Int
  private let url: Redactable
  private let offset = Locked(0)
  private static let piece = 1 << 16

  init(_ bytes: [UInt8], trailers: HTTPFields, failure: TransportError?, limit: Int, url: Redactable) {
    (self.bytes, self.trailers) = (bytes, trailers)
    self.failure = failure
    self.limit = limit
    self.url = url
  }

  func next() async throws(TransportError) -> [UInt8]? {
    let range = offset.withLock { offset in
      let start = offset
      offset = min(bytes.count, start + Self.piece)
      return start..<offset
    }
    guard range.upperBound <= limit else {
      throw TransportError(.tooLarge, url: url, problem: Request.tooLong(limit))
    }
    if !range.isEmpty { return Array(bytes[range]) }
    if let failure { throw failure }
    return nil
  }

  func cancel() {
    offset.withLock { $0 = bytes.count }
  }
}

// MARK: The recorded answers to requests with the same method, URL and body

/// Recorded answers in order, and who asked for them.
struct ReplayQueue: Sendable {
  let body: String
  private(set) var answers: [Int] = []
  /// True for the answers that a replay has given, or passed over.
  private var isUsed: [Bool] = []
  /// The senders of the recorded requests; empty before the first lookup, since header fields are not decoded before.
  private var callers: [ReplayCaller] = []
  /// Names of the header fields in which the callers differ.
  private var names: [String] = []
  /// Positions of the answers to one caller, by its key, and those of all answers, by nil; used ones at the start are
  /// left out.
  private var positions: [String?: ArraySlice<Int>] = [:]

  init(body: String) {
    self.body = body
  }

  /// Adds an answer; must be called before the first lookup.
  mutating func append(_ answer: Int) {
    answers.append(answer)
    isUsed.append(false)
  }

  /// The answers that are not used, in order.
  var rest: [Int] { answers.indices.filter { !isUsed[$0] }.map { answers[$0] } }

  /// Returns the next answer to a caller, or to any caller; nil if there is none.
  ///
  /// What the recording masked, or a field that the request lacks, fits the recorded value, whatever it is.
  mutating func next(for caller: ReplayCaller?, of recorded: [HARAnswer]) -> Int? {
    divide(recorded)
    guard let caller else { return next(at: nil, of: recorded) }
    var refusal: Int?
    for job in [caller.job, ""] where refusal == nil {
      guard let number = next(at: caller.key(job: job, names), of: recorded) else { continue }
      guard recorded[number].isRefusal else { return number }
      refusal = number
    }
    // After a refusal, the same request may have been sent again with other fields.
    let start = refusal.flatMap(answers.firstIndex) ?? 0
    let fitting = answers.indices[start...].filter { !isUsed[$0] && caller.fits(callers[$0], names) }
    if refusal != nil, let first = fitting.first, recorded[answers[first]].isCancelled { return refusal }
    return next(among: fitting[...], of: recorded) ?? refusal
  }

  private mutating func next(at key: String?, of recorded: [HARAnswer]) -> Int? {
    guard var known = positions[key] else { return nil }
    known = known.drop { isUsed[$0] }
    positions[key] = known
    return next(among: known, of: recorded)
  }

  /// Returns the first answer that is not used, without each 401 that is followed by another answer.
  ///
  /// The recorded run renewed its token after such a 401. A replay has no token. It may also send equal requests in
  /// another order, and must not take the 401s of two requests for the refusal of one.
  private mutating func next(among known: ArraySlice<Int>, of recorded: [HARAnswer]) -> Int? {
    var refused: Int?
    for position in known where !isUsed[position] {
      let answer = recorded[answers[position]]
      if let refused, answer.isCancelled { return use(refused) }
      if let refused { isUsed[refused] = true }
      refused = nil
      guard answer.isRefusal else { return use(position) }
      refused = position
    }
    return refused.map { use($0) }
  }

  private mutating func use(_ position: Int) -> Int {
    isUsed[position] = true
    return answers[position]
  }

  private mutating func divide(_ recorded: [HARAnswer]) {
    guard callers.isEmpty else { return }
    callers = answers.map { ReplayCaller(recorded[$0]) }
    names = ReplayCaller.differences(of: callers)
    for (position, caller) in callers.enumerated() {
      positions[caller.key(job: caller.job, names), default: []].append(position)
    }
    positions[nil] = Array(answers.indices)[...]
  }
}

/// The sender of a request: tells requests with the same method, URL and body apart.
///
/// A secret in a URL is `***` in a recording, so that different URLs may look the same there. Header fields, and the
/// credentials of a job, are no part of a URL at all.
struct ReplayCaller: Sendable {
  /// Name of the job; empty if the recording does not tell the job.
  let job: String
  /// Redacted values of the header fields, by their names in lower case.
  private let fields: [String: String]

  private init(job: String, fields: [(name: String, value: String)]) {
    self.job = job
    self.fields = Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { "\($0)\n\($1)" }
  }

  /// Creates the caller of a request in a replay.
  init(_ request: Request) {
    let fields = request.fields.all.map { ($0.name, $0.isAlwaysSecret ? "***" : $0.value.redacted) }
    self.init(job: request.purpose.job, fields: fields)
  }

  /// Creates the caller of a recorded request.
  init(_ recorded: HARAnswer) {
    let fields = recorded.requestFields?.elements.map { ($0["name"]?.string ?? "", $0["value"]?.string ?? "") }
    self.init(job: recorded.job ?? "", fields: fields ?? [])
  }

  /// Returns the names of the header fields in which some callers differ.
  static func differences(of callers: [ReplayCaller]) -> [String] {
    guard let first = callers.first else { return [] }
    let others = callers.filter { $0.fields != first.fields }
    let names = Set(([first] + others).flatMap(\.fields.keys))
    return names.filter { name in others.contains { $0.fields[name] != first.fields[name] } }.sorted()
  }

  /// Returns a text that is the same for callers of one job with the same values in these header fields.
  func key(job: String, _ names: [String]) -> String {
    ([job] + names.map { fields[$0] ?? "" }).joined(separator: "\0")
  }

  /// Reports that a recorded request may be this one's, as far as the request tells: of the same job, if the recording
  /// names jobs, and with the same values in these header fields, if they are known.
  func fits(_ recorded: ReplayCaller, _ names: [String]) -> Bool {
    guard recorded.job.isEmpty || recorded.job == job else { return false }
    return names.allSatisfy { name in
      guard let value = fields[name] else { return true }
      return (recorded.fields[name] ?? "").matches(masked: value)
    }
  }
}
