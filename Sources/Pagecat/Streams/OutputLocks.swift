import Files
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
  private let lock: HeldLock?
  private let others: Locked<[HeldLock]>

  /// Takes the locks.
  ///
  /// - Throws: `FileError` if another run holds one of them.
  init(_ destination: Destination) throws(FileError) {
    let calls = destination.calls
    output = destination.path.map { OutputPath($0, calls: calls) }
    state = destination.state.map { OutputPath($0, calls: calls) }
    tokens = destination.tokens.map { OutputPath($0, calls: calls) }
    var others: [HeldLock] = []
    lock = if let output { try HeldLock(output, calls) } else { nil }
    for place in [state, tokens].compactMap({ $0 }) { others.append(try HeldLock(place, calls)) }
    self.others = Locked(others)
  }

  /// Releases the locks of all files but that of the records.
  func releaseOthers() { others.withLock { $0 = [] } }
}

/// Holds a lock for its lifetime.
private final class HeldLock: Sendable {
  private let lock: RunLock

  init(_ place: OutputPath, _ calls: SystemCalls) throws(FileError) {
    lock = try RunLock(place, calls: calls)
  }
}
