// The protocol of stages: the consumer asks a stage for its next records, and the stage asks the previous one.

import FetchPlan
import JSONText
import Unwrapping
import Wire

/// A step of a running pipeline, with one consumer that asks for one batch after the other.
///
/// A stage requests nothing ahead of its consumer, except within a job's `concurrency`. A stage that fails reports the
/// failure to the run's `Report`, and ends. The following stages finish their input.
protocol Stage: Sendable {
  /// Returns the next records, or nil at the end.
  func next() async -> Batch?
  /// Cancels all work in progress, here and upstream, and returns when it has ended.
  ///
  /// `next()` must not be called again.
  func stop() async
}

extension NetworkingError {
  /// Creates the error for invalid JSON, with its location and a quotation.
  init(_ fault: JSONError, source: String, hiding secrets: SecretStore) {
    self = .invalidJSON(
      source: source, page: nil, offset: fault.offset, line: fault.line, column: fault.column,
      reason: fault.rendered(hiding: secrets) + fault.remedy)
  }
}
