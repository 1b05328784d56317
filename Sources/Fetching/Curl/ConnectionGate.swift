// Requests that wait for a connection that they may share.

import Wire

/// Requests with equal keys may use the same connection.
struct ConnectionKey: Hashable {
  let origin: Origin
  let tlsFiles: TLSFiles?
}

/// Holds requests back while the first connection to their origin is made.
///
/// Only then it is known whether the server speaks HTTP/2. An origin whose server speaks HTTP/1.1 is remembered, and
/// its requests are not held back again.
///
/// libcurl's own wait (CURLOPT_PIPEWAIT) makes connections of HTTP/1.1 one after the other, and lets waiting requests
/// go one by one.
struct ConnectionGate<Transfer: AnyObject> {
  private struct Held {
    let transfer: Transfer
    let key: ConnectionKey
    let deadline: SuspendingClock.Instant
  }

  /// The longest time that a request is held back.
  ///
  /// A connection that takes longer may never be made, and each request has its own limit for that.
  static var longestHold: Duration { .seconds(1) }
  /// The most origins that are remembered.
  private static var mostOrigins: Int { 1_024 }

  private var held: [Held] = []
  private var unshared: Set<ConnectionKey> = []

  /// Returns the key of a request that may share its connection; nil for one that may not.
  func key(of request: Request) -> ConnectionKey? {
    // Look at one letter first: most of the cost is the parsing.
    guard request.mayBeRepeated, !request.refusesHTTP2, let letter = request.url.text.utf8.dropFirst(4).first,
      letter | 0x20 == UInt8(ascii: "s"), let origin = Origin(of: request.url.text)
    else { return nil }
    let key = ConnectionKey(origin: origin, tlsFiles: request.ownTLSFiles)
    return unshared.contains(key) ? nil : key
  }

  /// Notes that a server speaks HTTP/1.1.
  mutating func cannotShare(_ key: ConnectionKey) {
    if unshared.count >= Self.mostOrigins { unshared = [] }
    unshared.insert(key)
  }

  mutating func hold(_ transfer: Transfer, for key: ConnectionKey, now: SuspendingClock.Instant) {
    held.append(Held(transfer: transfer, key: key, deadline: now + Self.longestHold))
  }

  /// Drops a transfer that was cancelled.
  mutating func drop(_ transfer: Transfer) {
    held.removeAll { $0.transfer === transfer }
  }

  /// Returns the requests that need not wait any longer, in the order in which they came.
  ///
  /// - Parameter connecting: keys whose first connection is still being made.
  mutating func release(now: SuspendingClock.Instant, except connecting: Set<ConnectionKey>) -> [Transfer] {
    guard !held.isEmpty else { return [] }
    let released = held.filter { now >= $0.deadline || !connecting.contains($0.key) }
    held.removeAll { one in released.contains { $0.transfer === one.transfer } }
    return released.map(\.transfer)
  }

  /// Removes and returns all requests.
  mutating func empty() -> [Transfer] {
    defer { held = [] }
    return held.map(\.transfer)
  }

  /// The keys of the requests that are held back.
  var keys: Set<ConnectionKey> { held.isEmpty ? [] : Set(held.map(\.key)) }

  /// The end of the first hold; nil if nothing is held.
  var deadline: SuspendingClock.Instant? { held.first?.deadline }
}

/// Facts about the connections in use, by libcurl's numbers.
///
/// A connection that serves several requests tells more than one request does. It shows whether the server still sends,
/// and whether a missing answer is due to the connection or to the request.
struct SharedConnections {
  private struct Connection {
    var isShared = false
    /// The time of the last bytes for any request.
    var lastReceived: SuspendingClock.Instant?
  }

  private var connections: [UInt32: Connection] = [:]

  /// Notes that a request uses a connection.
  mutating func join(_ number: UInt32) {
    if connections[number] == nil { connections[number] = Connection() } else { connections[number]?.isShared = true }
  }

  mutating func received(_ number: UInt32, at time: SuspendingClock.Instant) {
    connections[number]?.lastReceived = time
  }

  /// True if several requests have used a connection.
  func isShared(_ number: UInt32) -> Bool { connections[number]?.isShared ?? false }

  /// True if bytes have come on a connection since a time.
  func hasSpoken(_ number: UInt32, since time: SuspendingClock.Instant) -> Bool {
    connections[number]?.lastReceived.map { $0 > time } ?? false
  }

  /// Forgets all connections, when no request is in progress.
  mutating func clear() {
    if !connections.isEmpty { connections.removeAll(keepingCapacity: true) }
  }
}
