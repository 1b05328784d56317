// The records at the marks of a run, by which the next run knows them again.

import JSONText
import Primitives
import Unwrapping

/// Hashes of the records at the marks of jobs, and within a job perhaps of input records.
///
/// The form in files is `{"changes":["00d1…"]}`, or `{"orders":{"a":["00d1…"]}}` for a job with `by`.
struct RecordsAtMarks: Sendable, Hashable {
  private var ofJobs: [String: RecordHashes] = [:]
  private var byID: [String: [ExactText: RecordHashes]] = [:]

  init(_ json: JSONValue? = nil) {
    if let json { merge(json) }
  }

  var isEmpty: Bool { ofJobs.isEmpty && byID.isEmpty }

  /// Jobs with more records than hashes, in order.
  var cut: [String] {
    let jobs =
      ofJobs.filter(\.value.isCut).map(\.key) + byID.filter { $0.value.values.contains(where: \.isCut) }.map(\.key)
    return jobs.sorted()
  }

  func of(_ job: String, _ id: ExactText?) -> RecordHashes {
    (id.map { byID[job]?[$0] } ?? ofJobs[job]) ?? RecordHashes()
  }

  mutating func set(_ records: RecordHashes, of job: String, _ id: ExactText?) {
    let records = records.isEmpty ? nil : records
    if let id {
      byID[job, default: [:]][id] = records
      if byID[job]?.isEmpty == true { byID[job] = nil }
    } else {
      ofJobs[job] = records
    }
  }

  func removing(_ jobs: [String]) -> RecordsAtMarks {
    var rest = self
    for job in jobs { (rest.ofJobs[job], rest.byID[job]) = (nil, nil) }
    return rest
  }

  /// Replaces the records of the jobs and ids in a value, or adds to them.
  mutating func merge(_ json: JSONValue, isAdded: Bool = false) {
    for (job, value) in json.members.map({ ($0.name, $0.value) }) {
      let entries =
        value.kind == .object ? value.members.map { (ExactText($0.name), $0.value) } : [(nil as ExactText?, value)]
      for (id, hashes) in entries {
        let hashes = RecordHashes(hashes)
        set(isAdded ? of(job, id).union(hashes) : hashes, of: job, id)
      }
    }
  }

  /// Returns what these records are after older ones: those of jobs and ids whose records were replaced, and those that
  /// were only added.
  func changes(since older: RecordsAtMarks) -> (replaced: RecordsAtMarks, added: RecordsAtMarks) {
    var (replaced, added) = (RecordsAtMarks(), RecordsAtMarks())
    func compare(_ records: RecordHashes, _ job: String, _ id: ExactText?) {
      if let news = records.added(to: older.of(job, id)) {
        added.set(news, of: job, id)
      } else {
        replaced.set(records, of: job, id)
      }
    }
    for (job, records) in ofJobs { compare(records, job, nil) }
    for (job, records) in byID { for (id, records) in records { compare(records, job, id) } }
    return (replaced, added)
  }

  var json: JSONValue {
    let members =
      ofJobs.map { (name: $0.key, value: $0.value.json) }
      + byID.map { job, records in
        (
          name: job,
          value: JSONValue(
            members: records.sorted { $0.key < $1.key }.map { (name: $0.key.text, value: $0.value.json) })
        )
      }
    return JSONValue(members: members.sorted { $0.name < $1.name })
  }
}
