import Diagnostics
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The request of a job whose mark is saved.
package struct MarkSubject: Sendable {
  package let job: String
  /// Base and endpoint: a mark is useless for another endpoint.
  package let text: String
  /// Whatever may select the records, or only change their form: parameters and literal items in query and body, and
  /// the fingerprints of variables, which are numbers.
  let choices: [(name: String, value: JSONValue)]
}
