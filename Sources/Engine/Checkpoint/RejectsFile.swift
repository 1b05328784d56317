// The input records that `onError` left out or answered empty, to be piped back in.

import Primitives
import Files
import JSONText
import Synchronization
import Wire

/// An input record whose pages are not the whole set.
struct ReportedInput: Sendable {
  let record: JSONValue
  /// URL of its first request, without secrets.
  let url: String
  let stage: Int
}

/// `--rejects FILE`: one line for each record, in a file that replaces that of the previous run.
///
/// Without FILE, the lines go only to the journal, for a resumed run that has a FILE.
final class RejectsFile: Sendable {
  private struct State: ~Copyable {
    var file: AtomicFile?
    var fault: FileError?
  }

  private let state: Locked<State>
  private let checkpointedOutput: CheckpointedOutput?

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - file: the file; nil without `--rejects`.
  ///   - checkpointedOutput: receives the records as well, so that a resumed run has them.
  init(_ file: consuming sending AtomicFile?, _ checkpointedOutput: CheckpointedOutput?) {
    state = Locked(State(file: file))
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

  /// Adds a line.
  ///
  /// An error doesn't end the run; `finish()` throws it.
  ///
  /// - Parameter number: number of the record in the job's input, from 1.
  func add(_ failure: Failure, _ record: JSONValue, stage: Int, number: Int) {
    add(Self.line(failure, record), stage: stage, number: number)
  }

  /// Adds the line of an input record whose pages are not the whole set; its records came out all the same.
  func add(_ input: ReportedInput, reason: String, job: String) {
    let error = JSONValue(members: [
      ("code", JSONValue(Verdict.short.rawValue)), ("message", JSONValue(reason)), ("url", JSONValue(input.url)),
      ("status", .null),
    ])
    add(
      JSONValue(members: [("step", JSONValue(job)), ("record", input.record.inLine), ("error", error)]),
      stage: input.stage, number: 0)
  }

  private func add(_ line: JSONValue, stage: Int, number: Int) {
    checkpointedOutput?.reject(line, stage: stage, record: number)
    state.withLock { state in
      do throws(FileError) {
        if state.fault == nil { try state.file?.write(line.line) }
      } catch {
        state.fault = error
      }
    }
  }

  /// Drops the lines so far.
  ///
  /// - Parameter begin: opens the file to write from now on.
  func beginAnew(_ begin: () throws(FileError) -> AtomicFile) throws(FileError) {
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

  /// Returns the line of a record.
  ///
  /// The record is unchanged, so that it can be read again; the rest is redacted.
  private static func line(_ failure: Failure, _ record: JSONValue) -> JSONValue {
    let error = failure.error
    return JSONValue(members: [
      ("step", JSONValue(failure.job)), ("record", record.inLine),
      ("error", error.json),
    ])
  }
}

extension JSONValue {
  /// The value in a form that `unwrap` reads as one record: an array would be several records, and null no record.
  fileprivate var inLine: JSONValue { [.array, .null].contains(kind) ? JSONValue(elements: [self]) : self }
}
