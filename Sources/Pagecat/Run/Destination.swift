// What a run leaves on the disk: named on the command line, and locked while it runs.

import Files

/// The files that a run writes besides a recording.
package struct Destination: Sendable {
  /// Where records go; nil for standard output.
  package var path: String?
  /// Whether they are added to what is there.
  package var isAppended = false
  /// Whether a run that was interrupted is gone on with.
  package var isResumed = false
  /// Where the highest marks of `incremental` are remembered.
  package var state: String?
  /// Where the input records go that were left out or answered empty.
  package var rejects: String?
  /// The folder below which downloads are saved.
  package var folder = "."
  /// What files are made with; tests let it fail.
  var calls = SystemCalls.system

  package init() {}

  /// Which file is named twice, if one is, or is what another one has beside it while it is written.
  ///
  /// - Parameters:
  ///   - recording: what else the run writes, if anything.
  ///   - read: what it reads. That may be named as often as is wanted.
  package func repeated(with recording: String?, among read: [String]) -> String? {
    // A device or a pipe is as many files as are wanted.
    func fileIDs(_ path: String) -> [OutputPath.FileID] {
      Self.isWrittenInPlace(path) ? [] : OutputPath(path).all.compactMap { $0.fileID(calls: .system) }
    }
    let written = [path, state, rejects, recording].compactMap { $0 }
    let taken = written.map(fileIDs)
    let named = taken.map(\.first) + read.map { fileIDs($0).first }
    let repeated = named.indices.first { index in
      taken.indices.contains { other in
        other != index && (named[index].map(taken[other].contains) ?? false)
      }
    }
    return repeated.map { (written + read)[$0] }
  }

  /// Which file is named by a descriptor (`/dev/stderr`, `/dev/fd/3`), and which one that is, where it is a regular file:
  /// who opened it goes on writing to it, and would write to nothing once it is replaced.
  package func borrowed(with recording: String?) -> (name: String, path: String)? {
    let written = [path, state, rejects, recording].compactMap { $0 }
    return written.lazy.filter { Self.namesDescriptor($0) && !Self.isWrittenInPlace($0) }
      .map { ($0, OutputPath($0).path) }.first
  }

  private static func namesDescriptor(_ path: String) -> Bool {
    ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix("/dev/fd/")
      || path.hasPrefix("/proc/") && path.contains("/fd/")
  }

  /// The files that a run writes, and what it may have beside them.
  var places: [OutputPath] { [path, state, rejects].compactMap { $0 }.flatMap { OutputPath($0, calls: calls).all } }

  /// Whether the path is there and no regular file: it can only be written as it stands.
  package static func isWrittenInPlace(_ path: String) -> Bool {
    (try? SystemCalls.system.facts(path)).map { $0.kind == .other } ?? false
  }
}
