import Diagnostics
import FetchPlan
import Files
import JSONText
import PipelineSpec
import Wire

/// Selects the marks that the next run can use, so that no mark is saved with which that run could not begin.
struct MarkCheck: Sendable {
  private let plans: [JobPlan]
  private let secrets: SecretStore

  init(_ plan: RunPlan) {
    (plans, secrets) = (plan.jobs, plan.secrets)
  }

  /// Returns the marks that can be saved, by job.
  ///
  /// - Throws: `FileError` if a job could not begin with its mark.
  func usable(
    _ marks: [(name: String, value: JSONValue)]
  ) throws(FileError) -> [(name: String, value: JSONValue)] {
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
    return marks
  }
}
