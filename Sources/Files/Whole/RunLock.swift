// One run at a time for a file: a lock that survives renaming the file, and ends with the process.

/// The lock of a file that runs replace.
///
/// It is an advisory lock (flock) on a file beside it. A lock on the file itself would disappear with the name. The kernel releases the lock when the process ends, however it ends. After `kill -9` an unlocked file
/// remains, which the next run replaces.
package struct RunLock: ~Copyable, Sendable {
  private let file: Descriptor

  /// Takes the lock.
  ///
  /// - Throws: `FileError.busy` if another run holds it.
  package init(_ outputPath: OutputPath, calls: SystemCalls = .system) throws(FileError) {
    let file = try Descriptor.made(at: outputPath.lock, for: outputPath.path, isLock: true, calls: calls)
    do {
      try file.write(Array("\(processNumber)\n".utf8))
    } catch {
      try? calls.remove(outputPath.lock)
      throw error
    }
    self.file = file
  }

  deinit {
    // Remove the file while it is locked, so that a process that has just opened it notices. A remaining file is
    // harmless.
    try? file.calls.remove(file.path)
  }
}

/// The lock of a journal, which a run holds from the release of its other locks to the end of its process.
///
/// Without it, a run that begins meanwhile would think that the run was interrupted before it deleted its journal.
package struct JournalLock: ~Copyable, Sendable {
  private let file: Descriptor

  /// Takes the lock; nil if there is no journal, or if its file can't be locked.
  ///
  /// - Throws: `FileError.busy` if another run holds it.
  package init?(_ outputPath: OutputPath, calls: SystemCalls) throws(FileError) {
    guard let file = try Descriptor.left(at: outputPath.journal, calls: calls) else { return nil }
    switch try file.lock() {
    case .taken: self.file = file
    case .held: throw .busy(path: outputPath.path, owner: "")
    case .impossible: return nil
    }
  }
}
