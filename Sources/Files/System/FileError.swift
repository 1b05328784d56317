#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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

/// The error code of a failed system call.
package struct SystemError: Error, Hashable, Sendable {
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  package var reason: String {
    switch self {
    case .noWriter: "nobody writes to this pipe"
    case .noListener: "nobody reads from this pipe"
    case .noEnd: "it is a device, or another file that never ends"
    default: String(cString: strerror(code))
    }
  }

  /// A named pipe that nobody has opened at its other end for seconds; no code of the system.
  static let noWriter = SystemError(code: -1)
  static let noListener = SystemError(code: -2)
  /// A device, or a file of the kernel, that is no file to read.
  static let noEnd = SystemError(code: -3)

  static let denied = SystemError(code: EACCES)
  static let exists = SystemError(code: EEXIST)
  static let isFolder = SystemError(code: EISDIR)
  /// A symbolic link that the call must not follow.
  static let isLink = SystemError(code: ELOOP)
  package static let missing = SystemError(code: ENOENT)
  /// A path whose folder is a file.
  package static let notFolder = SystemError(code: ENOTDIR)
  /// A socket, or a device without a driver.
  static let noDevice = SystemError(code: ENXIO)
  static let held = SystemError(code: EWOULDBLOCK)
  static let noReader = SystemError(code: EPIPE)
  /// A file that ends before it should.
  static let tooShort = SystemError(code: EIO)
  static let noSpace = SystemError(code: ENOSPC)
  /// A file system without the function: not every one can sync folders, lock files or share their bytes.
  static let unsupported: Set<SystemError> = [
    SystemError(code: EINVAL), SystemError(code: ENOTSUP), SystemError(code: EOPNOTSUPP), SystemError(code: ENOSYS),
    SystemError(code: EXDEV), SystemError(code: ENOTTY), SystemError(code: ENOLCK),
  ]
}
