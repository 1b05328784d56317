// The clock of retries, which tests and replays replace.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A clock that can sleep.
package protocol FetchClock: Sendable {
  /// Time since a fixed moment; it never decreases.
  var now: Duration { get }
  /// Wall-clock time in Unix seconds.
  var unixTime: Double { get }
  /// Returns after the duration, or throws as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError)
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

  /// The duration for messages, rounded up: `12 s`, `1.5 s`, `5 min`, `1 h 30 min`, `24 h`.
  ///
  /// A user who came back too early would have to wait again.
  package var spoken: String {
    if self < .seconds(10) {
      let tenths = Int((inSeconds * 10).rounded(.up))
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(Double(tenths) / 10) s"
    }
    let seconds = Int(min(inSeconds, 1e15).rounded(.up))
    if seconds < 120 { return "\(seconds) s" }
    let minutes = (seconds + 59) / 60
    if minutes < 60 { return "\(minutes) min" }
    return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
