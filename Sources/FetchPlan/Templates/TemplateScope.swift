// The values that templates may read.

package import JSONText
package import PipelineSpec
package import Primitives
package import Wire

/// Everything that the templates of one request may read.
package struct TemplateScope: Sendable {
  package var run: RunValues
  /// The input record.
  package var record: JSONValue?
  /// The fetched record, for `set`.
  var fetched: JSONValue?
  /// The input records of one request, for a job with `batch`.
  var inputBatch: InputBatch?
  /// The fetched page, for templates in `pages`, `failure` and `set`.
  package var page: PageFacts?
  var since: SinceValue?
  /// Name of the spec, for messages.
  package var specName: String
  /// True for validation without a record: its members read as `x`, so an error then is an error for every record.
  var isValidation = false
  /// True if a value of a record reads as a stand-in for its template.
  var showsTemplates = false

  package init(run: RunValues, record: JSONValue? = nil, page: PageFacts? = nil, specName: String = "") {
    self.run = run
    self.record = record
    self.page = page
    self.specName = specName
  }
}

extension TemplateScope {
  /// Returns the error for a hole, or for the effect of its value on the text around it.
  func fault(_ hole: Template.Hole, _ problem: String) -> ParameterError {
    let isConfiguration = ![.input, .inputs, .record, .body, .headers, .last].contains(hole.root)
    return ParameterError(
      template: hole.spelling, position: "\(specName):\(hole.position)", problem: problem,
      isConfiguration: isConfiguration)
  }

  /// Returns the error for a whole string: its first hole that reads a record is to blame, else the spec.
  func fault(_ template: Template, _ problem: String) -> ParameterError {
    let holes = template.holes
    if let hole = holes.first(where: { [.input, .inputs].contains($0.root) }) ?? holes.first {
      return fault(hole, problem)
    }
    return ParameterError(
      template: template.spelling, position: "\(specName):\(template.position)", problem: problem, isConfiguration: true
    )
  }
}

/// A template that can't be evaluated, or whose result is illegal in its place: the error `invalidParameter`.
package struct ParameterError: Error, Hashable, Sendable {
  /// The template as the spec spells it: `${input.id}`.
  package let template: String
  /// Location of the template: `pipelines/coins.yaml:7:3`.
  package let position: String
  /// The problem and its remedy, redacted: `the input record has no member 'id'; it has 'name', 'url'`.
  package let problem: String
  /// True if the spec, the environment or a parameter is at fault (exit 2), not the record (exit 4).
  package let isConfiguration: Bool

  package init(template: String, position: String, problem: String, isConfiguration: Bool = false) {
    self.template = template
    self.position = position
    self.problem = problem
    self.isConfiguration = isConfiguration
  }

  /// This error as one of the configuration, found before there was any record.
  var beforeAnyRecord: ParameterError {
    ParameterError(template: template, position: position, problem: problem, isConfiguration: true)
  }
}

/// Values that are the same for the whole run.
package struct RunValues: Sendable {
  /// A parameter's value, and its text for templates.
  package struct Parameter: Sendable, Hashable {
    package let value: JSONValue
    package let text: String
    /// True if the environment gives the value.
    let isSecret: Bool
    /// True if the value counts as missing, like an empty environment variable.
    var isEmpty: Bool { ["null", "\"\"", "[]"].contains(value.text) }

    package init(value: JSONValue, text: String, isSecret: Bool = false) {
      self.isSecret = isSecret
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

  /// The netrc file, or the reason why there is none.
  package enum NetrcSource: Sendable {
    case file(Netrc)
    case missing(String)
  }

  /// Returns the values of all environment variables that a job names, and of the parameters in its header fields that
  /// hold a credential: all of these are secrets.
  package func secrets(of job: Job) -> Set<String> {
    let variables = job.environmentNames.compactMap { environment[$0] }.filter { !$0.isEmpty }
    return Set(variables).union(secretParameters(of: job).values)
  }

  /// Returns the texts of the parameters that are secrets, by their names.
  func secretParameters(of job: Job) -> [String: String] {
    let fields = job.headers.filter { CredentialName.isSecret(field: $0.name) }
    var texts: [String: String] = [:]
    for hole in fields.flatMap(\.value.holes) where hole.root == .param {
      guard let name = hole.path.steps.first?.name, let parameter = parameters[name], !parameter.isEmpty else {
        continue
      }
      texts[name] = parameter.text
    }
    return texts
  }
}
