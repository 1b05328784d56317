// Where a run's downloads go: one folder, in which no file of the run takes the place of another one.

import Files
import JSONText
import Synchronization
import Wire

/// Saves files below a folder. Shared by all jobs of a run.
final class DownloadStore: Sendable {
  private let folder: DownloadDirectory
  private let reserved: ReservedPaths
  /// Files that were written, or found to be as they should be.
  private let done = Locked<Set<FileIdentity>>([])

  /// - Parameters:
  ///   - others: files of the run besides those of its destination.
  ///   - taken: hashes of paths that records have which an interrupted run was done with.
  ///
  /// - Throws: `OutputError` when the folder can't be opened or made.
  init(_ destination: Destination, _ others: [String], taken: Set<Int>) throws(OutputError) {
    reserved = ReservedPaths(taken: taken)
    do {
      folder = try DownloadDirectory(
        path: destination.folder, keeping: destination.places + others.map { OutputPath($0) })
    } catch {
      throw OutputError(error)
    }
  }

  /// Whether a path is that of one of the run's own files.
  func isOwn(_ names: [String]) -> Bool { folder.isKept(names) }

  /// A record's claim to a path; nil when another one has it.
  func reserve(_ names: [String]) -> PathReservation? { reserved.reserve(Self.hash(of: names)) }

  static func hash(of names: [String]) -> Int {
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(names.joined(separator: "/").utf8))
    return fingerprint.finalize()
  }

  /// The file that is there already, if there is one.
  func look(at names: [String]) throws(FileError) -> EntryMetadata? {
    guard let found = try folder.look(at: names) else { return nil }
    guard let identity = found.identity, done.withLock({ $0.contains(identity) }) else { return found }
    throw .spelledTwice(names.joined(separator: "/"))
  }

  func begin(_ names: [String]) throws(FileError) -> DownloadFile {
    try folder.begin(names)
  }

  /// All of a file is there: gives it its name.
  func finish(_ file: inout DownloadFile, modified: Int?) throws(FileError) {
    try file.settle(modified: modified)
    try done.withLock { (done) throws(FileError) in try file.finish(among: &done) }
  }

  /// A file is as it should be.
  func keep(_ file: EntryMetadata) {
    guard let identity = file.identity else { return }
    done.withLock { _ = $0.insert(identity) }
  }
}
