// The mark of an input record, such as the end of a window.

package import JSONText
import PipelineSpec
import Primitives

extension JobPlan {
  /// Returns the mark that an input record has, if `mark` is a template.
  ///
  /// A time after the start of the run becomes the start, since later records have not been requested.
  package func inputMark(of record: JSONValue?) throws(ParameterError) -> JSONValue? {
    guard case .input(let template)? = job.incremental?.mark, let hole = template.onlyHole else { return nil }
    let scope = scope(for: record)
    guard let mark = try hole.reading(in: scope)?.value else { return nil }
    // A number may be an id.
    let form = job.incremental?.form ?? spanForm(of: hole.path.steps.first?.name)
    guard form != nil || mark.kind == .string, let spelled = SpelledTime(mark, as: form) else { return mark }
    guard form != nil || spelled.form != .seconds, spelled.time.seconds >= scope.run.start else { return mark }
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: spelled.time.fraction.count)
    return Timestamp(seconds: scope.run.start, fraction: zeros).map(spelled.form.value) ?? mark
  }

  /// The form in which the job's `each` spells a member that it makes.
  private func spanForm(of name: String?) -> TimeForm? {
    for axis in job.each?.axes ?? [] where name.map(axis.names.contains) == true {
      if case .span(let span) = axis.values { return span.form }
    }
    return nil
  }
}
