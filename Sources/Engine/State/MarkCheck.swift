import Diagnostics
import FetchPlan
import Files
import JSONText
import PipelineSpec
import Wire

/// Checks marks before they are saved: the next run must be able to start with them.
struct MarkCheck: Sendable {
  private let plans: [JobPlan]
  private let secrets: SecretStore

  init(_ plan: RunPlan) {
    (plans, secrets) = (plan.jobs, plan.secrets)
  }

  /// Checks that the next run can start with these marks.
  ///
  /// - Parameter marks: marks by job.
  /// - Throws: `FileError` if a job could not start with its mark.
  func check(_ marks: [(name: String, value: JSONValue)]) throws(FileError) {
    let byJob = Dictionary(marks.map { ($0.name, $0.value) }) { $1 }
    for plan in plans where !marks.isEmpty {
      do {
        try plan.check(marks: byJob)
      } catch {
        let name = plan.job.since?.job ?? plan.job.name
        let problem = secrets.redacting("\(error.place): \(error.template): \(error.problem)").printable
        throw .failed(
          "cannot save the mark of '\(name.printable)', with which the next run could not begin: \(problem); if marks are "
            + "times, say with 'as' in 'incremental' how the API spells them, such as as: '%Y-%m-%d %H:%M:%S'")
      }
    }
  }
}
