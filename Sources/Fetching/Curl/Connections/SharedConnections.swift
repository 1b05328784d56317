/// Facts about the connections in use, by libcurl's numbers.
///
/// A connection that serves several requests tells more than one request does. It shows whether the server still sends,
/// and whether a missing answer is due to the connection or to the request.
struct SharedConnections {
  private struct Connection {
    var isShared = false
    /// The time of the last bytes for any request.
    var heard: SuspendingClock.Instant?
  }

  private var connections: [UInt32: Connection] = [:]

  /// Notes that a request uses a connection.
  mutating func join(_ number: UInt32) {
    if connections[number] == nil { connections[number] = Connection() } else { connections[number]?.isShared = true }
  }

  mutating func heard(_ number: UInt32, at time: SuspendingClock.Instant) {
    connections[number]?.heard = time
  }

  /// True if several requests have used a connection.
  func isShared(_ number: UInt32) -> Bool { connections[number]?.isShared ?? false }

  /// True if bytes have come on a connection since a time.
  func hasSpoken(_ number: UInt32, since time: SuspendingClock.Instant) -> Bool {
    connections[number]?.heard.map { $0 > time } ?? false
  }

  /// Forgets all connections, when no request is in progress.
  mutating func clear() {
    if !connections.isEmpty { connections.removeAll(keepingCapacity: true) }
  }
}
