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
  /// The text that stands for the refresh token, in the request of a login.
  var token: String?
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

// MARK: The values of templates that are fixed for a run

extension RunValues {
  /// Returns the value of a template that reads only what is fixed for the run; nil if it is missing.
  package func value(of template: Template, in specName: String) -> JSONValue? {
    (try? TemplateValue.string(template).json(in: TemplateScope(run: self, specName: specName)))?.value
  }

  /// Returns the value of a parameter by its default; an empty one if that is missing.
  package func parameter(by template: Template, in specName: String) -> Parameter {
    let value = value(of: template, in: specName) ?? JSONValue("")
    return Parameter(
      value: value, text: value.string ?? value.text, isSecret: template.holes.contains { $0.variable != nil })
  }
}

// MARK: The input records of one request, for `${inputs.NAME}`

/// The input records that one request of a job with `batch` asks for.
struct InputBatch: Sendable {
  /// The records, each with its number in the batch, from 1.
  let records: [(number: Int, value: JSONValue)]

  /// Takes the records of a list.
  ///
  /// With `match`, a record whose values all equal those of an earlier one is left out. Both get what is fetched for
  /// the earlier one.
  init(_ list: JSONValue, for job: Job) {
    let all = list.elements.enumerated().map { (number: $0 + 1, value: $1) }
    guard !job.match.isEmpty else {
      records = all
      return
    }
    let holes = job.recordsHoles
    // In a JSON body 6 and "6" differ, in a query they are the same text.
    let isText = !(job.body?.templates ?? []).flatMap(\.holes).contains { $0.root == .inputs && $0.separator == nil }
    var seen: Set<[ExactText?]> = []
    records = all.filter { record in
      seen.insert(
        holes.map { hole -> ExactText? in
          guard let value = record.value[hole.path], !value.isNull else { return nil }
          return ExactText(isText ? value.string ?? value.text : value.text)
        }
      ).inserted
    }
  }
}

extension Job {
  /// Holes that read the input records of a request.
  var recordsHoles: [Template.Hole] { requestTemplates.flatMap(\.holes).filter { $0.root == .inputs } }
}

extension Template.Hole {
  /// Returns the list of the records' values; nil if the hole is optional and no record has a value.
  func list(in scope: TemplateScope) throws(ParameterError) -> ResolvedValue? {
    if scope.isValidation { return ResolvedValue(JSONValue(elements: [JSONValue("x")])) }
    var values: [JSONValue] = []
    for (number, record) in scope.inputBatch?.records ?? [] {
      let value = record[path] ?? .null
      if let fallback, value.isNull || value.string == "" {
        values.append(JSONValue(fallback))
      } else if !value.isNull {
        values.append(value)
      } else if !isOptional {
        let lack = missing(in: record, named: "record \(number) of the batch")
        throw scope.fault(self, "\(lack); a '?' before the '}' leaves such records out of the request")
      }
    }
    return values.isEmpty ? nil : ResolvedValue(JSONValue(elements: values))
  }

  /// Returns the text of a list's elements with the separator between them; other values as they are.
  func joined(_ found: ResolvedValue, in scope: TemplateScope) throws(ParameterError) -> ResolvedValue {
    guard let separator, found.value.kind == .array else { return found }
    var texts: [String] = []
    for element in found.value.elements where !element.isNull {
      let text = try text(of: ResolvedValue(element), in: scope).text
      guard !text.contains(separator) else {
        throw scope.fault(self, "'\(text)' has the separator '\(separator)' in it, and would be read as several values")
      }
      texts.append(text)
    }
    return ResolvedValue(text: texts.joined(separator: separator), isSecret: found.isSecret)
  }
}
