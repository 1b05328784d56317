// The marks of a job: one, or one for each of its input records.

import JSONText
import PipelineSpec
import Primitives
import Wire

/// The marks that a job remembers, and the value of `${since}` for its input records.
struct SinceMarks: Sendable {
  /// Paths of the values of an input record that have a mark; none for one mark of the job.
  private let by: [JSONPath]
  /// Mark of the job, else `start`.
  let common: SinceValue?
  private let byID: [ExactText: JSONValue]
  private let form: TimeForm?
  private let place: String

  /// - Parameter job: the job that reads `${since}`.
  init?(of job: Job, in scope: TemplateScope) throws(ParameterError) {
    guard let since = job.since else { return nil }
    let (mark, incremental) = (scope.run.marks[since.job], since.incremental)
    (by, form) = (incremental.by, incremental.form)
    place = "\(scope.specName):\(job.place)"
    guard mark == nil || (mark?.kind == .object) == !by.isEmpty else {
      let (kept, wanted) =
        by.isEmpty ? ("a mark for each input record", "one mark") : ("one mark", "one for each ('by')")
      throw ParameterError(
        template: "incremental", place: place,
        problem: "the state has \(kept) of '\(since.job)', and the spec wants \(wanted): give another --state FILE, or "
          + "take it out of this one", isConfiguration: true)
    }
    let start = try SinceValue(startOf: incremental, in: scope)
    common = by.isEmpty ? mark.map { SinceValue(mark: $0, form: incremental.form) } ?? start : start
    let members = by.isEmpty ? [] : Array((mark ?? .null).members)
    byID = Dictionary(members.map { (ExactText($0.name), $0.value) }) { $1 }
  }

  /// The job's value of `${since}`, or one for each mark of its input records.
  var all: [SinceValue] {
    [common].compactMap { $0 } + byID.sorted { $0.key < $1.key }.map { SinceValue(mark: $0.value, form: form) }
  }

  /// Returns the value for an input record; `start` for a new record.
  func value(for record: JSONValue?) -> SinceValue? {
    guard !by.isEmpty, let record, let id = try? id(of: record), let mark = byID[id] else { return common }
    return SinceValue(mark: mark, form: form)
  }

  /// Returns the id under which a record's mark is kept; nil if the job has one mark.
  ///
  /// - Throws: `ParameterError` if the record lacks a value of the id.
  func id(of record: JSONValue?) throws(ParameterError) -> ExactText? {
    var values: [JSONValue] = []
    for path in by {
      let value = record?[path] ?? .null
      guard value.kind == .number || value.kind == .string && value.string != nil else {
        throw ParameterError(
          template: "by", place: place,
          problem: "the input record has no text or number at '\(path.steps.map(\.name).joined(separator: "."))'")
      }
      values.append(value)
    }
    // Several values make a JSON array, so that no two lists of values have the same id.
    let text = values.count > 1 ? JSONValue(elements: values).text : values.first.map { $0.string ?? $0.text }
    return text.map { ExactText($0) }
  }
}
