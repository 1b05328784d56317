import JSONText
import PipelineSpec
import Wire

/// A template that can't be evaluated, or gives what may not stand where it stands: the error `invalidParameter`.
package struct ParameterError: Error, Hashable, Sendable {
  /// The template as it stands in the spec: `${record.id}`.
  package let template: String
  /// `pipelines/coins.yaml:7:3`.
  package let place: String
  /// What is wrong and what to do: `the input record has no member 'id'; it has 'name', 'url'`. Secrets are masked.
  package let problem: String
  /// Whether the spec, the environment or a parameter is at fault (exit 2), not the record (exit 4).
  package let isConfiguration: Bool

  package init(template: String, place: String, problem: String, isConfiguration: Bool = false) {
    self.template = template
    self.place = place
    self.problem = problem
    self.isConfiguration = isConfiguration
  }

  /// The same, found before there was a record to blame.
  var beforeAnyRecord: ParameterError {
    ParameterError(template: template, place: place, problem: problem, isConfiguration: true)
  }
}
