import Diagnostics
import FetchPlan
package import Fetching
import Files
import JSONText
package import PipelineSpec
package import Primitives
import Unwrapping
import Wire

/// The options of a run on the command line.
package struct RunOptions: Sendable {
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
