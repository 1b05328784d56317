package import Primitives
package import JSONText
package import PipelineSpec
import Wire

/// Values that are the same for the whole run.
package struct RunValues: Sendable {
  /// A parameter's value, and its text for templates.
  package struct Parameter: Sendable, Hashable {
    package let value: JSONValue
    package let text: String
    /// True if the value counts as missing, like an empty environment variable.
    var isEmpty: Bool { ["null", "\"\"", "[]"].contains(value.text) }

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

  /// The netrc file, or the reason why there is none.
  package enum NetrcSource: Sendable {
    case file(Netrc)
    case missing(String)
  }

  /// Returns the values of all environment variables that a job names, all of which are secrets.
  package func secrets(of job: Job) -> Set<String> {
    Set(job.environmentNames.compactMap { environment[$0] }.filter { !$0.isEmpty })
  }
}
