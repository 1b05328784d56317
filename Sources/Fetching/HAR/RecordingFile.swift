// The file that a recording goes to: written beside its path, and there only when it is whole.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that appears under its path when `finish` has synced and renamed it; without that, nothing of it stays.
/// A path that is there and no regular file (a pipe, `/dev/null`) is written in place.
struct RecordingFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private let calls: RecordingCalls
  /// Nil when the path is written in place, and after renaming.
  private var temporary: String?
  private var buffer: [UInt8] = []

  init(path: String, calls: RecordingCalls = .system) throws(RecordingError) {
    (descriptor, temporary) = try Self.opened(path)
    self.path = path
    self.calls = calls
    buffer.reserveCapacity(Self.bufferSize)
  }

  deinit {
    // While it is locked: nobody else takes it for left behind.
    if let temporary { _ = unlink(temporary) }
    _ = close(descriptor)
  }

  /// Where other temporary files of this recording may go: the folder of the path, or nil when it is written in place.
  var folder: String? {
    temporary == nil ? nil : Self.folder(of: path)
  }

  mutating func append(_ bytes: [UInt8]) throws(RecordingError) {
    buffer += bytes
    if buffer.count >= Self.bufferSize { try flush() }
  }

  mutating func finish() throws(RecordingError) {
    try flush()
    guard let name = temporary else { return }
    guard calls.sync(descriptor) == 0 else { throw Self.fault("sync", path) }
    guard calls.move(name, path) == 0 else { throw Self.fault("rename a temporary file to", path) }
    temporary = nil
    try syncFolder()
  }

  /// A rename is safe from a power cut when its folder is on the disk. Some file systems can't sync a folder (EINVAL).
  private func syncFolder() throws(RecordingError) {
    let descriptor = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { _ = close(descriptor) }
    guard calls.sync(descriptor) == 0 || errno == EINVAL else { throw Self.fault("sync the folder of", path) }
  }

  private static let bufferSize = 1 << 16

  private mutating func flush() throws(RecordingError) {
    while !buffer.isEmpty {
      let written = calls.put(descriptor, buffer)
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw Self.fault("write", path, written == 0 ? ENOSPC : errno) }
      buffer.removeFirst(written)
    }
  }
}

extension RecordingFile {
  private static func opened(_ path: String) throws(RecordingError) -> (Int32, temporary: String?) {
    var info = stat()
    guard stat(path, &info) == 0 && info.st_mode & S_IFMT != S_IFREG else { return try temporary(beside: path) }
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw fault("open", path) }
    return (descriptor, nil)
  }

  static func temporaryName(beside path: String) -> String { path + ".pagecat-har" }

  /// A file whose name every run has for that path, so that what one left behind that was killed is used again. It is locked
  /// for as long as its process lives: another one at the same time has another name.
  private static func temporary(beside path: String) throws(RecordingError) -> (Int32, temporary: String?) {
    for attempt in 0..<1_000 {
      let name = temporaryName(beside: path) + (attempt == 0 ? "" : "-\(attempt)")
      let descriptor = open(name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { break }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        let isHeld = errno == EWOULDBLOCK
        if !isHeld { _ = unlink(name) }
        _ = close(descriptor)
        if isHeld { continue }
        return try unlocked(beside: path)
      }
      if isStill(descriptor, name), ftruncate(descriptor, 0) == 0 { return (descriptor, name) }
      _ = close(descriptor)
    }
    throw fault("make a file beside", path)
  }

  /// Whether the name still stands for the file: who had it may have renamed it just now.
  private static func isStill(_ descriptor: Int32, _ name: String) -> Bool {
    var (own, there) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && lstat(name, &there) == 0 && own.st_dev == there.st_dev
      && own.st_ino == there.st_ino && own.st_mode & S_IFMT == S_IFREG
  }

  /// Where files can't be locked: under a name of this process alone. `open` makes it with the mode that the user's umask
  /// says, which `mkstemp` would not.
  private static func unlocked(beside path: String) throws(RecordingError) -> (Int32, temporary: String?) {
    for attempt in 0..<1_000 {
      let name = "\(path).\(getpid())-\(attempt).part"
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (descriptor, name) }
      guard errno == EEXIST else { break }
    }
    throw fault("make a file beside", path)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func fault(_ call: String, _ path: String, _ code: Int32 = errno) -> RecordingError {
    RecordingError(problem: "can't \(call) '\(path)': \(String(cString: strerror(code)))")
  }
}
