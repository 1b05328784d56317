import Diagnostics
import FetchPlan
package import Fetching
import JSONText
import PipelineSpec
import Unwrapping
package import Wire

/// What the command line may say about a run.
package struct RunOptions: Sendable {
  /// `NAME=VALUE`, in order; the last of a name counts.
  package var parameters: [(name: String, value: String)] = []
  package var environment: Environment = [:]
  /// Most final records.
  package var recordLimit: Int?
  /// Most pages of a stream.
  package var pageLimit: Int?
  package var concurrency: Int?
  /// The job that reads standard input, those before it left out; nil for all of them.
  package var firstJob: String?
  /// Start of the run in Unix seconds; nil is now, or the recording's start.
  package var start: Int?
  /// What waits are measured by; nil is the system's clock, or, in a replay, one that never really waits.
  package var clock: (any FetchClock)?
  /// What is asked instead of the system's libcurl, if anything.
  package var transport: (any HTTPTransport)?
  /// A thread that may do the transfers.
  package var thread: (any BorrowableExecutor)?
  /// Whether the reader of the output went away, where there is one: then nothing is waited for any more.
  package var isReaderGone: (@Sendable () -> Bool)?
  /// Whether replies come from a recording: then no secret is needed, and none is read.
  var isReplay = false

  package init() {}
}
