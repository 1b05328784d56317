// What templates may read.

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
  package var environment: Environment
  /// Start of the run, in Unix seconds.
  package var start: Int
  package var netrc: NetrcSource = .missing("there is no netrc file")
  /// The highest mark that the last run of a job saw, by the job's name.
  package var marks: [String: JSONValue] = [:]

  package init(parameters: [String: Parameter] = [:], environment: Environment = [:], start: Int) {
    self.parameters = parameters
    self.environment = environment
    self.start = start
  }

  /// What `${since}` is in a job.
  package func since(in job: Job) -> JSONValue? {
    job.incremental.flatMap { marks[job.name] ?? $0.start }
  }

  /// The netrc file, or why there is none.
  package enum NetrcSource: Sendable {
    case file(Netrc)
    case missing(String)
  }

  /// The values of all environment variables that a job names: what must not be shown anywhere.
  package func secrets(of job: Job) -> Set<String> {
    Set(job.environmentNames.compactMap { environment[$0] }.filter { !$0.isEmpty })
  }
}

/// Everything the templates of one request may read.
package struct TemplateScope: Sendable {
  package var run: RunValues
  package var record: JSONValue?
  /// In `pages` templates: the page that came.
  package var page: PageFacts?
  package var since: JSONValue?
  /// For places in messages.
  package var specName: String
  /// Before there are records, any of their members reads as `x`: what is wrong then is wrong for every record.
  var isValidation = false

  package init(run: RunValues, record: JSONValue? = nil, page: PageFacts? = nil, specName: String = "") {
    self.run = run
    self.record = record
    self.page = page
    self.specName = specName
  }
}

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

extension TemplateScope {
  /// A fault of a hole, or of what its value makes of the text around it.
  func fault(_ hole: Template.Hole, _ problem: String) -> ParameterError {
    let isConfiguration = ![.record, .body, .headers, .last].contains(hole.root)
    return ParameterError(
      template: hole.spelling, place: "\(specName):\(hole.place)", problem: problem, isConfiguration: isConfiguration)
  }

  /// A fault of a whole string: its first hole that reads a record is to blame, else the spec.
  func fault(_ template: Template, _ problem: String) -> ParameterError {
    let holes = template.holes
    if let hole = holes.first(where: { $0.root == .record }) ?? holes.first { return fault(hole, problem) }
    return ParameterError(
      template: template.spelling, place: "\(specName):\(template.place)", problem: problem, isConfiguration: true)
  }
}
