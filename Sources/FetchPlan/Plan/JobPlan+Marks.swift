// The marks of a job, and the owners of marks by `by`.

package import JSONText
import PipelineSpec
package import Primitives
import Wire

extension JobPlan {
  /// Checks that a run can start with these marks.
  ///
  /// - Parameter marks: marks by job.
  package func check(marks: [String: JSONValue]) throws(ParameterError) {
    var run = scope.run
    run.marks = marks
    _ = try JobPlan(job: job, specName: scope.specName, run: run, userAgent: userAgent)
  }

  /// Returns the value of `${since}` for a record.
  package func since(for record: JSONValue?) -> SinceValue? { marks?.value(for: record) }

  /// Returns the id under which a record's own mark is kept; nil if the job has no `by`.
  package func markID(of record: JSONValue?) throws(ParameterError) -> ExactText? {
    guard job.incremental?.by.isEmpty == false else { return nil }
    return try marks?.id(of: record)
  }

  /// Returns a hash of a record without the windows that the job's own `each` gave it, in this run or before `--from`.
  ///
  /// The windows stand for one thing, the values of a list for several.
  package func markOwner(of record: JSONValue?) -> Int {
    let axes = (job.each ?? job.eachBefore)?.axes ?? []
    let names = Set(axes.filter(\.hasWindows).flatMap(\.names))
    let members = record.map { Array($0.members) } ?? []
    return JSONValue(members: members.filter { !names.contains($0.name) }.map { ($0.name, $0.value) }).text.hashValue
  }
}
