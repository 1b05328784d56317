// An unnamed temporary file: invisible to other processes, deleted when it is closed.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file that holds the overflow of a `Spool`.
///
/// The file has no name, so neither a crash nor `kill -9` leaves one on the disk.
struct SpoolFile: ~Copyable {
  private let descriptor: Int32
  /// Path of the folder, for messages only.
  private let path: String

  /// Takes ownership of a descriptor that is open for reading and writing.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Creates the file in the first folder, or in the other if that fails; throws the error of the first.
  init(folder: String, or other: String) throws(SpoolError) {
    do throws(SpoolError) {
      try self.init(folder: folder)
    } catch {
      guard folder != other, let elsewhere = try? SpoolFile(folder: other) else { throw error }
      self = elsewhere
    }
  }

  init(folder: String) throws(SpoolError) {
    #if os(Linux)
      // Not every file system has it (EOPNOTSUPP, EISDIR), so a failure only means that the other way is tried.
      let unnamed = uninterrupted { open(folder, Self.temporaryFile | O_RDWR | O_CLOEXEC, 0o600) }
      if unnamed >= 0 {
        self.init(descriptor: unnamed, path: folder)
        return
      }
    #endif
    self.init(descriptor: try Self.madeAndUnlinked(in: folder), path: folder)
  }

  deinit {
    // The content is no longer needed, so a failed close loses nothing.
    _ = close(descriptor)
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(SpoolError) {
    var rest = bytes
    var offset = offset
    while !rest.isEmpty {
      let written = uninterrupted { pwrite(descriptor, rest, min(rest.count, Self.longestCall), off_t(offset)) }
      guard written > 0 else { throw fault("write to", written == 0 ? ENOSPC : errno) }
      offset += written
      rest = written == rest.count ? [] : Array(rest.dropFirst(written))
    }
  }

  func read(_ count: Int, at offset: Int) throws(SpoolError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let wanted = min(count - bytes.count, Self.longestCall)
      var piece = [UInt8](repeating: 0, count: wanted)
      let got = uninterrupted { pread(descriptor, &piece, wanted, off_t(offset + bytes.count)) }
      guard got > 0 else { throw fault("read", got == 0 ? EIO : errno) }
      if got == count { return piece }
      bytes += piece.prefix(got)
    }
    return bytes
  }

  /// Most bytes a call: Darwin refuses more than `INT_MAX`, and Linux accepts fewer.
  private static let longestCall = 1 << 30

  private func fault(_ call: String, _ code: Int32) -> SpoolError {
    Self.fault("\(call) a temporary file in", path, code)
  }
}

extension SpoolFile {
  /// Size in bytes of the head before each piece in the file: its length and its number.
  static let headSize = 2 * wordSize
  private static let wordSize = 8

  static func head(length: Int, number: Int) -> [UInt8] {
    [length, number].flatMap { word in (0..<wordSize).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }

  static func decoded(_ head: [UInt8]) -> (length: Int, number: Int) {
    (decoded(head.prefix(wordSize)), decoded(head.dropFirst(wordSize)))
  }

  private static func decoded(_ word: ArraySlice<UInt8>) -> Int {
    word.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

extension SpoolFile {
  #if os(Linux)
    /// `O_TMPFILE`, a macro that Swift doesn't import: `__O_TMPFILE | O_DIRECTORY` (open(2)).
    ///
    /// `__O_TMPFILE` is the same on every architecture that Swift supports.
    private static let temporaryFile = 0o20_000_000 | O_DIRECTORY
  #endif

  /// Creates a file and unlinks it at once, which works everywhere; the file has a name between the two calls.
  static func madeAndUnlinked(in folder: String) throws(SpoolError) -> Int32 {
    var name = "\(folder)/.pagecat.XXXXXX".utf8CString.map { $0 }
    let descriptor = uninterrupted { mkstemp(&name) }
    guard descriptor >= 0 else { throw fault("make a temporary file in", folder, errno) }
    guard uninterrupted({ unlink(name) }) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      let code = errno
      _ = close(descriptor)
      throw fault("unlink a temporary file in", folder, code)
    }
    return descriptor
  }

  private static func fault(_ call: String, _ path: String, _ code: Int32) -> SpoolError {
    SpoolError(problem: "can't \(call) '\(path)': \(String(cString: strerror(code)))")
  }
}

/// Makes a call again that a signal has interrupted.
private func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}
