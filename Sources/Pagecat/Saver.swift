// Where a run's downloads go: one folder, in which no file of the run takes the place of another one.

import Emitting
import JSONText
import Synchronization
import Wire

/// Saves files below a folder. Shared by all jobs of a run.
final class Saver: Sendable {
  private struct State {
    /// Paths that records have, by their hashes.
    var claimed: Set<Int> = []
    /// Files that were written, or found to be as they should be.
    var done: Set<FileIdentity> = []
  }

  private let folder: SaveFolder
  private let state = Guarded(State())

  /// - Parameter others: files of the run besides those of its destination.
  ///
  /// - Throws: `OutputFault` when the folder can't be opened or made.
  init(_ destination: Destination, _ others: [String]) throws(OutputFault) {
    do {
      folder = try SaveFolder(
        path: destination.folder, keeping: destination.places + others.map { FilePlace($0) })
    } catch {
      throw OutputFault(error)
    }
  }

  /// Whether a path is that of one of the run's own files.
  func isOwn(_ names: [String]) -> Bool { folder.isKept(names) }

  /// Takes a path for one record; false when another one has it.
  func claim(_ names: [String]) -> Bool {
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(names.joined(separator: "/").utf8))
    let hash = fingerprint.finalize()
    return state.withLock { $0.claimed.insert(hash).inserted }
  }

  /// The file that is there already, if there is one.
  func look(at names: [String]) throws(EmitFault) -> EntryFacts? {
    guard let found = try folder.look(at: names) else { return nil }
    guard let identity = found.identity, state.withLock({ $0.done.contains(identity) }) else { return found }
    throw .spelledTwice(names.joined(separator: "/"))
  }

  func begin(_ names: [String]) throws(EmitFault) -> SavingFile {
    try folder.begin(names)
  }

  /// All of a file is there: gives it its name.
  func finish(_ file: inout SavingFile, modified: Int?) throws(EmitFault) {
    try file.settle(modified: modified)
    try state.withLock { (state) throws(EmitFault) in try file.finish(among: &state.done) }
  }

  /// A file is as it should be.
  func keep(_ file: EntryFacts) {
    guard let identity = file.identity else { return }
    state.withLock { _ = $0.done.insert(identity) }
  }
}
