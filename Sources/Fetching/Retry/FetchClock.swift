// The time, and waiting for it: the one thing about retries that tests and replays can't do as it is.

import Synchronization
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A clock that can be waited for.
package protocol FetchClock: Sendable {
  /// Time since some moment, which never goes back.
  var now: Duration { get }
  /// What the calendar says, in Unix seconds.
  var unixTime: Double { get }
  /// Returns when so much time has passed, or throws as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws(CancellationError)
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

  /// As people say it: `12 s`, `1.5 s`, `5 min`, `1 h 30 min`, `24 h`. Rounded up: who comes back too early waits again.
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
