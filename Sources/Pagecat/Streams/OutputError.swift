import Files

/// The reason why the output ended.
package enum OutputError: Error, Hashable, Sendable {
  /// The reader left: no message, exit code 141.
  case readerGone
  /// A write failed, with a message: exit code 5.
  case failed(String)
  /// Another run holds the file, with a message: exit code 75.
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
