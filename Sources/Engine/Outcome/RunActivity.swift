/// The current work of a run, and its progress.
package struct RunActivity: Sendable {
  /// A wait in progress.
  package struct Wait: Sendable {
    package let end: ContinuousClock.Instant
    package let reason: String
  }

  /// The total that the server has announced.
  package enum Total: Sendable, Equatable {
    case pages(Int)
    case records(Int)
  }

  package internal(set) var requests = 0
  /// The wait that ends last.
  package internal(set) var wait: Wait?
  /// Nil if it is not known, or if the run has several streams.
  package internal(set) var total: Total?
}
