/// The outcome of a run.
public enum Verdict: String, Sendable, Hashable {
  /// Every record came.
  case complete
  /// A limit that the user gave ended the run, or a response says that there is more.
  case capped
  /// The run ended normally, but with fewer records than the server's own totals.
  case short
  /// Input records were left out or answered empty.
  case partial
  /// The run ended early.
  case failed
}
