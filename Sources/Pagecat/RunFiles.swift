// The files of a run, from their locks to their names.

import Emitting
import JSONText
import PipelineSpec
import Synchronization
import Wire

/// What a run leaves on the disk besides a recording, and what the one before it has left.
final class RunFiles: Sendable {
  private struct Open: Sendable {
    var held: HeldPlaces?
    var ledger: Ledger?
    var rejects: RejectsFile?
  }

  private let destination: Destination
  private let state: Guarded<Open>
  /// What is to be gone on with.
  let left: LeftRun?
  /// Where a page waits to be whole.
  let spool: @Sendable () -> Spool

  /// Locks the files, and looks at what is there.
  ///
  /// - Throws: `OutputFault` when another run holds one of them, `SpecError` when what was left can't be gone on with.
  init(_ destination: Destination, environment: [String: String]) throws {
    self.destination = destination
    let held = try HeldPlaces(destination)
    let folder = held.output?.folder
    spool = {
      // Beside a file there is room for what goes into the file; memory is not to grow with its pages.
      guard let folder else { return Spool(environment: environment) }
      return Spool(memoryLimit: 8 << 20, folder: folder, environment: environment)
    }
    let (spool, calls) = (spool, destination.calls)
    left = destination.isResumed ? try held.output.flatMap { try LeftRun($0, calls, spool: spool) } : nil
    state = Guarded(Open(held: held))
  }

  /// Makes the files of a run that begins, or opens those of the one that is gone on with.
  ///
  /// - Throws: `OutputFault`; `SpecError` when another run than this one was left.
  func open(as header: JournalHeader) throws -> (Ledger?, RejectsFile?) {
    if let left {
      let differences = header.differences(from: left.header)
      guard differences.isEmpty else {
        throw SpecError(messages: differences.map { "--resume can't go on with another run: \($0)" })
      }
    }
    let (calls, spool) = (destination.calls, spool)
    let ledger = try state.withLock(\.held)?.output.map {
      try Ledger($0, left?.header ?? header, left, calls: calls, spool: spool)
    }
    let rejects = try destination.rejects.map { path in
      do throws(EmitFault) {
        return try RejectsFile(FilePlace(path, calls: calls), ledger, resuming: left?.state.rejects ?? [], calls: calls)
      } catch {
        throw OutputFault(error)
      }
    }
    state.withLock { ($0.ledger, $0.rejects) = (ledger, rejects) }
    return (ledger, rejects)
  }

  /// Renames what is whole, and lets go of the locks. Gives what is left to be gone on with.
  func close(_ verdict: Verdict) throws(OutputFault) -> LeftFile? {
    let open = state.withLock { $0 }
    defer { state.withLock { $0 = Open() } }
    var left: LeftFile?
    switch verdict {
    case .complete, .capped, .partial: try open.ledger?.finish(appending: destination.isAppended)
    case .short, .failed: left = try open.ledger?.leave()
    }
    do {
      try open.rejects?.finish()
    } catch {
      throw OutputFault(error)
    }
    return left
  }
}
