import Fetching
package import Files
package import JSONText
import Primitives
import Synchronization
package import Wire

/// What the consecutive runs of one command share: connections, tokens, rates, replies of a recording, and the recording
/// that they write.
///
/// So each account logs in once, and a `rate` holds across the runs.
package final class RunSeries: Sendable {
  private struct Shared: Sendable {
    var network: CurlTransport?
    var replay: ReplayTransport?
    var rateLimiter: RateLimiter?
    /// The rates of all runs, also of those to come.
    var rates: [(origin: Origin, rate: Rate)] = []
    var recorder: RecordingTransport?
  }

  /// Every secret of any run.
  let secrets: SecretStore
  let tokens = TokenMemory()
  private let shared = Locked(Shared())

  /// - Parameter secrets: takes every secret of any run.
  package init(hiding secrets: SecretStore) {
    self.secrets = secrets
  }

  /// Returns the connections, and makes them for the first run.
  func network(_ make: () -> CurlTransport) -> CurlTransport {
    shared.withLock { shared in
      let network = shared.network ?? make()
      shared.network = network
      return network
    }
  }

  /// Returns the replies of a recording, each of which answers one request of all runs.
  func replay<Failure: Error>(_ make: () throws(Failure) -> ReplayTransport) throws(Failure) -> ReplayTransport {
    if let replay = shared.withLock(\.replay) { return replay }
    let replay = try make()
    shared.withLock { $0.replay = replay }
    return replay
  }

  /// Adds a rate, which holds from the first run on.
  func limit(_ origin: Origin, to rate: Rate) { shared.withLock { $0.rates.append((origin, rate)) } }

  /// Returns the limiter, and makes it for the first run.
  func rateLimiter(_ make: () -> RateLimiter) -> RateLimiter {
    shared.withLock { shared in
      if let limiter = shared.rateLimiter { return limiter }
      let limiter = make()
      for (origin, rate) in shared.rates { limiter.limit(origin, to: rate) }
      shared.rateLimiter = limiter
      return limiter
    }
  }

  /// Returns the recording, and begins it for the first run.
  func recorder(_ make: () throws(FileError) -> RecordingTransport) throws(FileError) -> RecordingTransport {
    if let recorder = shared.withLock(\.recorder) { return recorder }
    let recorder = try make()
    shared.withLock { $0.recorder = recorder }
    return recorder
  }

  /// Completes the recording of all runs, if there is one.
  package func closeRecording(run outcome: JSONValue) throws(FileError) {
    try shared.withLock(\.recorder)?.close(run: outcome)
  }
}
