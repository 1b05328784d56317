// One run at a time for a file: a lock that outlives renaming the file, and dies with the process.

/// The lock of a file that runs replace. It is an advisory lock (flock) on a file of its own beside it, since a lock on
/// the file itself would go away with the name. The kernel lets go of it when the process ends, however it ends; what
/// `kill -9` leaves of it is an unlocked file, which the next run takes over.
package struct RunLock: ~Copyable, Sendable {
  private let file: Descriptor

  /// - Throws: `FileError.busy` when another run has it.
  package init(_ place: OutputPath, calls: SystemCalls = .system) throws(FileError) {
    while true {
      let file = try Descriptor(path: place.lock, .own, calls: calls)
      guard try file.lock() else { throw .busy(path: place.path, owner: try file.text()) }
      // Whoever had it before may have removed it between our two calls: then what we have locked is nobody's.
      guard try file.isStill(at: place.lock) else { continue }
      try file.truncate(to: 0)
      try file.write(Array("\(processNumber)\n".utf8))
      self.file = file
      return
    }
  }

  deinit {
    // While it is held: whoever opened it meanwhile sees that it is gone. It is in nobody's way if it stays.
    try? file.calls.remove(file.path)
  }
}

extension Descriptor {
  /// A short text that stands in it.
  fileprivate borrowing func text() throws(FileError) -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = try read(into: &bytes)
    return String(decoding: bytes[..<count].filter { $0 > 32 }, as: UTF8.self)
  }
}
