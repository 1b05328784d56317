import Diagnostics
import FetchPlan
package import Fetching
package import Files
package import JSONText
package import PipelineSpec
package import Primitives
import Synchronization
import Unwrapping
package import Wire

/// The options of a run on the command line.
package struct RunOptions: Sendable {
  /// Name of the specs, for the recording.
  package var name = ""
  /// Parameters `NAME=VALUE` in order; the last of a name counts.
  package var parameters: [(name: String, value: String)] = []
  package var environment: Environment = [:]
  /// Folder with a file for each secret, searched before the system's own.
  package var secretsFolder: String?
  /// Files that the caller has read, beside specs and standard input.
  package var inputPaths: [String] = []
  /// Limit for final records.
  package var recordLimit: Int?
  /// Limit for pages of a stream.
  package var pageLimit: Int?
  package var concurrency: Int?
  /// Highest rate of requests to each origin, besides the rates of the specs.
  package var rate: Job.Rate?
  /// The first job to run, which then reads standard input; nil for all jobs.
  package var firstJob: String?
  /// Start of the run in Unix seconds; nil for now, or the recording's start.
  package var start: Int?
  /// Clock for waits; nil for the system's clock, or in a replay for one that never really waits.
  package var clock: (any FetchClock)?
  /// True if waits take no time, as in a replay.
  package var skipsWaits = false
  /// Transport in place of the system's libcurl, if any.
  package var transport: (any HTTPTransport)?
  /// A thread that may do the transfers.
  package var thread: (any BorrowableExecutor)?
  /// Reports that the reader of the output has left, so that the run stops waiting; nil without such a reader.
  package var isReaderGone: (@Sendable () -> Bool)?
  /// Connections, tokens and rates that this run shares with others; nil for a run of its own.
  package var network: SharedNetwork?
  /// What this run of a command shares with those before and after it besides the network; nil for a run of its own.
  package var series: RunSeries?
  /// True if replies come from a recording, so that secrets are neither needed nor read.
  package var isReplay = false

  package init() {}
}

/// The source of a run's replies.
package enum Source: Sendable {
  case network
  /// A HAR file, with no network at all.
  case replay(path: String)

  /// Files that the source reads.
  var paths: [String] { if case .replay(let path) = self { [path] } else { [] } }
}

/// The version of pagecat.
package enum Product {
  package static let version = "0.1.0"
  /// Date of the version, for the manual page.
  package static let date = "2026-11-25"
  static let userAgent = "pagecat/\(version)"
}

/// What the consecutive runs of one command share besides the network: secrets, replies of a recording, and the
/// recording that they write.
package final class RunSeries: Sendable {
  private struct Shared: Sendable {
    var replay: ReplayTransport?
    var recorder: RecordingTransport?
  }

  /// Every secret of any run.
  let secrets: SecretStore
  private let shared = Locked(Shared())

  /// - Parameter secrets: takes every secret of any run.
  package init(hiding secrets: SecretStore) {
    self.secrets = secrets
  }

  /// Returns the replies of a recording, each of which answers one request of all runs.
  func replay<Failure: Error>(_ make: () throws(Failure) -> ReplayTransport) throws(Failure) -> ReplayTransport {
    if let replay = shared.withLock(\.replay) { return replay }
    let replay = try make()
    shared.withLock { $0.replay = replay }
    return replay
  }

  /// Returns the recording, and begins it for the first run.
  func recorder(_ make: () throws(FileError) -> RecordingTransport) throws(FileError) -> RecordingTransport {
    if let recorder = shared.withLock(\.recorder) { return recorder }
    let recorder = try make()
    shared.withLock { $0.recorder = recorder }
    return recorder
  }

  /// Completes the recording of all runs, if there is one.
  ///
  /// - Parameter outcome: returns the outcome of the runs, without their secrets.
  package func closeRecording(_ outcome: (SecretStore) -> JSONValue) throws(FileError) {
    try shared.withLock(\.recorder)?.close(run: outcome(secrets))
  }
}

/// What several runs share of the network: connections, tokens and rates.
///
/// So each account logs in once, and a `rate` holds across the runs, also if they run at the same time.
package final class SharedNetwork: Sendable {
  private struct State: Sendable {
    /// Transports by the values of the variables that they read.
    var transports: [[String?]: CurlTransport] = [:]
    var rateLimiter: RateLimiter?
    /// The rates of all runs, also of those to come.
    var rates: [(origin: Origin, rate: Rate)] = []
  }

  let tokens = TokenMemory()
  private let state = Locked(State())

  package init() {}

  /// Returns the transport for an environment, and makes it for the first run with that environment.
  func transport(for environment: Environment, _ make: () -> CurlTransport) -> CurlTransport {
    let key = CurlTransport.variables.map { environment[$0] }
    return state.withLock { state in
      if let transport = state.transports[key] { return transport }
      let transport = make()
      state.transports[key] = transport
      return transport
    }
  }

  /// Adds a rate, which holds from the first run on.
  func limit(_ origin: Origin, to rate: Rate) { state.withLock { $0.rates.append((origin, rate)) } }

  /// Returns the limiter, and makes it for the first run.
  func rateLimiter(_ make: () -> RateLimiter) -> RateLimiter {
    state.withLock { state in
      if let limiter = state.rateLimiter { return limiter }
      let limiter = make()
      for (origin, rate) in state.rates { limiter.limit(origin, to: rate) }
      state.rateLimiter = limiter
      return limiter
    }
  }
}
