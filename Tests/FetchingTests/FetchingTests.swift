// What the tests of this room share.

import Fetching
import TestSupport
import Wire

extension Request {
  /// A request that has the time that this machine takes: a server may wait for the test, and the test for its turn.
  static func get(_ url: String) -> Request { Request(method: "GET", url: Masked(url), timeout: .seconds(3_600)) }
}

extension ReplyBody {
  /// Everything to the end.
  func all() async throws(TransportFault) -> [UInt8] {
    var all: [UInt8] = []
    while let bytes = try await next() { all += bytes }
    return all
  }

  func text() async throws(TransportFault) -> String { String(decoding: try await all(), as: UTF8.self) }
}

extension Exchanger {
  /// The whole reply, or the fault of its head or body.
  func fetch(_ request: Request) async throws(TransportFault) -> (head: ReplyHead, text: String) {
    let reply = try await exchange(request)
    return (reply.head, try await reply.body.text())
  }

  /// The fault that a request ends in.
  func fault(of request: Request) async -> TransportFault? {
    do {
      _ = try await fetch(request)
      return nil
    } catch {
      return error
    }
  }
}
