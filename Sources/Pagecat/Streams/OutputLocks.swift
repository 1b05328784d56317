import Files

/// The places of a destination, and the locks on them.
final class OutputLocks: Sendable {
  /// Where records go.
  let output: OutputPath?
  /// Where marks are remembered.
  let state: OutputPath?
  private let locks: [HeldLock]

  /// - Throws: `OutputError` when another run holds one of them.
  init(_ destination: Destination) throws(OutputError) {
    let calls = destination.calls
    output = destination.path.map { OutputPath($0, calls: calls) }
    state = destination.state.map { OutputPath($0, calls: calls) }
    do {
      var locks: [HeldLock] = []
      for place in [output, state].compactMap({ $0 }) { locks.append(try HeldLock(place, calls)) }
      self.locks = locks
    } catch {
      throw OutputError(error)
    }
  }
}

/// Holds a lock as long as it lives.
private final class HeldLock: Sendable {
  private let lock: RunLock

  init(_ place: OutputPath, _ calls: SystemCalls) throws(FileError) {
    lock = try RunLock(place, calls: calls)
  }
}
