// What a run leaves on the disk: named on the command line, locked, and completed when the run has succeeded.

import Emitting
import Synchronization
import Wire

/// The files that a run writes besides a recording.
package struct Destination: Sendable {
  /// Where records go; nil for standard output.
  package var path: String?
  /// Whether they are added to what is there.
  package var isAppended = false
  /// Where the input records go that were left out or answered empty.
  package var rejects: String?

  package init() {}

  /// Which file is named twice, if one is.
  package var repeated: String? {
    let places = [path, rejects].compactMap { $0 }.map { Place($0) }
    return places.first { place in places.count(where: { $0 == place }) > 1 }?.path
  }

  /// Whether the path is there and no regular file: it can only be written as it stands.
  package static func isWrittenInPlace(_ path: String) -> Bool {
    (try? SystemCalls.system.facts(path)).map { $0.kind == .other } ?? false
  }
}

/// A run's files, from the lock to the rename.
final class RunFiles: Sendable {
  private let destination: Destination
  let export: Export?
  let rejects: RejectsFile?
  private let locks: Guarded<[LockHolder]>

  /// - Throws: `OutputFault` when a file can't be made, or another run holds it.
  init(_ destination: Destination, calls: SystemCalls = .system) throws(OutputFault) {
    self.destination = destination
    do {
      let places = [destination.path].compactMap { $0 }.map { Place($0, calls: calls) }
      var held: [LockHolder] = []
      for place in places { held.append(try LockHolder(place, calls)) }
      export = try places.first.map { (place) throws(EmitFault) in try Export(place, calls) }
      rejects = try destination.rejects.map { (path) throws(EmitFault) in
        try RejectsFile(Place(path, calls: calls), calls: calls)
      }
      locks = Guarded(held)
    } catch {
      throw OutputFault(error)
    }
  }

  /// Renames what is whole, and lets go of the locks.
  func close(_ verdict: Verdict) throws(OutputFault) {
    defer { locks.withLock { $0 = [] } }
    switch verdict {
    case .complete, .capped, .partial: try export?.finish(appending: destination.isAppended)
    case .short, .failed: try export?.discard()
    }
    do {
      try rejects?.finish()
    } catch {
      throw OutputFault(error)
    }
  }
}

/// Holds a lock as long as it lives.
private final class LockHolder: Sendable {
  private let lock: RunLock

  init(_ place: Place, _ calls: SystemCalls) throws(EmitFault) {
    lock = try RunLock(place, calls: calls)
  }
}

/// The file that records go to, beside its path until it is whole.
final class Export: RecordTaker, Sendable {
  private let part: Guarded<PartFile>

  init(_ place: Place, _ calls: SystemCalls) throws(EmitFault) {
    part = Guarded(try PartFile(place, calls: calls))
  }

  func take(_ batch: Batch) throws(OutputFault) {
    try change { (part) throws(EmitFault) in
      try part.write(batch.lines)
      try part.flush()
    }
  }

  /// A file has no reader that could leave.
  var isReaderGone: Bool { false }

  func finish(appending: Bool) throws(OutputFault) {
    try change { (part) throws(EmitFault) in try part.finish(appending: appending) }
  }

  func discard() throws(OutputFault) {
    try change { (part) throws(EmitFault) in try part.discard() }
  }

  private func change(_ body: (inout PartFile) throws(EmitFault) -> Void) throws(OutputFault) {
    do {
      try part.withLock { (part) throws(EmitFault) in try body(&part) }
    } catch {
      throw OutputFault(error)
    }
  }
}
