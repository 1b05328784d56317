// The input records that `onError` left out or answered empty, to be piped back in.

import Files
import JSONText
import Synchronization
import Wire

/// `--rejects FILE`: one line a record, in a file that replaces the one of the run before. Without FILE they are only
/// written down for a run that goes on with this one and may want them.
final class RejectsFile: Sendable {
  private struct State: ~Copyable {
    var file: AtomicFile?
    var fault: FileError?
  }

  private let state: Locked<State>
  private let checkpointedOutput: CheckpointedOutput?

  /// - Parameters:
  ///   - file: the file, if there is to be one.
  ///   - ledger: where they are written down too, to be there again when the run is gone on with.
  init(_ file: consuming sending AtomicFile?, _ checkpointedOutput: CheckpointedOutput?) {
    state = Locked(State(file: file))
    self.checkpointedOutput = checkpointedOutput
  }

  /// A file that begins with what an interrupted run has written down of them.
  static func begin(
    _ place: OutputPath, resuming interrupted: [JSONValue], calls: SystemCalls
  ) throws(FileError) -> AtomicFile {
    var file = try AtomicFile(place, calls: calls)
    for line in interrupted { try file.write(line["reject"]?.line ?? []) }
    return file
  }

  /// A line that can't be written doesn't end the run: the fault comes out of `finish()`.
  func add(_ failure: Failure, _ record: JSONValue, stage: Int) {
    let line = Self.line(failure, record)
    checkpointedOutput?.reject(line, stage: stage, record: failure.record ?? 0)
    state.withLock { state in
      do throws(FileError) {
        if state.fault == nil { try state.file?.write(line.line) }
      } catch {
        state.fault = error
      }
    }
  }

  func finish() throws(FileError) {
    try state.withLock { (state) throws(FileError) in
      if let fault = state.fault { throw fault }
      try state.file?.finish()
    }
  }

  /// The record stands there as it went in, or it could not go in again; everything else has its secrets masked.
  private static func line(_ failure: Failure, _ record: JSONValue) -> JSONValue {
    let error = failure.error
    return JSONValue(members: [
      ("step", JSONValue(failure.job)), ("record", record.inLine),
      (
        "error",
        JSONValue(members: [
          ("code", JSONValue(error.title)), ("message", JSONValue(error.explanation)),
          ("url", error.url.map { JSONValue($0) } ?? .null), ("status", error.status.map { JSONValue($0) } ?? .null),
        ])
      ),
    ])
  }
}

extension JSONValue {
  /// As it is one record again when the line is unwrapped, which takes a list for several and null for none.
  fileprivate var inLine: JSONValue { [.array, .null].contains(kind) ? JSONValue(elements: [self]) : self }
}

extension NetworkingError {
  /// The description without the error's name.
  fileprivate var explanation: String { String(description.dropFirst(title.count + 2)) }

  /// Where it was asked for, if it was.
  fileprivate var url: String? {
    switch self {
    case .invalidURL(let url, _), .invalidResponseStatus(_, let url, _, _, _), .notReady(let url, _, _, _),
      .transportFailure(let url, _, _), .contentFailure(let url, _, _), .paginationLoop(let url, _, _),
      .invalidPage(let url, _, _):
      url
    case .invalidJSON(let source, let page, _, _, _, _), .decodingError(let source, let page, _, _, _, _):
      page == nil ? nil : source
    case .missingContentIdentifier(_, let source, let page, _):
      page == nil ? nil : source
    case .invalidParameter, .outputFailure, .invalidDecoderConfiguration:
      nil
    }
  }

  fileprivate var status: Int? {
    switch self {
    case .invalidResponseStatus(let status, _, _, _, _): status
    case .notReady: 202
    default: nil
    }
  }
}
