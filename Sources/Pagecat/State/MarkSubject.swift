import Diagnostics
import JSONText
import PipelineSpec
import Synchronization
import Unwrapping
import Wire

/// What a job asks whose mark is remembered.
struct MarkSubject: Sendable {
  let job: String
  /// Base and endpoint: a mark of something else is no good.
  let text: String
  /// Parameters in query and body, which may say what is asked for, or how.
  let choices: [(name: String, value: String)]
}
