/// The reason why a file could not be read or written.
package enum FileError: Error, Hashable, Sendable {
  /// The reader of a pipe left (EPIPE).
  ///
  /// No message is printed.
  case readerGone
  /// A call failed; the text names the call, the path and the system's reason.
  case failed(String)
  /// Another run holds the file; `owner` is its process number, if known.
  case busy(path: String, owner: String)
}

extension FileError {
  /// Does something with a file that an option names; the option comes first in an error.
  package static func of<Result: ~Copyable>(
    _ option: String, _ body: () throws(FileError) -> Result
  ) throws(FileError) -> Result {
    do {
      return try body()
    } catch {
      guard case .failed(let problem) = error else { throw error }
      throw .failed("\(option): \(problem)")
    }
  }

  package var isBusy: Bool {
    if case .busy = self { true } else { false }
  }

  /// The problem as a sentence without a period.
  package var problem: String {
    switch self {
    case .readerGone: "its reader went away"
    case .failed(let problem): problem
    case .busy(let path, let owner):
      "'\(path)' is held by another run" + (owner.isEmpty ? "" : " (process \(owner))")
        + ": wait for its end, or give another file"
    }
  }
}
