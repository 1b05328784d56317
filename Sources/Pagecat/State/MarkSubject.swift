import Diagnostics
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The request of a job whose mark is saved.
struct MarkSubject: Sendable {
  let job: String
  /// Base and endpoint: a mark is useless for another endpoint.
  let text: String
  /// Parameters in query and body, which may select the records, or only change their form.
  let choices: [(name: String, value: String)]
}
