import Primitives
import Synchronization
import Wire

/// One request that was sent, and its reply.
///
/// An exchange ends by `finish()`, or when it is released, so that no code path can forget its end.
package final class OpenExchange: Sendable {
  /// The end of an exchange: its reply, its size and its time.
  package struct Outcome: Sendable {
    /// Nil if no reply came.
    package var status: Int?
    /// Number of decoded bytes of the body that were read.
    package var bytes = 0
    /// Number of records of the page; nil if the reply brought no page.
    package var records: Int?
    /// Description of the transport's failure; it may contain secrets.
    package var problem: String?
    package var duration: Duration = .zero
  }

  private let request: Request
  private let observer: any TransportObserver
  private let start = ContinuousClock.now
  private let outcome = Locked<Outcome?>(Outcome())

  init(_ request: Request, observer: any TransportObserver) {
    self.request = request
    self.observer = observer
    observer.willSend(request)
  }

  deinit { finish() }

  /// Reports the outcome; only the first call counts.
  package func finish() {
    let ended: Outcome? = outcome.withLock { outcome in
      defer { outcome = nil }
      return outcome
    }
    guard var ended else { return }
    ended.duration = ContinuousClock.now - start
    observer.didEnd(ended, of: request)
  }

  /// Notes facts of the outcome as they become known, until the end.
  package func update(_ change: (inout Outcome) -> Void) {
    outcome.withLock { outcome in
      guard var changed = outcome else { return }
      change(&changed)
      outcome = changed
    }
  }

  /// Withdraws a request of which nothing was sent.
  func wasNotSent() {
    outcome.withLock { $0 = nil }
    observer.wasNotSent(request)
  }
}
