import Diagnostics
import FetchPlan
import Files
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Unwrapping
import Wire

/// The highest marks that the jobs of a run have seen so far; all stages share them.
final class HighWaterMarks: Sendable {
  private struct State: Sendable {
    /// The records at the saved marks, as the state file has them.
    var saved = RecordsAtMarks()
    var marks: [String: HighWaterMark] = [:]
    /// Marks of jobs that keep one for each input record, by its id.
    var byID: [String: [ExactText: HighWaterMark]] = [:]
    /// Hash of the first input record with each id.
    var owners: [String: [ExactText: Int]] = [:]
    /// The records at the marks, as the lines of the journal have them.
    var written = RecordsAtMarks()
    /// Ids whose marks have changed since the last line of the journal with marks.
    var changed: [String: Set<ExactText>] = [:]
    /// Jobs with a page that has records, but no mark.
    var unmarked: Set<String> = []
    /// Jobs whose first mark was checked.
    var checked: Set<String> = []
    /// Jobs with a mark that has a secret in it.
    var secret: Set<String> = []
    /// Jobs whose marks can't be compared, so that the newest one counts.
    var uncompared: Set<String> = []
    /// Saved marks that the server no longer knows: job and id, which is nil for the one mark of a job.
    var expired: [String: Set<ExactText?>] = [:]

    /// Adds the marks that the interrupted run has seen.
    mutating func resume(_ job: String, _ json: JSONValue, _ form: TimeForm?, _ records: RecordsAtMarks) {
      if json.kind == .object {
        for member in json.members {
          let id = ExactText(member.name)
          byID[job, default: [:]][id] = HighWaterMark(member.value, form: form, records: records.of(job, id))
        }
      } else {
        marks[job] = HighWaterMark(json, form: form, records: records.of(job, nil))
      }
    }

    mutating func see(_ mark: HighWaterMark, in job: String, by id: ExactText?) throws(HighWaterMark.Mixed) {
      guard let id else { return try marks[job, default: mark].see(mark) }
      let before = byID[job]?[id]
      try byID[job, default: [:]][id, default: mark].see(mark)
      let after = byID[job]?[id]
      if after?.value != before?.value || after?.repeatedRecords != before?.repeatedRecords {
        changed[job, default: []].insert(id)
      }
    }

    mutating func replace(_ mark: HighWaterMark, in job: String, by id: ExactText?) {
      guard let id else { return marks[job] = mark }
      if byID[job]?[id]?.value != mark.value { changed[job, default: []].insert(id) }
      byID[job, default: [:]][id] = mark
    }

    /// Keeps the saved marks of a job that are higher than those of this run.
    mutating func keep(_ remembered: JSONValue, of job: String, _ form: TimeForm?) {
      let isCompared = !uncompared.contains(job)
      func keep(_ value: JSONValue, _ id: ExactText?, in mark: inout HighWaterMark?) {
        guard mark != nil, isCompared, expired[job]?.contains(id) != true else { return }
        // A mark of another kind is useless for the requests, so the new mark stays.
        try? mark?.see(HighWaterMark(value, form: form, records: saved.of(job, id)))
      }
      guard remembered.kind == .object else { return keep(remembered, nil, in: &marks[job]) }
      for member in remembered.members {
        let id = ExactText(member.name)
        keep(member.value, id, in: &byID[job, default: [:]][id])
      }
    }

    /// Marks by job, in order.
    ///
    /// - Parameter ids: ids of the marks to return, for jobs with many marks; nil for all.
    func json(_ ids: [String: Set<ExactText>]? = nil) -> [(name: String, value: JSONValue)] {
      var all = marks.compactMap { name, mark in mark.value.map { (name: name, value: $0) } }
      for (name, marks) in byID {
        let wanted = ids.map { Array($0[name] ?? []) } ?? Array(marks.keys)
        let members = wanted.sorted().compactMap { id in marks[id]?.value.map { (name: id.text, value: $0) } }
        if !members.isEmpty { all.append((name, JSONValue(members: members))) }
      }
      return all.sorted { $0.name < $1.name }
    }

    /// The records at the marks; of many marks, those with these ids.
    func records(_ ids: [String: Set<ExactText>]? = nil) -> RecordsAtMarks {
      var all = RecordsAtMarks()
      for (job, mark) in marks { all.set(mark.repeatedRecords, of: job, nil) }
      for (job, marks) in byID {
        for (id, mark) in marks where ids?[job]?.contains(id) != false {
          all.set(mark.repeatedRecords, of: job, id)
        }
      }
      return all
    }
  }

  private let state: Locked<State>
  private let forms: [String: TimeForm]
  /// Jobs whose requests ask for what is new, so that an inclusive filter sends the records at the mark again.
  private let jobsWithNews: Set<String>

  /// Starts without marks, or with those of an interrupted run.
  ///
  /// - Parameters:
  ///   - json: marks that the interrupted run has seen.
  ///   - records: the records at those marks.
  ///   - saved: the records at the saved marks.
  init(
    of jobs: [Job], resuming json: JSONValue? = nil, _ records: RecordsAtMarks = RecordsAtMarks(),
    saved: RecordsAtMarks = RecordsAtMarks()
  ) {
    var state = State()
    (state.saved, state.written) = (saved, records)
    state.uncompared = Set(
      jobs.filter { if case .answer = $0.incremental?.mark { true } else { false } }.map(\.name))
    forms = Dictionary(jobs.compactMap { job in job.incremental?.form.map { (job.name, $0) } }) { $1 }
    jobsWithNews = Set(jobs.filter(\.asksForNews).compactMap { $0.since?.job })
    for (name, value) in (json ?? .null).members.map({ ($0.name, $0.value) }) {
      state.resume(name, value, forms[name], records)
    }
    self.state = Locked(state)
  }

  /// Reports that the records at a job's mark are remembered.
  func remembersRecords(of job: String) -> Bool { jobsWithNews.contains(job) }

  /// Returns the records at a job's saved mark, or at that of an input record.
  func savedRecords(of job: String, by id: ExactText?) -> RecordHashes {
    jobsWithNews.contains(job) ? state.withLock { $0.saved.of(job, id) } : RecordHashes()
  }

  /// Forgets all marks that the run has seen, for a run that begins anew, but not which saved ones are too old.
  func forget() {
    state.withLock {
      let (saved, uncompared, expired) = ($0.saved, $0.uncompared, $0.expired)
      $0 = State()
      ($0.saved, $0.uncompared, $0.expired) = (saved, uncompared, expired)
    }
  }

  /// Reports that an input record is the first with its id, or the same as the first.
  func isFirst(_ owner: Int, withID id: ExactText, in job: String) -> Bool {
    state.withLock { state in
      let first = state.owners[job]?[id]
      if first == nil { state.owners[job, default: [:]][id] = owner }
      return first == nil || first == owner
    }
  }

  /// Adds the highest mark of a page.
  ///
  /// - Parameters:
  ///   - recordCount: number of records in the page.
  ///   - id: id of the input record's own mark, if it has one.
  func see(
    _ mark: HighWaterMark, of recordCount: Int, in job: String, by id: ExactText? = nil
  ) throws(HighWaterMark.Mixed) {
    try state.withLock { (state) throws(HighWaterMark.Mixed) in
      guard !mark.isEmpty else {
        if recordCount > 0 { state.unmarked.insert(job) }
        return
      }
      try state.see(mark, in: job, by: id)
    }
  }

  /// Takes the mark of a stream's last page, which no other one is compared with; an empty one says that it had none.
  func replace(_ mark: HighWaterMark, in job: String, by id: ExactText? = nil) {
    state.withLock { state in
      if mark.isEmpty { state.unmarked.insert(job) } else { state.replace(mark, in: job, by: id) }
    }
  }

  /// Forgets a saved mark that the server no longer knows, so that any new one replaces it.
  func expire(in job: String, by id: ExactText?) {
    state.withLock { _ = $0.expired[job, default: []].insert(id) }
  }

  /// Reports that a saved mark is one that the server no longer knows.
  func isExpired(in job: String, by id: ExactText?) -> Bool { state.withLock { $0.expired[job]?.contains(id) == true } }

  /// Returns true once for each job.
  func isFirstMark(of job: String) -> Bool { state.withLock { $0.checked.insert(job).inserted } }

  /// Drops a mark that contains a secret, since no file of the run may contain one.
  func leaveOutSecret(in job: String) {
    state.withLock { _ = $0.secret.insert(job) }
  }

  /// A job whose mark contains a secret, if there is one.
  var secretJob: String? { state.withLock { $0.secret.min() } }

  /// Jobs with records and no mark at all, in order.
  var markless: [String] {
    let marked = Set(all.map(\.name) + later.map(\.job))
    return state.withLock { $0.unmarked.subtracting(marked).subtracting($0.secret).sorted() }
  }

  /// Marks by job, in order; an object of marks by id where each input record has one.
  var all: [(name: String, value: JSONValue)] { state.withLock { $0.json() } }

  /// The first mark of each job that is later than now, and so is not saved.
  var later: [(job: String, mark: String)] {
    state.withLock { state in
      let all =
        state.marks.map { ($0.key, $0.value.later) }
        + state.byID.flatMap { job, marks in
          marks.sorted { $0.key < $1.key }.map { (job, $0.value.later) }
        }
      var jobs: Set<String> = []
      return all.compactMap { job, mark in
        guard let mark, jobs.insert(job).inserted else { return nil }
        return (job: job, mark: mark.string ?? mark.text)
      }.sorted { $0.job < $1.job }
    }
  }

  /// Jobs of which more records have the mark than are remembered, in order.
  var crowded: [String] { state.withLock { $0.records().cut } }

  /// Returns the marks by job, or the saved ones if these are higher: a mark never decreases.
  func all(beside remembered: [(name: String, value: JSONValue)]) -> [(name: String, value: JSONValue)] {
    state.withLock { state in
      var state = state
      for (job, marks) in remembered { state.keep(marks, of: job, forms[job]) }
      return state.json()
    }
  }

  /// Returns the records at the marks that `all(beside:)` returns.
  func records(beside remembered: [(name: String, value: JSONValue)]) -> RecordsAtMarks {
    state.withLock { state in
      var state = state
      for (job, marks) in remembered { state.keep(marks, of: job, forms[job]) }
      return state.records()
    }
  }

  /// Returns the marks for a line of the journal; of many marks, only those that have changed since the last line.
  func takeChanges() -> Changes {
    state.withLock { state in
      defer { state.changed = [:] }
      guard !state.marks.isEmpty || !state.changed.isEmpty else { return Changes() }
      let records = state.records(state.changed)
      let (replaced, added) = records.changes(since: state.written)
      state.written.merge(replaced.json)
      state.written.merge(added.json, isAdded: true)
      return Changes(marks: state.json(state.changed), replaced: replaced, added: added)
    }
  }

  /// The marks that have changed since the last line of the journal, and the records at them.
  struct Changes: Sendable {
    var marks: [(name: String, value: JSONValue)] = []
    var replaced = RecordsAtMarks()
    var added = RecordsAtMarks()

    func write(to members: inout MemberWriter) {
      if !marks.isEmpty { members.add("marks", JSONValue(members: marks)) }
      if !replaced.isEmpty { members.add("atMarks", replaced.json) }
      if !added.isEmpty { members.add("moreAtMarks", added.json) }
    }
  }
}

/// Marks by job, and within a job perhaps by id, as files have them.
struct MarkSet: Sendable {
  private enum Marks: Sendable, Equatable {
    case one(JSONValue)
    case byID([ExactText: JSONValue])
  }

  private var marks: [String: Marks] = [:]

  init(_ json: JSONValue? = nil) {
    if let json { merge(json) }
  }

  var isEmpty: Bool { marks.isEmpty }

  /// Adds marks, which replace those of the same job or id.
  mutating func merge(_ json: JSONValue) {
    for (name, value) in json.members.map({ ($0.name, $0.value) }) {
      guard value.kind == .object else {
        marks[name] = .one(value)
        continue
      }
      var byID: [ExactText: JSONValue] = [:]
      if case .byID(let known)? = marks.removeValue(forKey: name) { byID = known }
      for member in value.members { byID[ExactText(member.name)] = member.value }
      marks[name] = .byID(byID)
    }
  }

  /// Reports that all marks of another set are here.
  func contains(_ other: MarkSet) -> Bool {
    other.marks.allSatisfy { name, wanted in
      switch (marks[name], wanted) {
      case (.byID(let known)?, .byID(let wanted)): wanted.allSatisfy { known[$0.key] == $0.value }
      case (let known, let wanted): known == wanted
      }
    }
  }

  var json: JSONValue {
    JSONValue(
      members: marks.sorted { $0.key < $1.key }.map { name, marks in
        switch marks {
        case .one(let mark): (name, mark)
        case .byID(let byID):
          (name, JSONValue(members: byID.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }))
        }
      })
  }
}

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
        let problem = secrets.redacting("\(error.position): \(error.template): \(error.problem)").printable
        throw .failed(
          "cannot save the mark of '\(name.printable)', with which the next run could not begin: \(problem); if marks are "
            + "times, say with 'as' in 'incremental' how the API spells them, such as as: '%Y-%m-%d %H:%M:%S'")
      }
    }
  }
}

// MARK: The records at the marks of a run, by which the next run knows them again

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
