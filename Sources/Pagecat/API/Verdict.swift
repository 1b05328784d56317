import Synchronization

/// How a run ended.
package enum Verdict: String, Sendable {
  /// Everything there was came out.
  case complete
  /// A limit that was asked for ended it.
  case capped
  /// It ended as usual, with less than the server's own totals say.
  case short
  /// Input records were left out or answered empty.
  case partial
  case failed
}
