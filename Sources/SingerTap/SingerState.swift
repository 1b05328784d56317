import Diagnostics
package import Engine
import JSONText
import Primitives

/// A Singer state: the highest marks of each stream's jobs with their requests, and the positions of streams.
package struct SingerState: Sendable {
  private var bookmarks: [(name: String, value: JSONValue)] = []
  private var positions: [(name: String, value: JSONValue)] = []
  /// The requests to which the marks belong, by stream and job.
  private var subjects: [(name: String, value: JSONValue)] = []
  /// The pagers that jobs with `pages: auto` have chosen, by stream and job.
  private var chosenPages: [(name: String, value: JSONValue)] = []

  package init() {}

  /// Reads a state, as a tap writes it or as a target keeps it (with or without `value`).
  ///
  /// An empty file is no state.
  ///
  /// - Throws: `SpecError` if the text is no object, or has nothing that a tap writes: a stream would start over.
  package init(_ bytes: [UInt8], name: String) throws(SpecError) {
    if bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { return }
    func problem(_ text: String) -> SpecError { SpecError(messages: ["'\(name.printable)' is not a state: \(text)"]) }
    guard let json = try? JSONValue(parsing: bytes), json.kind == .object else {
      throw problem("it must be a JSON object")
    }
    let value = json["value"] ?? json
    guard value.kind == .object else {
      throw problem("its 'value' must be an object, and is \(value.kind.withArticle)")
    }
    let parts = ["bookmarks", "positions"].compactMap { name in value[name].map { (name, $0) } }
    if parts.isEmpty, value.members.contains(where: { _ in true }) {
      throw problem("it has neither 'bookmarks' nor 'positions'; without --state all begins anew")
    }
    for (name, part) in parts where part.kind != .object && !part.isNull {
      throw problem("its '\(name)' must be an object, and is \(part.kind.withArticle)")
    }
    for stream in (value["bookmarks"] ?? .null).members where ![.object, .null].contains(stream.value.kind) {
      throw problem(
        "its bookmark of '\(stream.name.printable)' must be an object, and is \(stream.value.kind.withArticle)")
    }
    bookmarks = (value["bookmarks"] ?? .null).members.map { ($0.name, $0.value) }
    subjects = (value["of"] ?? .null).members.map { ($0.name, $0.value) }
    chosenPages = (value["auto"] ?? .null).members.map { ($0.name, $0.value) }
    positions = (value["positions"] ?? .null).members.filter { !$0.value.isNull }.map { ($0.name, $0.value) }
  }

  /// Position of a stream that was not complete, as `RunPosition` writes it.
  func position(of stream: String) -> JSONValue? {
    positions.first { $0.name == stream }?.value.nonNull.flatMap { $0[Self.done] == nil ? $0 : nil }
  }

  /// Member of the position of a stream that is complete, while other streams of the tap are not: the identity of the
  /// run.
  private static let done = "done"

  /// The run that completed the stream, if the tap was killed before it completed all streams.
  func doneRun(of stream: String) -> Int? { positions.first { $0.name == stream }?.value[Self.done]?.integer }

  /// Notes that the stream is complete, so that a tap that is killed does not repeat the stream.
  mutating func finish(_ stream: String, by run: Int) {
    store(stream, at: JSONValue(members: [(Self.done, JSONValue(run))]))
  }

  /// Forgets which streams are complete, since the next run repeats all; returns false if there are none.
  mutating func forgetDone() -> Bool {
    let done = positions.indices.filter { positions[$0].value[Self.done] != nil }
    for index in done { positions[index].value = .null }
    return !done.isEmpty
  }

  /// Checks that the marks of a stream belong to the requests of this run.
  func check(_ asked: [MarkSubject], of stream: String) throws(SpecError) {
    let known = subjects.first { $0.name == stream }?.value ?? .null
    for subject in asked where self[stream][subject.job] != nil {
      guard let text = known[subject.job]?.string, text != subject.text else { continue }
      throw SpecError(messages: [
        "--state: the bookmark of '\(stream.printable)' is of '\(text.printable)', and this run asks "
          + "'\(subject.text.printable)': give another state, or take the bookmark out of this one"
      ])
    }
  }

  /// Replaces the position of a stream.
  mutating func store(_ stream: String, at position: JSONValue) {
    positions.removeAll { $0.name == stream }
    positions.append((stream, position))
  }

  /// Ends the position of a stream, if it has one.
  ///
  /// The stream gets a null. A tool that merges states, as Meltano may, would otherwise keep an older position.
  mutating func endPosition(of stream: String) {
    if let index = positions.firstIndex(where: { $0.name == stream }) { positions[index].value = .null }
  }

  /// Marks of a stream, by job.
  subscript(stream: String) -> [String: JSONValue] {
    let marks = bookmarks.first { $0.name == stream }?.value ?? .null
    return Dictionary(marks.members.filter { !$0.value.isNull }.map { ($0.name, $0.value) }) { $1 }
  }

  /// Takes over newer marks of a stream.
  ///
  /// If a job has a mark for each input record, only its newer marks are taken over.
  mutating func remember(
    _ marks: [(name: String, value: JSONValue)], by subjects: [MarkSubject], of stream: String
  ) {
    var known = self[stream]
    for (name, value) in marks { known[name] = known[name].map { value.added(to: $0) } ?? value }
    guard !known.isEmpty else { return }
    let entry = JSONValue(members: known.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    bookmarks.removeAll { $0.name == stream }
    bookmarks.append((stream, entry))
    self.subjects.removeAll { $0.name == stream }
    let texts = subjects.filter { known[$0.job] != nil }.map { (name: $0.job, value: JSONValue($0.text)) }
    self.subjects.append((stream, JSONValue(members: texts)))
  }

  /// The pagers that the stream's jobs have chosen in an earlier run.
  func chosenPages(of stream: String) -> JSONValue? { chosenPages.first { $0.name == stream }?.value }

  /// Takes over the pagers that the stream's jobs have chosen.
  mutating func remember(_ pages: JSONValue, of stream: String) {
    chosenPages.removeAll { $0.name == stream }
    chosenPages.append((stream, pages))
  }

  /// The state as a STATE message.
  var message: [UInt8] { JSONValue(members: [("type", JSONValue("STATE")), ("value", json)]).line }

  /// The state as the value of a STATE message.
  var json: JSONValue {
    var members = [(name: "bookmarks", value: JSONValue(members: bookmarks))]
    if !positions.isEmpty { members.append(("positions", JSONValue(members: positions))) }
    if !subjects.isEmpty { members.append(("of", JSONValue(members: subjects))) }
    if !chosenPages.isEmpty { members.append(("auto", JSONValue(members: chosenPages))) }
    return JSONValue(members: members)
  }
}

extension JSONValue {
  fileprivate var nonNull: JSONValue? { isNull ? nil : self }

  /// Returns an older object with this one's members; this value itself if one of both is no object.
  fileprivate func added(to older: JSONValue) -> JSONValue {
    guard kind == .object, older.kind == .object else { return self }
    let newer = Set(members.map { ExactText($0.name) })
    return JSONValue(
      members: older.members.filter { !newer.contains(ExactText($0.name)) }.map { (name: $0.name, value: $0.value) }
        + members.map { (name: $0.name, value: $0.value) })
  }
}

/// The positions of a stream while it is written, and the times at which STATE messages carry them.
///
/// A STATE is written at most once a second, since a target may write all pending records for each STATE.
struct SingerProgress {
  private static let interval: Duration = .seconds(1)

  private let stream: String
  /// True if the stream was resumed at a position.
  private let isResumed: Bool
  /// The last moment at which the stream can be resumed, if no STATE has carried it.
  private var moment: Run.Moment?
  private var written: ContinuousClock.Instant?
  /// True if the run has moved on from its first position.
  private var hasMoved = false

  init(_ stream: String, isResumed: Bool) {
    (self.stream, self.isResumed) = (stream, isResumed)
  }

  /// True if it is time for a STATE with the last moment.
  var isDue: Bool { moment != nil && written.map { .now - $0 >= Self.interval } ?? true }

  mutating func move(to moment: Run.Moment?) {
    guard let moment else { return }
    self.moment = moment
    hasMoved = true
  }

  /// Puts the last moment into the state; returns false if no moment can be written.
  mutating func store(_ run: Run, in state: inout SingerState) -> Bool {
    guard let moment else { return false }
    (self.moment, written) = (nil, .now)
    guard let position = run.position(at: moment) else { return false }
    state.store(stream, at: position)
    return true
  }

  /// Puts the end of the stream's run into the state; returns false if a STATE would have nothing new.
  mutating func end(_ run: Run, in state: inout SingerState) -> Bool {
    let counters = run.report.counters
    if counters.verdict == .failed {
      if hasMoved { return store(run, in: &state) }
      // A position that the run refused would be refused in every run.
      guard isResumed, counters.refusal != nil || counters.isPositionLost else { return false }
    }
    let hasPosition = state.position(of: stream) != nil
    state.endPosition(of: stream)
    return counters.verdict == .complete || hasPosition
  }
}
