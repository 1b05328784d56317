// One run at a time for a file: a lock that outlives renaming the file, and dies with the process.

/// The lock of a file that runs replace. It is an advisory lock (flock) on a file of its own beside it, since a lock on
/// the file itself would go away with the name. The kernel lets go of it when the process ends, however it ends; what
/// `kill -9` leaves of it is an unlocked file, in whose place the next run puts its own.
package struct RunLock: ~Copyable, Sendable {
  private let file: Descriptor

  /// - Throws: `FileError.busy` when another run has it.
  package init(_ place: OutputPath, calls: SystemCalls = .system) throws(FileError) {
    let file = try Descriptor.made(at: place.lock, for: place.path, isLock: true, calls: calls)
    do {
      try file.write(Array("\(processNumber)\n".utf8))
    } catch {
      try? calls.remove(place.lock)
      throw error
    }
    self.file = file
  }

  deinit {
    // While it is held: whoever opened it meanwhile sees that it is gone. It is in nobody's way if it stays.
    try? file.calls.remove(file.path)
  }
}
