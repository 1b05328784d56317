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
