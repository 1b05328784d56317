/// The outcome of a run.
public enum Verdict: String, Sendable, Hashable {
  /// Every record came.
  case complete
  /// A limit that the user gave ended the run, and nothing else.
  case capped
  /// The run ended normally, but there is evidence that the records are not the whole set, or not the right one.
  case short
  /// Input records were left out or answered empty.
  case partial
  /// The run ended early.
  case failed
}
