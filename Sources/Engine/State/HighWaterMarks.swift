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
    var marks = OfMarks<HighWaterMark>()
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

    mutating func see(_ mark: HighWaterMark, in job: String, by id: ExactText?) throws(HighWaterMark.Mixed) {
      let before = id == nil ? nil : marks[job, id]
      // In its place: a copy would have all hashes.
      try marks.jobs[job, default: [:]][id, default: mark].see(mark)
      guard let id else { return }
      let after = marks[job, id]
      if after?.value != before?.value || after?.repeatedRecords != before?.repeatedRecords {
        changed[job, default: []].insert(id)
      }
    }

    mutating func replace(_ mark: HighWaterMark, in job: String, by id: ExactText?) {
      if let id, marks[job, id]?.value != mark.value { changed[job, default: []].insert(id) }
      marks[job, id] = mark
    }

    /// Keeps a saved mark that is higher than that of this run.
    mutating func keep(_ saved: HighWaterMark, of job: String, by id: ExactText?) {
      guard !uncompared.contains(job), expired[job]?.contains(id) != true else { return }
      // A mark of another kind is useless for the requests, so the new mark stays.
      try? marks.jobs[job]?[id]?.see(saved)
    }

    /// Marks by job, in order.
    ///
    /// - Parameter ids: ids of the marks to return, for jobs with many marks; nil for all.
    func json(_ ids: [String: Set<ExactText>]? = nil) -> [(name: String, value: JSONValue)] {
      marks.members(ids) { $0.value }
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
    for (job, id, value) in (json ?? .null).ofMarks {
      state.marks[job, id] = HighWaterMark(value, form: forms[job], records: records[job, id] ?? RecordHashes())
    }
    self.state = Locked(state)
  }

  /// Reports that the records at a job's mark are remembered.
  func remembersRecords(of job: String) -> Bool { jobsWithNews.contains(job) }

  /// Returns the records at a job's saved mark, or at that of an input record.
  func savedRecords(of job: String, by id: ExactText?) -> RecordHashes {
    jobsWithNews.contains(job) ? state.withLock { $0.saved[job, id] } ?? RecordHashes() : RecordHashes()
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
    state.withLock { $0.marks.sorted() }.compactMap { job, marks in
      marks.compactMap(\.value.later).first.map { (job: job, mark: $0.string ?? $0.text) }
    }
  }

  /// Jobs of which more records have the mark than are remembered, in order.
  var crowded: [String] {
    state.withLock { $0.marks.sorted() }.filter { $0.values.contains(where: \.value.repeatedRecords.isCut) }.map(\.job)
  }

  /// Returns the marks by job, or the saved ones if these are higher, and the records at them: a mark never decreases.
  func kept(beside saved: [String: JSONValue]) -> (marks: [(name: String, value: JSONValue)], records: RecordsAtMarks) {
    var state = state.withLock { $0 }
    for (job, id, value) in JSONValue(members: saved.map { ($0.key, $0.value) }).ofMarks {
      let records = state.saved[job, id] ?? RecordHashes()
      state.keep(HighWaterMark(value, form: forms[job], records: records), of: job, by: id)
    }
    var records = RecordsAtMarks()
    for (job, marks) in state.marks.sorted() {
      for (id, mark) in marks { records.set(mark.repeatedRecords, of: job, id) }
    }
    return (state.json(), records)
  }

  /// Returns the marks for a line of the journal; of many marks, only those that have changed since the last line.
  func takeChanges() -> Changes {
    state.withLock { state in
      guard !state.marks.isEmpty else { return Changes() }
      defer { state.changed = [:] }
      var changes = Changes(marks: state.json(state.changed))
      for (job, marks) in state.marks.sorted(state.changed) {
        for (id, mark) in marks where !mark.repeatedRecords.isEmpty {
          let records = mark.repeatedRecords
          if let news = records.added(to: state.written[job, id] ?? RecordHashes()) {
            changes.added.set(news, of: job, id)
          } else {
            changes.replaced[job, id] = records
          }
          state.written[job, id] = records
        }
      }
      return changes
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

// What belongs to the marks of jobs: the marks themselves, and the records at them.

/// A value of each job, or of each of a job's ids.
///
/// The form in files is `{"changes":VALUE}`, or `{"orders":{"a":VALUE}}` for a job with `by`.
struct OfMarks<Value: Sendable>: Sendable {
  /// The values by job and id, which is nil for the one value of a job.
  var jobs: [String: [ExactText?: Value]] = [:]

  var isEmpty: Bool { jobs.isEmpty }

  subscript(job: String, id: ExactText?) -> Value? {
    get { jobs[job]?[id] }
    set {
      jobs[job, default: [:]][id] = newValue
      if newValue == nil, jobs[job]?.isEmpty == true { jobs[job] = nil }
    }
  }

  /// The values, in order.
  ///
  /// - Parameter ids: ids of the values to return, for jobs with many; nil for all.
  func sorted(_ ids: [String: Set<ExactText>]? = nil) -> [(job: String, values: [(id: ExactText?, value: Value)])] {
    jobs.sorted { $0.key < $1.key }.map { job, values in
      if let one = values[nil] { return (job, [(nil, one)]) }
      let ids = ids.map { $0[job] ?? [] } ?? Set(values.keys.compactMap { $0 })
      return (job, ids.sorted().compactMap { id in values[id].map { (id, $0) } })
    }
  }

  /// The values as files have them, in order.
  ///
  /// - Parameters:
  ///   - ids: ids of the values to return, for jobs with many; nil for all.
  ///   - form: returns the form of a value; nil for one that is left out.
  func members(
    _ ids: [String: Set<ExactText>]? = nil, _ form: (Value) -> JSONValue?
  ) -> [(name: String, value: JSONValue)] {
    sorted(ids).compactMap { job, values in
      let members = values.compactMap { id, value in form(value).map { (name: id?.text, value: $0) } }
      guard let first = members.first else { return nil }
      guard first.name != nil else { return (job, first.value) }
      return (job, JSONValue(members: members.map { ($0.name ?? "", $0.value) }))
    }
  }

  /// Adds values of a file, which replace those of the same job or id, and all values of a job that had the other form.
  ///
  /// - Parameter change: returns the value for one of the file, and the value that it replaces.
  mutating func merge(_ json: JSONValue, _ change: (_ old: Value?, _ new: JSONValue) -> Value?) {
    for (job, id, value) in json.ofMarks {
      let new = change(self[job, id], value)
      if id == nil || self[job, nil] != nil { jobs[job] = nil }
      self[job, id] = new
    }
  }
}

extension JSONValue {
  /// The values that an object has of jobs, or of the ids of jobs.
  var ofMarks: [(job: String, id: ExactText?, value: JSONValue)] {
    members.flatMap { job in
      job.value.kind == .object
        ? job.value.members.map { (job.name, ExactText($0.name), $0.value) } : [(job.name, nil, job.value)]
    }
  }
}

/// Marks as files have them.
typealias MarkSet = OfMarks<JSONValue>

extension MarkSet {
  init(_ json: JSONValue?) {
    if let json { merge(json) }
  }

  /// Adds marks, which replace those of the same job or id.
  mutating func merge(_ json: JSONValue) { merge(json) { $1 } }

  /// Reports that all marks of another set are here.
  func contains(_ other: MarkSet) -> Bool {
    other.jobs.allSatisfy { job, marks in marks.allSatisfy { self[job, $0.key] == $0.value } }
  }

  var json: JSONValue { JSONValue(members: members { $0 }) }
}

/// Hashes of the records at the marks of a run, by which the next run knows them again.
typealias RecordsAtMarks = OfMarks<RecordHashes>

extension RecordsAtMarks {
  init(_ json: JSONValue?) {
    if let json { merge(json) }
  }

  mutating func set(_ records: RecordHashes, of job: String, _ id: ExactText?) {
    self[job, id] = records.isEmpty ? nil : records
  }

  /// Replaces the records of the jobs and ids in a value, or adds to them.
  mutating func merge(_ json: JSONValue, isAdded: Bool = false) {
    merge(json) { old, new in
      let new = RecordHashes(new)
      let all = isAdded ? (old ?? RecordHashes()).union(new) : new
      return all.isEmpty ? nil : all
    }
  }

  var json: JSONValue { JSONValue(members: members { $0.json }) }
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
