// Answers from a recording: no network, and always the same result.

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
    let isPacked = bytes.starts(with: [0x1F, 0x8B])
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
