// `--state FILE`: the highest mark that the last complete run of each job saw.

import Diagnostics
import FetchPlan
import Fetching
package import Files
package import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Unwrapping
import Wire

/// The marks that are saved from run to run, with the requests to which they belong.
///
/// The form is `{"since":{"coins.yaml":"2024-01-31T00:00:00Z"},"of":{"coins.yaml":"https://api.example.com/coins"}}`. A
/// member `"with":{"coins.yaml":{"currency":"usd"}}` follows if the query has parameters or literal items. A job with `by` has an
/// object of marks by id. A member `"at"` has the hashes of the records at the marks: an inclusive filter sends them again.
/// A member `"auto"` has the pagers that jobs with `pages: auto` have chosen. A member `"by"` has what FILE is made of, for lists
/// that are asked for only if they have changed.
package struct StateFile: Sendable {
  private let outputPath: OutputPath
  private let calls: SystemCalls
  /// Marks by job, including those of other specs.
  package private(set) var marks: [(name: String, value: JSONValue)] = []
  /// The records at these marks.
  private(set) var records = RecordsAtMarks()
  /// The pagers that jobs with `pages: auto` have chosen.
  private(set) var chosenPages: [String: ChosenPages] = [:]
  /// Requests to which the marks belong, by job.
  private var subjects: [(name: String, value: JSONValue)] = []
  /// Parameters and literal query items of these requests, by job.
  private var choices: [(name: String, value: JSONValue)] = []
  /// What made FILE of the lists that are asked for only if they have changed, by job.
  private var writers: [(name: String, value: JSONValue)] = []

  /// Reads the file.
  ///
  /// - Throws: `SpecError` if the file has another form, `FileError` if it can't be read.
  package init(_ outputPath: OutputPath, _ calls: SystemCalls) throws {
    self.outputPath = outputPath
    self.calls = calls
    guard let text = try AtomicFile.contents(ofRegular: outputPath, calls) else { return }
    guard let json = try? JSONValue(parsing: text), let since = json["since"], since.kind == .object,
      since.members.allSatisfy({
        $0.value.isMark || $0.value.members.allSatisfy(\.value.isMark) && $0.value.kind == .object
      })
    else {
      throw SpecError(messages: [
        "'\(outputPath.path.printable)' is not a state of pagecat, which is {\"since\":{\"JOB\":MARK}}: give another --state FILE"
      ])
    }
    marks = since.members.map { (name: $0.name, value: $0.value) }
    records = RecordsAtMarks(json["at"])
    chosenPages = ChosenPages.all(in: json["auto"])
    subjects = (json["of"] ?? .null).members.map { (name: $0.name, value: $0.value) }
    choices = (json["with"] ?? .null).members.map { (name: $0.name, value: $0.value) }
    writers = (json["by"] ?? .null).members.map { (name: $0.name, value: $0.value) }
  }

  /// Compares the jobs' requests with those of the saved marks: a mark is useless for another list.
  ///
  /// - Returns: warnings about changed parameters, which may select another list, or only the size of its pages.
  package mutating func match(_ asked: [MarkSubject]) throws(SpecError) -> [String] {
    var advice: [String] = []
    for subject in asked {
      if let known = subjects.first(where: { $0.name == subject.job })?.value.string, known != subject.text {
        throw SpecError(messages: [
          "'\(outputPath.path.printable)' remembers '\(subject.job.printable)' of '\(known.printable)', and this run asks "
            + "'\(subject.text.printable)': give another --state FILE, or take it out of this one"
        ])
      }
      if marks.contains(where: { $0.name == subject.job }) { advice += changed(subject) }
      subjects.removeAll { $0.name == subject.job }
      subjects.append((subject.job, JSONValue(subject.text)))
      choices.removeAll { $0.name == subject.job }
      guard !subject.choices.isEmpty else { continue }
      choices.append((subject.job, JSONValue(members: subject.choices)))
    }
    return advice
  }

  /// Returns a sentence for each parameter or variable that has changed.
  private func changed(_ subject: MarkSubject) -> [String] {
    let known = choices.first { $0.name == subject.job }?.value ?? .null
    return subject.choices.compactMap { name, value in
      guard let old = known[name], old != value else { return nil }
      let change =
        if let old = old.string, let new = value.string {
          "with \(name)=\(old.printable), and this run has \(name)=\(new.printable)"
        } else {
          "with another value of the variable '\(name.printable)'"
        }
      return
        "'\(outputPath.path.printable)' remembers '\(subject.job.printable)' \(change): if that is another list, what is "
        + "older than the mark is missed; give each its own --state FILE"
    }
  }

  /// Returns what FILE was made of when the job's mark was saved.
  func writer(of job: String) -> String? { writers.first { $0.name == job }?.value.string }

  /// Saves the marks of a run; a job that saw none keeps its saved mark.
  ///
  /// - Parameters:
  ///   - pages: the pagers that jobs of the run have chosen.
  ///   - all: what FILE is made of, by job.
  mutating func save(
    _ seen: (marks: [(name: String, value: JSONValue)], records: RecordsAtMarks), _ pages: [String: ChosenPages],
    by all: [String: String]
  ) throws(FileError) {
    chosenPages.merge(pages) { $1 }
    for (name, _) in seen.marks {
      guard let writer = all[name] else { continue }
      writers.removeAll { $0.name == name }
      writers.append((name, JSONValue(writer)))
    }
    for (name, value) in seen.marks where value.kind != .object { records.jobs[name] = nil }
    records.merge(seen.records.json)
    for (name, value) in seen.marks {
      if let index = marks.firstIndex(where: { $0.name == name }) {
        marks[index].value = value.kind == .object ? marks[index].value.merging(value) : value
      } else {
        marks.append((name, value))
      }
    }
    func known(_ all: [(name: String, value: JSONValue)]) -> [(name: String, value: JSONValue)] {
      all.filter { member in marks.contains { $0.name == member.name } }
    }
    var members = [("since", JSONValue(members: marks)), ("of", JSONValue(members: known(subjects)))]
    let choices = known(choices)
    if !choices.isEmpty { members.append(("with", JSONValue(members: choices))) }
    if !records.isEmpty { members.append(("at", records.json)) }
    if let pages = ChosenPages.json(of: chosenPages) { members.append(("auto", pages)) }
    let writers = known(writers)
    if !writers.isEmpty { members.append(("by", JSONValue(members: writers))) }
    var file = try AtomicFile(outputPath, calls: calls)
    try file.write(JSONValue(members: members).line)
    try file.finish()
  }
}

extension AtomicFile {
  /// Returns the content of a file; nothing of one that is not regular, since reading a pipe would wait.
  fileprivate static func contents(
    ofRegular outputPath: OutputPath, _ calls: SystemCalls
  ) throws(FileError) -> [UInt8]? {
    if let kind = try OutputPath.metadata(of: outputPath.path, calls: calls)?.kind, kind != .regular { return [] }
    return try contents(of: outputPath, calls: calls)
  }
}

extension JSONValue {
  fileprivate var isMark: Bool { kind == .string || kind == .number }

  /// Returns this object of marks with another one's marks, which replace those with the same id.
  fileprivate func merging(_ other: JSONValue) -> JSONValue {
    var news = Dictionary(other.members.map { (ExactText($0.name), $0.value) }) { $1 }
    var merged = members.map { member in (member.name, news.removeValue(forKey: ExactText(member.name)) ?? member.value)
    }
    merged += other.members.filter { news[ExactText($0.name)] != nil }.map { ($0.name, $0.value) }
    return JSONValue(members: merged)
  }
}

// `--tokens FILE`: the newest refresh token of each account.

/// True while a server is asked for a token that may replace the refresh token.
package var isExchangingRefreshTokens: Bool { RefreshExchange.isUnderWay }

/// The refresh tokens that servers gave in place of those in the specs.
///
/// The form is `{"tokens":[{"at":"https://example.com/token","of":"5d41…","refresh":"…"}]}`. The name `of` is that of
/// `RefreshTokenHolder`. Only the file's owner can read the file.
final class TokenFile: RefreshTokenStore {
  private struct Entry: Sendable {
    let url: String
    let name: String
    var token: String
  }

  private struct State: ~Copyable, Sendable {
    var entries: [Entry]
    /// The next file, with room for the answer that a server is asked for.
    var next: AtomicFile?
    var isOpen = true
  }

  /// Room for what an answer adds to the file, in bytes.
  private static let room = 16 << 10

  private let outputPath: OutputPath
  private let calls: SystemCalls
  private let state: Locked<State>

  /// Reads the file.
  ///
  /// - Throws: `SpecError` if the file has another form, `FileError` if it can't be read.
  init(_ outputPath: OutputPath, _ calls: SystemCalls) throws {
    self.outputPath = outputPath
    self.calls = calls
    try AtomicFile.takeUp(outputPath, calls: calls) { Self.entries($0) != nil }
    guard let entries = try AtomicFile.contents(ofRegular: outputPath, calls).map(Self.entries) else {
      state = Locked(State(entries: []))
      return
    }
    guard let entries else {
      throw SpecError(messages: [
        "'\(outputPath.path.printable)' is not a file of tokens, which is {\"tokens\":[…]}: give another --tokens FILE"
      ])
    }
    state = Locked(State(entries: entries))
  }

  func token(for holder: RefreshTokenHolder) -> String? {
    let name = holder.name
    return state.withLock { state in state.entries.first { $0.name == name }?.token }
  }

  func makeRoom() throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      guard state.isOpen else { throw .failed("the run has ended") }
      guard state.next == nil else { return }
      var file = try AtomicFile(private: outputPath, calls: calls)
      try file.reserve(Self.room + Self.line(state.entries).count)
      state.next = consume file
    }
  }

  func keep(_ token: String, for holder: RefreshTokenHolder) throws(FileError) {
    let entry = Entry(url: holder.url.redacted, name: holder.name, token: token)
    try state.withLock { (state) throws(FileError) in
      // The lock on the file is gone: another run may have written to it.
      guard state.isOpen else { throw .failed("the run has ended") }
      let entries = state.entries.filter { $0.name != entry.name } + [entry]
      var isLeft = false
      do throws(FileError) {
        try write(entries, to: state.next.take(), &isLeft)
      } catch {
        // The server may accept no other token any more: another file may succeed where the first one failed. A whole
        // one stays as it is: a full disk may have no room for another.
        do throws(FileError) {
          guard !isLeft else { throw error }
          try write(entries, to: nil, &isLeft)
        } catch {
          let advice =
            isLeft
            ? "the next run takes it from '\(outputPath.temporary)'"
            : "if the server refuses the old one now, get a new one from it, and put it into the spec"
          throw .failed("\(error.problem); \(advice)")
        }
      }
      state.entries = entries
    }
  }

  /// Refuses further tokens, before the lock on the file ends.
  func close() {
    state.withLock { state in
      state.isOpen = false
      state.next = nil
    }
  }

  /// - Parameter isLeft: becomes true if the file is whole, and stays beside its path after a failure.
  private func write(_ entries: [Entry], to next: consuming AtomicFile?, _ isLeft: inout Bool) throws(FileError) {
    var file = if let next { next } else { try AtomicFile(private: outputPath, calls: calls) }
    defer { isLeft = file.isLeft }
    try file.write(Self.line(entries))
    try file.finish()
  }

  private static func line(_ entries: [Entry]) -> [UInt8] {
    let tokens = entries.map { entry in
      JSONValue(members: [
        ("at", JSONValue(entry.url)), ("of", JSONValue(entry.name)), ("refresh", JSONValue(entry.token)),
      ])
    }
    return JSONValue(members: [("tokens", JSONValue(elements: tokens))]).line
  }

  /// Returns the tokens; nil if the text has another form.
  private static func entries(_ text: [UInt8]) -> [Entry]? {
    guard let json = try? JSONValue(parsing: text), let tokens = json["tokens"], tokens.kind == .array else {
      return nil
    }
    var entries: [Entry] = []
    for element in tokens.elements {
      guard let url = element["at"]?.string, let name = element["of"]?.string, let token = element["refresh"]?.string,
        !token.isEmpty
      else { return nil }
      entries.append(Entry(url: url, name: name, token: token))
    }
    return entries
  }
}
