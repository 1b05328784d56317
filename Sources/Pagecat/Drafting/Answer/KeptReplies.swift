// Each request is sent only once, although a draft is tried several times on the same answers.

import Primitives
import Fetching
import Synchronization
import Wire

/// Keeps successful replies whole, and answers the same requests from them.
final class KeptReplies: HTTPTransport {
  struct Kept: Sendable {
    let head: ReplyHead
    let bytes: [UInt8]
  }

  private struct Key: Hashable {
    let method: String
    let url: String
    let body: [UInt8]
    /// The cursor, if a header field carries it.
    let cursor: String?

    init(_ request: Request) {
      // A pager may move an item to the end of the query.
      let parts = request.url.text.split(separator: "?", maxSplits: 1)
      let items = parts.dropFirst().first?.split(separator: "&").sorted().joined(separator: "&") ?? ""
      (method, url, body) = (request.method, "\(parts[0])?\(items)", request.body?.bytes ?? [])
      cursor = request.cursorField.flatMap { request.fields[$0] }
    }
  }

  private struct State {
    var replies: [Key: Kept] = [:]
    var last: Kept?
    var count = 0
    /// The request in progress.
    var pending: String?
  }

  /// Limit for the bytes of a page: a draft is made from pages that people look at.
  private static let mostBytes = 64 << 20

  private let next: any HTTPTransport
  private let state = Locked(State())

  init(over next: any HTTPTransport) {
    self.next = next
  }

  /// The last reply with a status of success; nil if there was none.
  var last: Kept? { state.withLock { $0.last } }
  /// Number of requests that were really sent.
  var requestCount: Int { state.withLock { $0.count } }

  /// Method and URL of the request whose reply is pending or being read, without secrets.
  var pending: String? { state.withLock { $0.pending } }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let key = Key(request)
    if let kept = state.withLock({ $0.replies[key] }) { return Reply(head: kept.head, body: KeptBody(kept.bytes)) }
    state.withLock { ($0.count, $0.pending) = ($0.count + 1, "\(request.method) \(request.url.redacted)") }
    defer { state.withLock { $0.pending = nil } }
    let reply = try await next.send(request)
    guard (200..<300).contains(reply.head.status) else { return reply }
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
    let kept = Kept(head: reply.head, bytes: bytes)
    state.withLock { ($0.replies[key], $0.last) = (kept, kept) }
    return Reply(head: kept.head, body: KeptBody(kept.bytes), exchange: reply.exchange)
  }
}

/// A body that is available as a whole.
private final class KeptBody: ReplyBody {
  private let bytes: Locked<[UInt8]?>

  init(_ bytes: [UInt8]) {
    self.bytes = Locked(bytes)
  }

  func next() async throws(TransportError) -> [UInt8]? {
    bytes.withLock { bytes in
      defer { bytes = nil }
      return bytes?.isEmpty == true ? nil : bytes
    }
  }

  func cancel() {}
}
