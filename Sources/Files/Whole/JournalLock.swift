/// The lock of a journal, which a run holds from the release of its other locks to the end of its process.
///
/// Without it, a run that begins meanwhile would think that the run was interrupted before it deleted its journal.
package struct JournalLock: ~Copyable, Sendable {
  private let file: Descriptor

  /// Takes the lock; nil if there is no journal, or if its file can't be locked.
  ///
  /// - Throws: `FileError.busy` if another run holds it.
  package init?(_ place: OutputPath, calls: SystemCalls) throws(FileError) {
    guard let file = try Descriptor.left(at: place.journal, calls: calls) else { return nil }
    switch try file.lock() {
    case .taken: self.file = file
    case .held: throw .busy(path: place.path, owner: "")
    case .impossible: return nil
    }
  }
}
