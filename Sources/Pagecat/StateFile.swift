// `--state FILE`: the highest mark that the last complete run of each job saw.

import Diagnostics
import Emitting
import JSONText
import PipelineSpec
import Synchronization
import Unwrapping
import Wire

/// What is remembered from run to run, and of what it is:
/// `{"since":{"coins.yaml":"2024-01-31T00:00:00Z"},"of":{"coins.yaml":"https://api.example.com/coins"}}`.
struct StateFile: Sendable {
  private let place: FilePlace
  private let calls: SystemCalls
  /// By job; those of other specs too.
  private(set) var marks: [(name: String, value: JSONValue)] = []
  /// What the jobs ask that the marks are of.
  private var subjects: [(name: String, value: JSONValue)] = []

  /// - Throws: `SpecError` when what is there is no state, `OutputFault` when it can't be read.
  init(_ place: FilePlace, _ calls: SystemCalls) throws {
    self.place = place
    self.calls = calls
    guard let text = try Self.text(place, calls) else { return }
    guard let json = try? JSONValue(parsing: text), let since = json["since"], since.kind == .object,
      since.members.allSatisfy({ [.string, .number].contains($0.value.kind) })
    else {
      throw SpecError(messages: [
        "'\(place.path.printable)' is no state of pagecat, which is {\"since\":{\"JOB\":MARK}}: give another --state FILE"
      ])
    }
    marks = since.members.map { (name: $0.name, value: $0.value) }
    subjects = (json["of"] ?? .null).members.map { (name: $0.name, value: $0.value) }
  }

  /// Holds what the jobs of a run ask against what the marks are of: one mark is no good for another list.
  mutating func match(_ asked: [(name: String, subject: String)]) throws(SpecError) {
    for (name, subject) in asked {
      if let known = subjects.first(where: { $0.name == name })?.value.string, known != subject {
        throw SpecError(messages: [
          "'\(place.path.printable)' remembers '\(name.printable)' of '\(known.printable)', and this run asks "
            + "'\(subject.printable)': give another --state FILE, or take it out of this one"
        ])
      }
      subjects.removeAll { $0.name == name }
      subjects.append((name, JSONValue(subject)))
    }
  }

  private static func text(_ place: FilePlace, _ calls: SystemCalls) throws(OutputFault) -> [UInt8]? {
    do {
      return try WholeFile.contents(of: place, calls: calls)
    } catch {
      throw OutputFault(error)
    }
  }

  /// Remembers what a run saw; of a job that saw nothing, what was remembered before.
  mutating func save(_ seen: [(name: String, value: JSONValue)]) throws(EmitFault) {
    for (name, value) in seen {
      if let index = marks.firstIndex(where: { $0.name == name }) {
        marks[index].value = value
      } else {
        marks.append((name, value))
      }
    }
    let known = subjects.filter { subject in marks.contains { $0.name == subject.name } }
    var file = try WholeFile(place, calls: calls)
    try file.write(JSONValue(members: [("since", JSONValue(members: marks)), ("of", JSONValue(members: known))]).line)
    try file.finish()
  }
}

/// The marks that the jobs of a run have seen so far. Shared by all stages.
final class SeenMarks: Sendable {
  private let marks: Guarded<[String: HighestMark]>
  /// Jobs of which there was a page with records, and none of them had a mark.
  private let unmarked = Guarded<Set<String>>([])

  /// - Parameter json: what an interrupted run had seen.
  init(resuming json: JSONValue? = nil) {
    var marks: [String: HighestMark] = [:]
    for member in (json ?? .null).members { marks[member.name] = HighestMark(member.value) }
    self.marks = Guarded(marks)
  }

  /// - Parameter recordCount: of the page whose highest mark it is.
  func see(_ mark: HighestMark, of recordCount: Int, in job: String) throws(HighestMark.Mixed) {
    guard mark.value != nil else {
      if recordCount > 0 { unmarked.withLock { _ = $0.insert(job) } }
      return
    }
    try marks.withLock { (marks) throws(HighestMark.Mixed) in try marks[job, default: HighestMark()].see(mark) }
  }

  /// Jobs that brought records and no mark at all, in order.
  var markless: [String] {
    let marked = Set(all.map(\.name))
    return unmarked.withLock { $0.subtracting(marked).sorted() }
  }

  /// By job, in order.
  var all: [(name: String, value: JSONValue)] {
    marks.withLock { marks in
      marks.isEmpty
        ? [] : marks.sorted { $0.key < $1.key }.compactMap { name, mark in mark.value.map { (name: name, value: $0) } }
    }
  }
}
