// Limits that nginx can't set: one that changes, one that says what remains, and a server that can do only so much.

import Dispatch
import Foundation
import Synchronization
import TestSupport

/// Answers below each limit's name as a server with that limit; each path is a server of its own.
final class LimitedServer: Sendable {
  /// A limit of the server, by its path.
  enum Limit: String, CaseIterable {
    /// 100 a second at first, then 200.
    case rising
    /// 100 a second at first, then 50.
    case falling
    /// 100 in each second, with `RateLimit-Remaining` and `RateLimit-Reset`; 429 beyond.
    case window
    /// Ten requests at once, each of 50 ms; 503 beyond.
    case busy
    /// The same, with `Retry-After: 1`.
    case busyTold

    /// The shortest time for so many requests, in seconds.
    ///
    /// - Parameter atOnce: number of requests that the clients have in flight.
    func leastSeconds(requests: Int, atOnce: Int) -> Double {
      let rest = Double(requests) - 100 * LimitedServer.change
      switch self {
      case .rising: return rest < 0 ? Double(requests) / 100 : LimitedServer.change + rest / 200
      case .falling: return rest < 0 ? Double(requests) / 100 : LimitedServer.change + rest / 50
      case .window: return Double(requests) / 100 - 1
      case .busy, .busyTold:
        return Double(requests) * LimitedServer.work / Double(min(LimitedServer.most, atOnce))
      }
    }
  }

  private struct State {
    var first: Double?
    var last = 0.0
    /// Requests that are accepted at once.
    var tokens = 20.0
    var window = 0
    var used = 0
    var busy = 0
  }

  /// Seconds after the first request at which a limit changes.
  fileprivate static let change = 5.0
  /// Seconds that a busy server needs for a request.
  fileprivate static let work = 0.05
  /// Requests that a busy server does at once.
  fileprivate static let most = 10

  private let server: LoopbackServer
  var origin: String { server.origin }

  init() throws {
    let states = Mutex<[String: State]>([:])
    server = try LoopbackServer { request in
      let name = request.path.split(separator: "/").first.map(String.init) ?? ""
      guard let limit = Limit(rawValue: name) else { return .status(404) }
      let now = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
      let answer = states.withLock { Self.answer(limit, now, &$0[request.path, default: State()]) }
      guard answer == nil else { return answer! }
      Thread.sleep(forTimeInterval: Self.work)
      states.withLock { $0[request.path, default: State()].busy -= 1 }
      return .json(#"{"name":"x"}"#)
    }
  }

  /// Returns the answer, or nil if the server is at work.
  private static func answer(_ limit: Limit, _ now: Double, _ state: inout State) -> Answer? {
    let begun = state.first ?? now
    state.first = begun
    switch limit {
    case .rising, .falling:
      let rate = now - begun < change ? 100.0 : limit == .rising ? 200 : 50
      state.tokens = min(20, state.tokens + (now - (state.last == 0 ? now : state.last)) * rate)
      state.last = now
      guard state.tokens >= 1 else { return .status(429) }
      state.tokens -= 1
    case .window:
      if Int(now - begun) > state.window { (state.window, state.used) = (Int(now - begun), 0) }
      state.used += 1
      let rest = "\(max(0, 100 - state.used))"
      return .json(
        #"{"name":"x"}"#, status: state.used > 100 ? 429 : 200,
        fields: ["RateLimit-Limit": "100", "RateLimit-Remaining": rest, "RateLimit-Reset": "1"])
    case .busy, .busyTold:
      guard state.busy < most else { return .status(503, fields: limit == .busy ? [:] : ["Retry-After": "1"]) }
      state.busy += 1
      return nil
    }
    return .json(#"{"name":"x"}"#)
  }
}
