import Synchronization

/// The outcome of a run.
package enum Verdict: String, Sendable {
  /// Every record was written.
  case complete
  /// A limit that the user gave ended the run, or a response says that there is more.
  case capped
  /// The run ended normally, but with fewer records than the server's own totals.
  case short
  /// Input records were left out or answered empty.
  case partial
  case failed
}
