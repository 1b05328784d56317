// What the tests of this room share.

import Fetching
import TestSupport
import Wire

extension Request {
  /// A request that has the time that this machine takes: a server may wait for the test, and the test for its turn.
  static func get(_ url: String) -> Request { Request(method: "GET", url: Redactable(url), timeout: .seconds(3_600)) }
}

extension ReplyBody {
  /// Everything to the end.
  func all() async throws(TransportError) -> [UInt8] {
    var all: [UInt8] = []
    while let bytes = try await next() { all += bytes }
    return all
  }

  func text() async throws(TransportError) -> String { String(decoding: try await all(), as: UTF8.self) }
}

extension HTTPTransport {
  /// The whole reply, or the fault of its head or body.
  func fetch(_ request: Request) async throws(TransportError) -> (head: ReplyHead, text: String) {
    let reply = try await send(request)
    return (reply.head, try await reply.body.text())
  }

  /// The fault that a request ends in.
  func fault(of request: Request) async -> TransportError? {
    do {
      _ = try await fetch(request)
      return nil
    } catch {
      return error
    }
  }
}

extension RedirectingTransport {
  /// Most tests have no secrets.
  init(_ next: any HTTPTransport) {
    self.init(next, secrets: SecretStore())
  }
}
