// Signs requests when they are sent: a signature is valid for minutes, and a request may wait longer for its slot.

import Primitives
import Wire

/// Signs each request that has a key.
///
/// This layer is inside the rate limit, so that the time in the signature is that of sending. It is outside of what
/// counts and records, so that these see the fields that are really sent.
struct SigningTransport: HTTPTransport {
  private let next: any HTTPTransport
  private let clock: any FetchClock

  init(_ next: any HTTPTransport, clock: any FetchClock) {
    self.next = next
    self.clock = clock
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    guard let key = request.signingKey else { return try await next.send(request) }
    return try await next.send(RequestSigner(key, at: Timestamp(clamping: clock.unixTime)).signed(request))
  }
}
