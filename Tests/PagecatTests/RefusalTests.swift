import Files
import Primitives
import FetchPlan
import Synchronization
import Testing
import Wire

@testable import Fetching
@testable import Engine

@Suite("The body of a status that brings nothing")
struct RefusalTests {
  private static let long = "k" + String(repeating: "0123456789", count: 30)

  static let bodies: [(piece: String, count: Int, breaks: Bool, redacted: String)] = [
    ("you sent sesame/op", 1, true, "you sent ***"), ("you sent sesame%2", 1, true, "you sent ***"),
    ("you sent sesame/op", 1, false, "you sent sesame/op"),
    // Of this one more is there than is read, and masked it is short.
    (long, 40, false, String(repeating: "***", count: 28)),
  ]

  @Test("shows no beginning of a secret where it breaks off or is given up", arguments: bodies)
  func cut(piece: String, count: Int, breaks: Bool, redacted: String) async {
    let body = BrokenBody(String(repeating: piece, count: count), breaks: breaks)
    let fetcher = PageFetcher(
      transport: NoTransport(), retrier: Retrier(rateLimiter: RateLimiter(), clock: VirtualClock(start: 0)),
      report: Report(warn: { _ in }, tell: { _, _ in }), secrets: SecretStore(["sesame/open", Self.long]),
      spool: { Spool() })
    let head = ReplyHead(status: 400, fields: HTTPFields([]), url: Redactable("https://x.test/"))
    let refusal = await fetcher.refusal(of: Reply(head: head, body: body), page: 1)
    let message = "invalidResponseStatus: status 400 from https://x.test/ (page 1): \(redacted)"
    #expect(refusal.failure.description == message)
  }
}

private struct NoTransport: HTTPTransport {
  func send(_ request: Request) async throws(TransportError) -> Reply {
    throw TransportError(.other, url: request.url, problem: "nobody is there")
  }
}

private final class BrokenBody: ReplyBody {
  private let text: Locked<String?>
  private let breaks: Bool

  init(_ text: String, breaks: Bool) {
    self.text = Locked(text)
    self.breaks = breaks
  }

  func next() async throws(TransportError) -> [UInt8]? {
    if let text = text.withLock({ $0.take() }) { return Array(text.utf8) }
    guard breaks else { return nil }
    throw TransportError(.other, url: Redactable("https://x.test/"), problem: "the connection ended")
  }

  func cancel() {}
}
