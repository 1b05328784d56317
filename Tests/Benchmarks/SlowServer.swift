// A server that takes its time: what is measured is how well a fan-out keeps its requests in flight.

import Foundation
import TestSupport

/// Answers `/list` at once with 500 records, and a request for each of them after 50 ms.
final class SlowServer {
  private static let requests = 500
  private static let seconds = 0.05

  private let server: LoopbackServer

  init() throws {
    let records = (1...Self.requests).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    server = try LoopbackServer { request in
      if request.path == "/list" { return .json("[\(records)]") }
      Thread.sleep(forTimeInterval: Self.seconds)
      return .json(#"{"price":1.5}"#)
    }
  }

  var list: String { server.url("/list") }

  /// The list, and a request for each of its records.
  func spec(concurrency: Int) -> String {
    """
    base: \(server.origin)/
    steps:
      - endpoint: list
      - endpoint: price/${input.id}
        concurrency: \(concurrency)
    """
  }

  /// What all the waiting takes when so many wait at a time.
  func leastSeconds(concurrency: Int) -> Double { Double(Self.requests) / Double(concurrency) * Self.seconds }
}
