// The input records that `onError` left out or answered empty, to be piped back in.

import Primitives
import Files
import JSONText
import Synchronization
import Wire

/// Input records that failed together, or whose pages are not the whole set.
struct RejectedInput: Sendable {
  /// The records with their numbers in the job's input, from 1.
  let records: [(number: Int, record: JSONValue)]
  let job: String
  let stage: Int
  let error: JSONValue
  /// True if the records came out all the same: their lines stay when they are processed again.
  var isShort = false
}

/// `--rejects FILE`: one line for each record, in a file that replaces that of the previous run.
///
/// Without FILE, the lines go only to the journal, for a resumed run that has a FILE.
final class RejectsFile: Sendable {
  /// A record that has a line.
  ///
  /// The parts of a window have one number, so that their bytes count, too.
  private struct Subject: Hashable {
    let stage: Int
    let number: Int
    /// Hash of the record as its line has it.
    let hash: Int

    init(stage: Int, number: Int, _ line: JSONValue) {
      (self.stage, self.number, hash) = (stage, number, Array((line["record"] ?? .null).bytes).fingerprint)
    }
  }

  private struct State: ~Copyable {
    var file: AtomicFile?
    var fault: FileError?
    /// The newest records that have a line: what repeats, repeats while the pages of its record come.
    var subjects: Set<Subject> = []
    /// The records before these.
    var older: Set<Subject> = []

    /// Returns false for a record that has a line.
    mutating func insert(_ subject: Subject) -> Bool {
      if subjects.count == RejectsFile.mostSubjects { (subjects, older) = ([], subjects) }
      return !older.contains(subject) && subjects.insert(subject).inserted
    }
  }

  private static let mostSubjects = 1 << 15

  private let state: Locked<State>
  private let checkpointedOutput: CheckpointedOutput?

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - file: the file; nil without `--rejects`.
  ///   - lines: the journal's lines about the rejected records of an interrupted run, which the file begins with.
  ///   - checkpointedOutput: receives the records as well, so that a resumed run has them.
  init(_ file: consuming sending AtomicFile?, resuming lines: [JSONValue], _ checkpointedOutput: CheckpointedOutput?) {
    var state = State(file: file)
    for line in lines {
      let number = (line["record"] ?? line["short"])?.integer ?? 0
      _ = state.insert(Subject(stage: line["stage"]?.integer ?? 0, number: number, line["reject"] ?? .null))
    }
    self.state = Locked(state)
    self.checkpointedOutput = checkpointedOutput
  }

  /// Opens a file that begins with the rejected records of an interrupted run.
  static func begin(
    _ outputPath: OutputPath, resuming interrupted: [JSONValue], calls: SystemCalls
  ) throws(FileError) -> AtomicFile {
    var file = try AtomicFile(outputPath, calls: calls)
    for line in interrupted { try file.write(line["reject"]?.line ?? []) }
    return file
  }

  /// Adds a line for each record that has none: a record that is piped back in is fetched once.
  ///
  /// The records are unchanged, so that they can be read again. An error doesn't end the run; `finish()` throws it.
  func add(_ input: RejectedInput) {
    for (number, record) in input.records {
      let line = JSONValue(members: [
        ("step", JSONValue(input.job)), ("record", record.inLine), ("error", input.error),
      ])
      state.withLock { state in
        guard state.insert(Subject(stage: input.stage, number: number, line)) else { return }
        checkpointedOutput?.reject(line, stage: input.stage, record: number, isShort: input.isShort)
        do throws(FileError) {
          if state.fault == nil { try state.file?.write(line.line) }
        } catch {
          state.fault = error
        }
      }
    }
  }

  /// Drops the lines so far.
  ///
  /// - Parameter begin: opens the file to write from now on.
  func beginAnew(_ begin: () throws(FileError) -> AtomicFile?) throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      // The new file's temporary name is that of the old one, which is removed first.
      state = State(file: nil)
      state = State(file: try begin())
    }
  }

  func finish() throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      if let fault = state.fault { throw fault }
      try state.file?.finish()
    }
  }
}

extension JSONValue {
  /// The value in a form that `unwrap` reads as one record: an array would be several records, and null no record.
  fileprivate var inLine: JSONValue { [.array, .null].contains(kind) ? JSONValue(elements: [self]) : self }
}
