// A run's own files, beside those that it writes. Any file may have such a name, so a run takes over or removes only
// what a run of the same user has left.

extension Descriptor {
  /// Creates a file under a name of the run's own, locked as long as it is open.
  ///
  /// An existing file without a lock was left by a dead process, and is removed. If files can't be locked, the
  /// process's number is appended to the name.
  ///
  /// - Parameters:
  ///   - isLock: true if the file exists only for its lock, and has its owner's number.
  ///   - isPrivate: true if only the file's owner may read it.
  ///   - owner: the path that the file belongs to, for messages.
  /// - Throws: `FileError.busy` when another process has it.
  static func made(
    at path: String, for owner: String, isLock: Bool = false, isPrivate: Bool = false, calls: SystemCalls
  ) throws(FileError) -> Descriptor {
    while true {
      guard let file = try Descriptor(newAt: path, for: owner, isPrivate: isPrivate, calls: calls) else {
        if try removeLeft(at: path, for: owner, isLock: isLock, calls) { continue }
        return try unlocked(at: path, for: owner, isPrivate, calls)
      }
      do throws(FileError) {
        switch try file.lock() {
        // Another process may have seen the file before it was locked, and removed it as stale.
        case .taken: if try file.isStill(at: path) { return file }
        case .held: continue
        case .impossible(let error):
          if isLock { throw FileError("lock", path, error) }
          try? calls.remove(path)
          return try unlocked(at: path, for: owner, isPrivate, calls)
        }
      } catch {
        try? calls.remove(path)
        throw error
      }
    }
  }

  /// Opens a file that a run has left, for reading and writing; nil if there is none.
  ///
  /// - Parameter isWritten: true if a file that can't be written is an error at once.
  /// - Throws: `FileError.failed` if the file was not made by a run.
  static func left(at path: String, isWritten: Bool = false, calls: SystemCalls) throws(FileError) -> Descriptor? {
    guard let file = try regular(at: path, isWritten: isWritten, calls) else { return nil }
    try file.checkIsOwn()
    return file
  }

  /// Opens the regular file at a path, also one that no run has made.
  private static func regular(
    at path: String, isWritten: Bool = false, _ calls: SystemCalls
  ) throws(FileError) -> Descriptor? {
    let number: Int32
    do {
      number = try isWritten ? calls.open(path, .left) : openLeft(path, calls)
    } catch .missing {
      return nil
    } catch .isLink {
      throw .inTheWay(path)
    } catch .isFolder {
      throw .inTheWay(path)
    } catch .noDevice {
      throw .inTheWay(path)
    } catch {
      throw FileError("open", path, error)
    }
    let file = Descriptor(number: number, path: path, calls: calls)
    guard try file.metadata().kind == .regular else { throw .inTheWay(path) }
    return file
  }

  /// Opens a file to lock it.
  ///
  /// On a network, locking a file needs the right to write to it. Seeing another user's lock does not.
  private static func openLeft(_ path: String, _ calls: SystemCalls) throws(SystemError) -> Int32 {
    do {
      return try calls.open(path, .left)
    } catch .denied {
      return try calls.open(path, .leftByAnother)
    }
  }

  /// Refuses a file with a second name, which has another use besides, and a file of another user.
  ///
  /// A folder's owner may put any file there. (Some file systems say that all files belong to one user.)
  private func checkIsOwn() throws(FileError) {
    let metadata = try metadata()
    guard metadata.nameCount <= 1 else { throw .inTheWay(path) }
    if metadata.owner == userNumber { return }
    let folder = OutputPath(path: path).folder
    do {
      if try calls.metadata(folder).owner == metadata.owner { return }
    } catch {
      throw FileError("look at", folder, error)
    }
    throw .inTheWay(path)
  }

  /// Returns false if files can't be locked.
  private static func removeLeft(
    at path: String, for owner: String, isLock: Bool, _ calls: SystemCalls
  ) throws(FileError) -> Bool {
    guard let file = try regular(at: path, calls) else { return true }
    switch try file.lock() {
    case .taken: break
    case .held: throw .busy(path: owner, owner: isLock ? try file.ownerNumber() ?? "" : "")
    case .impossible(let error):
      if isLock { throw FileError("lock", path, error) }
      return false
    }
    try file.checkIsOwn()
    if isLock, try file.ownerNumber() == nil { throw .inTheWay(path) }
    guard try file.isStill(at: path) else { return true }
    try OutputPath(path: owner).remove(path, calls)
    return true
  }

  private static func unlocked(
    at path: String, for owner: String, _ isPrivate: Bool, _ calls: SystemCalls
  ) throws(FileError) -> Descriptor {
    for attempt in 0..<100 {
      let name = "\(path)-\(processNumber)-\(attempt)"
      if let file = try Descriptor(newAt: name, for: owner, isPrivate: isPrivate, calls: calls) { return file }
    }
    throw FileError("make", path, .exists)
  }

  /// Returns the process's number in a lock file, as a text that may be empty; nil if the file has another content.
  private func ownerNumber() throws(FileError) -> String? {
    var bytes = [UInt8](repeating: 0, count: 32)
    try seek(to: 0)
    let count = try read(into: &bytes)
    let digits = bytes[..<count].filter { $0 != UInt8(ascii: "\n") }
    guard count < bytes.count, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
    return String(decoding: digits, as: UTF8.self)
  }
}

extension FileError {
  /// Returns the error about a file that no run has made, which a run must not change.
  static func inTheWay(_ path: String) -> FileError {
    .failed("cannot make '\(path)': there is a file of this name that pagecat did not make; move it away")
  }
}
