// Where records come from: a stage is asked for its next records, and asks the stage before it.

import FetchPlan
import JSONText
import Unwrapping
import Wire

/// A step of a running pipeline. It has one consumer, which asks for one batch after the other.
///
/// Nothing is requested ahead of its consumer except within a job's `concurrency`. A stage that fails says so to the run's
/// report and ends: those after it finish what they were given.
protocol Stage: Sendable {
  /// The next records, or nil at the end.
  func next() async -> Batch?
  /// Gives up everything under way, here and upstream, and comes back when nothing is. `next()` is not called again.
  func stop() async
}

extension NetworkingError {
  /// A text that is no JSON, with the place and what stands there.
  init(_ fault: JSONError, source: String, hiding secrets: SecretStore) {
    self = .invalidJSON(
      source: source, page: nil, offset: fault.offset, line: fault.line, column: fault.column,
      reason: fault.rendered(hiding: secrets) + fault.remedy)
  }
}
