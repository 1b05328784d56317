// An open file with a name for messages. Every call is checked, and its error names the path.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An open file that is closed when its owner releases it.
package struct Descriptor: ~Copyable, Sendable {
  package let number: Int32
  let path: String
  let calls: SystemCalls

  package init(path: String, _ opening: SystemCalls.Opening, calls: SystemCalls) throws(FileError) {
    self.path = path
    self.calls = calls
    do {
      number = try opening == .inPlace ? Self.waitingForReader(path, calls) : calls.open(path, opening)
    } catch {
      throw FileError(opening == .new ? "make" : "open", path, error)
    }
  }

  /// Opens a file or pipe for writing, and waits some seconds for a pipe's reader.
  private static func waitingForReader(_ path: String, _ calls: SystemCalls) throws(SystemError) -> Int32 {
    for _ in 0..<Readiness.mostTurns {
      do {
        return try calls.open(path, .inPlace)
      } catch .noDevice {
        guard (try? calls.metadata(path))?.special == .pipe else { throw .noDevice }
        Readiness.pause()
      }
    }
    throw .noListener
  }

  /// Takes ownership of an open file.
  init(number: Int32, path: String, calls: SystemCalls) {
    self.number = number
    self.path = path
    self.calls = calls
  }

  /// Creates a new file; nil if the path exists.
  ///
  /// - Parameters:
  ///   - owner: the path that the file belongs to, for messages.
  ///   - isPrivate: true if only the file's owner may read it.
  init?(newAt path: String, for owner: String, isPrivate: Bool, calls: SystemCalls) throws(FileError) {
    try self.init(path, isPrivate ? .newPrivate : .new, calls, orNothingFor: .exists, owner: owner)
  }

  /// Opens a file for reading; nil if it does not exist.
  init?(at path: String, calls: SystemCalls) throws(FileError) {
    try self.init(path, .reading, calls, orNothingFor: .missing)
  }

  private init?(
    _ path: String, _ opening: SystemCalls.Opening, _ calls: SystemCalls, orNothingFor nothing: SystemError,
    owner: String? = nil
  ) throws(FileError) {
    do {
      number = try calls.open(path, opening)
    } catch {
      if error == nothing { return nil }
      if let owner, owner != path || error == .missing { throw .unmade(owner, error, calls) }
      throw FileError([.new, .newPrivate].contains(opening) ? "make" : "open", path, error)
    }
    self.path = path
    self.calls = calls
  }

  deinit {
    calls.close(number)
  }

  /// The outcome of locking a file.
  enum Locking {
    /// This process has the lock, as long as the file is open.
    case taken
    /// Another process has the lock.
    case held
    /// The file system has no locks.
    case impossible(SystemError)
  }

  func lock() throws(FileError) -> Locking {
    do {
      try calls.lock(number)
      return .taken
    } catch .held {
      return .held
    } catch {
      if SystemError.unsupported.contains(error) { return .impossible(error) }
      throw FileError("lock", path, error)
    }
  }

  /// Reports that a path still leads to this file.
  func isStill(at path: String) throws(FileError) -> Bool {
    let there: FileMetadata
    do {
      there = try calls.metadata(path)
    } catch .missing {
      return false
    } catch {
      throw FileError("look at", path, error)
    }
    return try there.identity == metadata().identity
  }

  func sync() throws(FileError) {
    do { try calls.sync(number) } catch { throw FileError("sync", path, error) }
  }

  func truncate(to size: Int) throws(FileError) {
    do { try calls.truncate(number, size) } catch { throw FileError("cut back", path, error) }
  }

  func seek(to offset: Int) throws(FileError) {
    do { try calls.seek(number, offset) } catch { throw FileError("seek in", path, error) }
  }

  func setMode(_ mode: UInt32) throws(FileError) {
    do { try calls.setMode(number, mode) } catch { throw FileError("set the mode of", path, error) }
  }

  func metadata() throws(FileError) -> FileMetadata {
    do { return try calls.metadataOfOpen(number) } catch { throw FileError("look at", path, error) }
  }

  /// Reads into the buffer, and returns the number of bytes, 0 at the end.
  func read(into buffer: inout [UInt8]) throws(FileError) -> Int {
    do { return try calls.read(number, &buffer) } catch { throw FileError("read", path, error) }
  }

  /// Reads exactly `count` bytes; throws if the file ends before.
  func read(exactly count: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let got = try read(into: &piece)
      guard got > 0 else { throw FileError("read", path, .tooShort) }
      if got == count { return piece }
      bytes += piece.prefix(got)
    }
    return bytes
  }

  /// Writes all bytes, in as many calls as necessary.
  func write(_ bytes: [UInt8]) throws(FileError) {
    var rest = bytes
    while !rest.isEmpty {
      let written: Int
      do { written = try calls.write(number, rest) } catch { throw FileError("write to", path, error) }
      // A device that takes nothing without an error is full.
      guard written > 0 else { throw FileError("write to", path, .noSpace) }
      rest = written == rest.count ? [] : Array(rest.dropFirst(written))
    }
  }
}

extension FileError {
  init(_ call: String, _ path: String, _ error: SystemError) {
    self = .failed("cannot \(call) '\(path)': \(error.reason)")
  }
}

extension Descriptor {
  /// Size of the copy buffer in bytes.
  private static let blockSize = 256 << 10

  /// Appends the unread rest of another file.
  ///
  /// An empty file shares the other's bytes where the file system can, so that a large one is not copied.
  borrowing func copy(_ source: borrowing Descriptor, isEmpty: Bool) throws(FileError) {
    if isEmpty, try shares(source) { return }
    var buffer = [UInt8](repeating: 0, count: Self.blockSize)
    while case let count = try source.read(into: &buffer), count > 0 {
      try write(count == buffer.count ? buffer : Array(buffer[..<count]))
    }
  }

  private borrowing func shares(_ source: borrowing Descriptor) throws(FileError) -> Bool {
    do {
      try calls.share(source.number, number)
    } catch {
      if SystemError.unsupported.contains(error) { return false }
      throw FileError("write to", path, error)
    }
    try seek(to: source.metadata().size)
    return true
  }
}

/// Waits for a descriptor that another process has made non-blocking; its mode is shared and must not change.
enum Readiness {
  case toRead, toWrite

  /// Time of one wait for the other end of a pipe, in milliseconds, and the most such waits: five seconds.
  static let turn: Int32 = 50
  static let mostTurns = 100

  /// Waits, and returns true if the descriptor is ready or its other end is closed.
  @discardableResult
  static func wait(for descriptor: Int32, _ readiness: Readiness, milliseconds: Int32 = -1) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(readiness == .toRead ? POLLIN : POLLOUT), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  static func pause() { _ = poll(nil, 0, turn) }
}
