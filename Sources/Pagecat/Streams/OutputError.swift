import Files

/// Why output ended.
package enum OutputError: Error, Hashable, Sendable {
  /// The reader went away: no message, exit code 141.
  case readerGone
  /// What could not be written and why: exit code 5.
  case failed(String)
  /// Another run holds the file, and which: exit code 75.
  case busy(String)

  init(_ fault: FileError) {
    switch fault {
    case .readerGone: self = .readerGone
    case .failed(let problem): self = .failed(problem)
    case .busy(let path, let owner):
      self = .busy("'\(path)' is held by another run" + (owner.isEmpty ? "" : " (process \(owner))"))
    }
  }
}
