// The marks of a job: one, or one for each of its input records.

import JSONText
import PipelineSpec
import Primitives
import Wire

/// What a job remembers, and what `${since}` is for its input records.
struct SinceMarks: Sendable {
  /// Path of the id in an input record; nil for one mark of the job.
  private let by: JSONPath?
  /// Mark of the job, else `start`.
  let common: SinceValue?
  private let byID: [String: JSONValue]
  private let form: TimeForm?
  private let place: String

  /// - Parameter job: whose `${since}` is wanted.
  init?(of job: Job, in scope: TemplateScope) throws(ParameterError) {
    guard let since = job.since else { return nil }
    let (mark, incremental) = (scope.run.marks[since.job], since.incremental)
    (by, form) = (incremental.by, incremental.form)
    place = "\(scope.specName):\(job.place)"
    guard mark == nil || (mark?.kind == .object) == (by != nil) else {
      let (kept, wanted) =
        by == nil ? ("a mark for each input record", "one mark") : ("one mark", "one for each ('by')")
      throw ParameterError(
        template: "incremental", place: place,
        problem: "the state has \(kept) of '\(since.job)', and the spec wants \(wanted): give another --state FILE, or "
          + "take it out of this one", isConfiguration: true)
    }
    let start = try SinceValue(startOf: incremental, in: scope)
    common = by == nil ? mark.map { SinceValue(mark: $0, form: incremental.form) } ?? start : start
    let members = by == nil ? [] : Array((mark ?? .null).members)
    byID = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
  }

  /// Returns the value for an input record; that of `start` for one that is new.
  func value(for record: JSONValue?) -> SinceValue? {
    guard by != nil, let record, let id = try? id(of: record), let mark = byID[id] else { return common }
    return SinceValue(mark: mark, form: form)
  }

  /// Returns what a record's mark is kept by; nil if the job has one mark.
  ///
  /// - Throws: if the record has no such value.
  func id(of record: JSONValue?) throws(ParameterError) -> String? {
    guard let by else { return nil }
    let value = record?[by] ?? .null
    switch value.kind {
    case .string: if let id = value.string { return id }
    case .number: return value.text
    default: break
    }
    throw ParameterError(
      template: "by", place: place,
      problem: "the input record has no text or number at '\(by.steps.map(\.name).joined(separator: "."))'")
  }
}
