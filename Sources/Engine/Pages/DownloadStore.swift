// The folder of a run's downloads, in which no file of the run replaces another one.

import Primitives
import Files
import JSONText
import Synchronization
import Wire

/// Saves files below a folder; all jobs of a run share the store.
final class DownloadStore: Sendable {
  private let folder: DownloadDirectory
  private let reserved: ReservedPaths
  /// Files that were written, or found to be up to date.
  private let done = Locked<Set<FileIdentity>>([])

  /// Opens the folder.
  ///
  /// - Parameters:
  ///   - others: files of the run besides those of its destination.
  ///   - taken: hashes of the paths of records that an interrupted run has finished.
  ///
  /// - Throws: `FileError` if the folder can't be opened or created.
  init(_ destination: Destination, _ others: [String], taken: Set<Int>) throws(FileError) {
    reserved = ReservedPaths(taken: taken)
    folder = try DownloadDirectory(
      path: destination.folder, keeping: destination.places + others.map { OutputPath($0) })
  }

  /// Reports that a path is that of one of the run's own files.
  func isOwn(_ names: [String]) -> Bool { folder.isKept(names) }

  /// Reserves a path for a record; nil if another record has the path.
  func reserve(_ names: [String]) -> PathReservation? { reserved.reserve(Self.hash(of: names)) }

  static func hash(of names: [String]) -> Int {
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(names.joined(separator: "/").utf8))
    return fingerprint.finalize()
  }

  /// Returns the metadata of an existing file; nil if there is none.
  func look(at names: [String]) throws(FileError) -> EntryMetadata? {
    guard let found = try folder.look(at: names) else { return nil }
    guard let identity = found.identity, done.withLock({ $0.contains(identity) }) else { return found }
    throw .spelledTwice(names.joined(separator: "/"))
  }

  func begin(_ names: [String]) throws(FileError) -> DownloadFile {
    try folder.begin(names)
  }

  /// Completes a file and renames it to its path.
  func finish(_ file: inout DownloadFile, modified: Int?) throws(FileError) {
    try file.settle(modified: modified)
    try done.withLock { (done) throws(FileError) in try file.finish(among: &done) }
  }

  /// Records that an existing file is up to date.
  func keep(_ file: EntryMetadata) {
    guard let identity = file.identity else { return }
    done.withLock { _ = $0.insert(identity) }
  }
}
