// Files of a run's own, beside those that it writes. What stands under such a name may be anything: only what a run of the
// same user has left is taken over or removed.

extension Descriptor {
  /// A new file under a name of a run's own, locked as long as it is open.
  ///
  /// A file that is there and not locked was left by a process that is dead, and is removed. Where files can't be
  /// locked, the name has the process's number behind it.
  ///
  /// - Parameters:
  ///   - isLock: whether the file is there for its lock alone, and holds its owner's number.
  ///   - isPrivate: true if nobody but its owner may read it.
  ///   - owner: the path that it belongs to, for messages.
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
        // Who has looked at it before it was locked may have taken it for left behind.
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

  /// A file that a run has left, for reading and writing; nil when there is none.
  ///
  /// - Parameter isWritten: true if a file that can't be written is an error at once.
  /// - Throws: `FileError.failed` when what is there is no file of a run.
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
    guard try file.facts().kind == .regular else { throw .inTheWay(path) }
    return file
  }

  /// To lock a file on a network, one must be allowed to write to it; to see whether another user has locked his, one need not.
  private static func openLeft(_ path: String, _ calls: SystemCalls) throws(SystemError) -> Int32 {
    do {
      return try calls.open(path, .left)
    } catch .denied {
      return try calls.open(path, .leftByAnother)
    }
  }

  /// Refuses a file that has a second name, since it is something else besides, and one of another user.
  ///
  /// A folder's owner may put there whatever he likes. (Some file systems say of all files that they are one user's.)
  private func checkIsOwn() throws(FileError) {
    let facts = try facts()
    guard facts.nameCount <= 1 else { throw .inTheWay(path) }
    if facts.owner == userNumber { return }
    let folder = OutputPath(path: path).folder
    do {
      if try calls.facts(folder).owner == facts.owner { return }
    } catch {
      throw FileError("look at", folder, error)
    }
    throw .inTheWay(path)
  }

  /// False where files can't be locked.
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

  /// The process's number that a lock holds, as a text that may be empty; nil where something else stands there.
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
