// Which token a request was sent with, for a server that refuses it in an answer that only the job understands.

import Synchronization

/// The token of the last attempt of a request, and the one that the server has refused.
package final class TokenTrace: Sendable, Hashable {
  private struct State {
    var used: String?
    var refused: String?
  }

  private let state = Mutex(State())

  package init() {}

  /// Remembers the token of an attempt.
  package func use(_ token: String) { state.withLock { $0.used = token } }

  /// The token that the next attempt must not have.
  package var refused: String? { state.withLock { $0.refused } }

  /// Refuses the token of the last attempt; false if none was sent, or if one was refused before.
  package func refuse() -> Bool {
    state.withLock { state in
      guard state.refused == nil, let used = state.used else { return false }
      state.refused = used
      return true
    }
  }

  package static func == (a: TokenTrace, b: TokenTrace) -> Bool { a === b }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
