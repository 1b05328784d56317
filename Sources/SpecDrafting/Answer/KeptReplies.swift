// Each request is sent only once, although a draft is tried several times on the same answers.

import Primitives
import Fetching
import JSONText
import Synchronization
import Wire

/// Keeps redirects and successful replies whole, and answers the same requests from them.
final class KeptReplies: HTTPTransport {
  struct Kept: Sendable {
    let head: ReplyHead
    let bytes: [UInt8]
    var trailers = HTTPFields()

    /// The form of a body that is a gzip file (RFC 1952 §2.3.1) or a zip archive; nil for any other.
    var packing: Request.Packing? { Request.Packing(of: bytes) }

    /// The reply with its body as UTF-8.
    var decoded: Kept {
      let charset = head.fields.charset
      return Kept(
        head: head, bytes: TextDecoder.text(of: bytes, charset: charset, isJSON: true), trailers: trailers)
    }

    /// Returns the reply with the content of the packed file.
    func unpacked() throws(ReplayError) -> Kept {
      Kept(head: head, bytes: try HARFile.content(of: bytes, name: head.url.redacted))
    }
  }

  fileprivate struct Key: Hashable {
    let method: String
    let url: String
    let body: [UInt8]
    /// The cursor, if a header field carries it.
    let cursor: String?

    init(_ request: Request) {
      // A pager may move an item to the end of the query, and encode it in another way.
      let text = request.url.text
      let items = URLItem.all(in: text).map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.sorted()
      (method, body) = (request.method, request.body?.bytes ?? [])
      url = "\(text[..<URLParts(text).path.endIndex])?\(items.joined(separator: "&"))"
      cursor = request.cursorField.flatMap { request.fields[$0] }
    }
  }

  private struct State {
    var replies: [Key: Kept] = [:]
    /// The requests that were sent, except those to which a redirect led.
    var sent: Set<Key> = []
    var first: Kept?
    var last: Kept?
    var refusal: ReplyHead?
    var count = 0
    /// The request in progress.
    var pending: String?
    /// True after a redirect: the next request belongs to the one before.
    var isRedirected = false
    var expectsFirst = false
    var usedFirst = false

    /// Returns the reply that has come already; nil if the request must be sent.
    mutating func known(_ key: Key) -> Kept? {
      defer { expectsFirst = false }
      if let kept = replies[key] { return kept }
      guard expectsFirst, let first else { return nil }
      (replies[key], usedFirst) = (first, true)
      return first
    }

    /// Notes a request that is sent; false if it would be one too many.
    mutating func begins(_ key: Key, limit: Int?) -> Bool {
      if isRedirected || sent.contains(key) { return true }
      if let limit, sent.count >= limit { return false }
      sent.insert(key)
      return true
    }
  }

  /// Limit for the bytes of a page: a draft is made from pages that people look at.
  private static let mostBytes = 64 << 20

  private let next: any HTTPTransport
  private let limit: Int?
  private let state = Locked(State())

  /// - Parameter limit: the number of different requests that may be sent; nil for any number. Retries and redirects
  ///   don't count.
  init(over next: any HTTPTransport, limit: Int?) {
    (self.next, self.limit) = (next, limit)
  }

  /// The last reply with a status of success; nil if there was none.
  var last: Kept? { state.withLock { $0.last } }
  /// The last reply with a status of failure; nil if there was none.
  var refusal: ReplyHead? { state.withLock { $0.refusal } }
  /// True if the first page stood in for a request that was not sent.
  var usedFirst: Bool { state.withLock { $0.usedFirst } }
  /// True if another request may be sent.
  var mayAskMore: Bool { state.withLock { state in limit.map { state.sent.count < $0 } ?? true } }
  /// Number of requests that were really sent.
  var requestCount: Int { state.withLock { $0.count } }

  /// Method and URL of the request whose reply is pending or being read, without secrets.
  var pending: String? { state.withLock { $0.pending } }

  /// A transport that answers each of the requests that were made once by its reply, and all others by the network.
  var firstOnes: any HTTPTransport { FirstReplies(over: next, state.withLock { $0.replies }) }

  /// Answers the next request by the first page, unless its own reply is known.
  func expectFirst() { state.withLock { ($0.expectsFirst, $0.usedFirst) = (true, false) } }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let key = Key(request)
    // A further attempt is made since the reply that is kept can't be read.
    if request.purpose.attempt == 1, let kept = state.withLock({ $0.known(key) }) {
      return try Self.reply(kept, to: request)
    }
    guard state.withLock({ $0.begins(key, limit: limit) }) else {
      throw TransportError(.other, url: request.url, problem: "not requested, since 'new' makes only two requests")
    }
    state.withLock { ($0.count, $0.pending) = ($0.count + 1, "\(request.method) \(request.url.redacted)") }
    defer { state.withLock { $0.pending = nil } }
    let reply = try await next.send(request)
    let isRedirect = (300..<400).contains(reply.head.status)
    state.withLock { $0.isRedirected = isRedirect }
    guard isRedirect || (200..<300).contains(reply.head.status) else {
      if reply.head.status >= 400 { state.withLock { $0.refusal = reply.head } }
      return reply
    }
    var bytes: [UInt8] = []
    while let chunk = try await reply.body.next() {
      bytes += chunk
      guard bytes.count <= Self.mostBytes else {
        reply.body.cancel()
        throw TransportError(
          .tooLarge, url: request.url,
          problem: "the page has more than \(Self.mostBytes >> 20) MB: too much for a draft")
      }
    }
    let kept = Kept(head: reply.head, bytes: bytes, trailers: reply.body.trailers)
    state.withLock { state in
      state.replies[key] = kept
      if !isRedirect { (state.first, state.last) = (state.first ?? kept, kept) }
    }
    return Reply(head: kept.head, body: KeptBody(kept), exchange: reply.exchange)
  }

  /// Returns a kept reply; a body that is a gzip file is unpacked if the request wants that.
  fileprivate static func reply(_ kept: Kept, to request: Request) throws(TransportError) -> Reply {
    guard let packing = request.packing, kept.packing == packing else {
      return Reply(head: kept.head, body: KeptBody(kept))
    }
    do {
      return Reply(head: kept.head, body: KeptBody(try kept.unpacked()))
    } catch {
      throw TransportError(.cut, url: request.url, problem: error.problem)
    }
  }
}

/// Gives each kept reply once, so that a run does not repeat the requests before it.
private final class FirstReplies: HTTPTransport {
  private let next: any HTTPTransport
  private let replies: Locked<[KeptReplies.Key: KeptReplies.Kept]>

  init(over next: any HTTPTransport, _ replies: [KeptReplies.Key: KeptReplies.Kept]) {
    self.next = next
    self.replies = Locked(replies)
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let key = KeptReplies.Key(request)
    if let kept = replies.withLock({ $0.removeValue(forKey: key) }) { return try KeptReplies.reply(kept, to: request) }
    return try await next.send(request)
  }
}

/// A body that is available as a whole.
private final class KeptBody: ReplyBody {
  private let bytes: Locked<[UInt8]?>
  let trailers: HTTPFields

  init(_ kept: KeptReplies.Kept) {
    bytes = Locked(kept.bytes)
    trailers = kept.trailers
  }

  func next() async throws(TransportError) -> [UInt8]? {
    bytes.withLock { bytes in
      defer { bytes = nil }
      return bytes?.isEmpty == true ? nil : bytes
    }
  }

  func cancel() {}
}
