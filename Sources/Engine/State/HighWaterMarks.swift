import Diagnostics
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
    var marks: [String: HighWaterMark] = [:]
    /// Marks of jobs that keep one for each input record, by its id.
    var byID: [String: [ExactText: HighWaterMark]] = [:]
    /// Hash of the first input record with each id.
    var owners: [String: [ExactText: Int]] = [:]
    /// Ids whose marks have changed since the last line of the journal with marks.
    var changed: [String: Set<ExactText>] = [:]
    /// Jobs with a page that has records, but no mark.
    var unmarked: Set<String> = []
    /// Jobs with a mark that has a secret in it.
    var secret: Set<String> = []

    /// Adds the marks that the interrupted run has seen.
    mutating func resume(_ job: String, _ json: JSONValue, _ form: TimeForm?) {
      if json.kind == .object {
        for member in json.members {
          byID[job, default: [:]][ExactText(member.name)] = HighWaterMark(member.value, form: form)
        }
      } else {
        marks[job] = HighWaterMark(json, form: form)
      }
    }

    mutating func see(_ mark: HighWaterMark, in job: String, by id: ExactText?) throws(HighWaterMark.Mixed) {
      guard let id else { return try marks[job, default: mark].see(mark) }
      let before = byID[job]?[id]?.value
      try byID[job, default: [:]][id, default: mark].see(mark)
      if byID[job]?[id]?.value != before { changed[job, default: []].insert(id) }
    }

    /// Keeps the saved marks of a job that are higher than those of this run.
    mutating func keep(_ remembered: JSONValue, of job: String) {
      func keep(_ value: JSONValue, in mark: inout HighWaterMark?) {
        // A mark of another kind is useless for the requests, so the new mark stays.
        try? mark?.see(value)
      }
      guard remembered.kind == .object else { return keep(remembered, in: &marks[job]) }
      for member in remembered.members { keep(member.value, in: &byID[job, default: [:]][ExactText(member.name)]) }
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
  }

  private let state: Locked<State>

  /// Starts without marks, or with those of an interrupted run.
  ///
  /// - Parameter json: marks that the interrupted run has seen.
  init(of jobs: [Job], resuming json: JSONValue? = nil) {
    var state = State()
    for (name, value) in (json ?? .null).members.map({ ($0.name, $0.value) }) {
      state.resume(name, value, jobs.first { $0.name == name }?.incremental?.form)
    }
    self.state = Locked(state)
  }

  /// Forgets all marks, for a run that begins anew.
  func forget() { state.withLock { $0 = State() } }

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
      guard mark.value != nil else {
        if recordCount > 0 { state.unmarked.insert(job) }
        return
      }
      try state.see(mark, in: job, by: id)
    }
  }

  /// Drops a mark that contains a secret, since no file of the run may contain one.
  func leaveOutSecret(in job: String) {
    state.withLock { _ = $0.secret.insert(job) }
  }

  /// A job whose mark contains a secret, if there is one.
  var secretJob: String? { state.withLock { $0.secret.min() } }

  /// Jobs with records and no mark at all, in order.
  var markless: [String] {
    let marked = Set(all.map(\.name))
    return state.withLock { $0.unmarked.subtracting(marked).subtracting($0.secret).sorted() }
  }

  /// Marks by job, in order; an object of marks by id where each input record has one.
  var all: [(name: String, value: JSONValue)] { state.withLock { $0.json() } }

  /// Returns the marks that are times (RFC 3339) after a moment, or texts with a date after its day, one a job.
  ///
  /// - Parameter limit: the moment in Unix seconds.
  func ahead(of limit: Int) -> [(job: String, mark: String)] {
    let lastDay = Timestamp(seconds: limit)?.date.text ?? ""
    return all.compactMap { job, marks in
      let texts = marks.kind == .object ? marks.members.compactMap(\.value.string) : [marks.string].compactMap { $0 }
      let mark = texts.first { text in
        if let time = Timestamp(rfc3339: text, offsetColonIsOptional: true) { return time.seconds > limit }
        // Also for `9999-99-99`: dates compare as texts.
        let day = text.utf8.prefix(10)
        let shape = day.map { (48...57).contains($0) ? "0" : UnicodeScalar($0) }
        return shape.elementsEqual("0000-00-00".unicodeScalars) && lastDay.utf8.lexicographicallyPrecedes(day)
      }
      return mark.map { (job, $0) }
    }
  }

  /// Returns the marks by job, or the saved ones if these are higher: a mark never decreases.
  func all(beside remembered: [(name: String, value: JSONValue)]) -> [(name: String, value: JSONValue)] {
    state.withLock { state in
      var state = state
      for (job, marks) in remembered { state.keep(marks, of: job) }
      return state.json()
    }
  }

  /// Returns the marks for a line of the journal; of many marks, only those that have changed since the last line.
  func takeChanges() -> [(name: String, value: JSONValue)] {
    state.withLock { state in
      defer { state.changed = [:] }
      return state.marks.isEmpty && state.changed.isEmpty ? [] : state.json(state.changed)
    }
  }
}
