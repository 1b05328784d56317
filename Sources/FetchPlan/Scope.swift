// What templates may read, and what they become.

package import JSONText
package import PipelineSpec
package import Wire

/// Values that are the same for the whole run.
package struct RunValues: Sendable {
  /// A parameter's value and how it is put in as text.
  package struct Parameter: Sendable, Hashable {
    package let value: JSONValue
    package let text: String
    package init(value: JSONValue, text: String) {
      self.value = value
      self.text = text
    }
  }

  package var parameters: [String: Parameter]
  package var environment: [String: String]
  /// Start of the run, in Unix seconds.
  package var start: Int

  package init(parameters: [String: Parameter] = [:], environment: [String: String] = [:], start: Int) {
    self.parameters = parameters
    self.environment = environment
    self.start = start
  }
}

/// Everything the templates of one request may read.
package struct Scope: Sendable {
  package var run: RunValues
  package var record: JSONValue?
  /// In `pages` templates: the page that came.
  package var page: PageFacts?

  package init(run: RunValues, record: JSONValue? = nil, page: PageFacts? = nil) {
    self.run = run
    self.record = record
    self.page = page
  }
}

/// A template that can't be evaluated, or gives what may not stand where it stands: the error `invalidParameter`.
package struct ParameterFault: Error, Hashable, Sendable {
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
}
