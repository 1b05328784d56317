// A web server for tests: on 127.0.0.1, in this process, with a thread a connection, and with every fault that is
// asked of it. It records what it sees.

/// A request as it came to the loopback server.
package struct SeenRequest: Sendable {
  /// The number of the connection that it came on: 0 for the first one accepted.
  package let connection: Int
  package let method: String
  /// Path and query, as sent.
  package let target: String
  /// In order, as sent.
  package let fields: [(name: String, value: String)]
  package let body: [UInt8]

  /// The first value of a field, its name without regard to case.
  package subscript(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The target without its query.
  package var path: String { String(target.prefix { $0 != "?" }) }
}

/// A server on a port of the kernel's choosing.
///
/// It stops when the last reference goes.
///
///     let server = try LoopbackServer { request in
///       request.path == "/coins" ? .json("[1,2]") : .status(404)
///     }
///     … server.url("/coins?page=2") …
///     #expect(server.requests.map(\.target) == ["/coins?page=2"])
///
/// To put replies into another order than requests, hold each with a gate of its own (`Answer.held(by:)`), wait for the
/// requests with `requests(atLeast:)`, and open the gates as you like.
package final class LoopbackServer: Sendable {
  package let port: Int
  private let core: LoopbackCore

  /// - Parameter answer: what to say to a request. Runs on the connection's own thread, so it may block, and several
  ///   run at once.
  package init(_ answer: @escaping @Sendable (SeenRequest) -> Answer) throws {
    core = LoopbackCore(answer)
    port = try core.start()
  }

  /// A server that answers by target (path and query), or by path, or 404.
  package convenience init(_ answers: [String: Answer]) throws {
    try self.init { answers[$0.target] ?? answers[$0.path] ?? .status(404) }
  }

  /// A server that takes connections and never says a word, not of TLS either.
  package init(silent: Void) throws {
    core = LoopbackCore(nil)
    port = try core.start()
  }

  deinit { core.stop() }

  /// Closes the port and every connection.
  package func stop() { core.stop() }

  /// `http://127.0.0.1:PORT`, without a `/` at the end.
  package var origin: String { "http://127.0.0.1:\(port)" }

  /// The same server under another name, which makes it another origin.
  package var neighbour: String { "http://localhost:\(port)" }

  /// The URL of a target that begins with `/`.
  ///
  /// Another name of this machine makes it another origin.
  package func url(_ target: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(target)" }

  /// A port on which nobody listens, to be refused by.
  package static func unusedPort() throws -> Int { try unusedLoopbackPort() }

  /// All requests so far, in the order in which they came.
  package var requests: [SeenRequest] { core.log.value.requests }

  /// Waits until so many requests have come.
  @discardableResult
  package func requests(atLeast count: Int) async -> [SeenRequest] {
    await core.log.when { $0.requests.count >= count }.requests
  }

  /// Connections accepted so far: fewer than requests when they were used again.
  package var connections: Int { core.log.value.accepted }

  /// Waits until so many connections are accepted.
  package func connections(atLeast count: Int) async {
    await core.log.when { $0.accepted >= count }
  }

  /// Waits until so many connections are closed, by either side.
  package func closedConnections(atLeast count: Int) async {
    await core.log.when { $0.closed >= count }
  }

  /// The most requests that were being answered at once.
  package var mostConcurrent: Int { core.log.value.mostInFlight }
}
