package import Files
import Primitives
import Synchronization

/// The paths of a destination, and the locks on them.
final class OutputLocks: Sendable {
  /// File for the records.
  let output: OutputPath?
  /// File for the marks.
  let state: OutputPath?
  /// File for the refresh tokens.
  let tokens: OutputPath?
  private let held: Locked<[HeldLock]>

  /// Takes the locks.
  ///
  /// - Throws: `FileError` if another run holds one of them.
  init(_ destination: Destination) throws(FileError) {
    let calls = destination.calls
    output = destination.path.map { OutputPath($0, calls: calls) }
    state = destination.state.map { OutputPath($0, calls: calls) }
    tokens = destination.tokens.map { OutputPath($0, calls: calls) }
    var held: [HeldLock] = []
    for (option, place) in [("-o", output), ("--state", state), ("--tokens", tokens)] {
      guard let place else { continue }
      held.append(try FileError.of(option) { () throws(FileError) in try HeldLock(place, calls) })
    }
    // A run whose locks are free may still be ending, since its journal is removed last.
    if let output { _ = try JournalLock(output, calls: calls) }
    self.held = Locked(held)
  }

  /// Releases the locks, that of the records last.
  func release() {
    held.withLock { held in
      while !held.isEmpty { held.removeLast() }
    }
  }
}

/// The journal of a run that has ended and has released its locks.
///
/// The journal is removed last. Until then, another run can make up for an early end of the process.
package final class LastJournal: Sendable {
  private let place: OutputPath
  private let calls: SystemCalls
  /// Held until the process ends, so that only the kernel's part of the exit follows the removal.
  private let lock: JournalLock?

  init(_ place: OutputPath, _ calls: SystemCalls) {
    (self.place, self.calls) = (place, calls)
    // The removal works without the lock too, unless another run begins at this very moment.
    lock = try? JournalLock(place, calls: calls)
  }

  package func remove() throws(FileError) { try place.removeJournal(calls: calls) }
}

/// Holds a lock for its lifetime.
private final class HeldLock: Sendable {
  private let lock: RunLock

  init(_ place: OutputPath, _ calls: SystemCalls) throws(FileError) {
    lock = try RunLock(place, calls: calls)
  }
}
