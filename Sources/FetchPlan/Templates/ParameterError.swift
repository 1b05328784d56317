import JSONText
import PipelineSpec

/// A template that can't be evaluated, or whose result is illegal in its place: the error `invalidParameter`.
package struct ParameterError: Error, Hashable, Sendable {
  /// The template as the spec spells it: `${record.id}`.
  package let template: String
  /// Location of the template: `pipelines/coins.yaml:7:3`.
  package let place: String
  /// The problem and its remedy, redacted: `the input record has no member 'id'; it has 'name', 'url'`.
  package let problem: String
  /// True if the spec, the environment or a parameter is at fault (exit 2), not the record (exit 4).
  package let isConfiguration: Bool

  package init(template: String, place: String, problem: String, isConfiguration: Bool = false) {
    self.template = template
    self.place = place
    self.problem = problem
    self.isConfiguration = isConfiguration
  }

  /// This error as one of the configuration, found before there was any record.
  var beforeAnyRecord: ParameterError {
    ParameterError(template: template, place: place, problem: problem, isConfiguration: true)
  }
}
