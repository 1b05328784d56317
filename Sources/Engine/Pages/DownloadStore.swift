// The folder of a run's downloads, in which no file of the run replaces another one.

import Diagnostics
import FetchPlan
import Fetching
import Files
import JSONText
import PipelineSpec
import Primitives
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
      path: destination.folder, keeping: destination.outputPaths + others.map { OutputPath($0) })
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
    throw .writtenTwice(names.joined(separator: "/"))
  }

  func begin(_ names: [String]) throws(FileError) -> DownloadFile {
    try folder.begin(names)
  }

  /// Completes a file and renames it to its path.
  func finish(_ file: inout DownloadFile, modified: Int?) throws(FileError) {
    try file.finish(modified: modified)
    try done.withLock { (done) throws(FileError) in try file.finish(among: &done) }
  }

  /// Records that an existing file is up to date.
  func keep(_ file: EntryMetadata) {
    guard let identity = file.identity else { return }
    done.withLock { _ = $0.insert(identity) }
  }
}

/// The paths of a run's files, by their hashes.
///
/// Of several records that want a path, the first whose file is saved gets it.
final class ReservedPaths: Sendable {
  private struct State {
    var taken: Set<Int> = []
    /// Numbers of the reservations of each path that is not taken, oldest first.
    var queues: [Int: [Int]] = [:]
    /// Waiting reservations, by their numbers.
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var count = 0
  }

  private let state: Locked<State>

  /// Creates the set of paths.
  ///
  /// - Parameter taken: paths of records that an interrupted run has finished.
  init(taken: Set<Int> = []) {
    state = Locked(State(taken: taken))
  }

  /// Reserves a path after the existing reservations; nil if the path is taken.
  func reserve(_ hash: Int) -> PathReservation? {
    let number: Int? = state.withLock { state in
      guard !state.taken.contains(hash) else { return nil }
      state.count += 1
      state.queues[hash, default: []].append(state.count)
      return state.count
    }
    return number.map { PathReservation(self, hash, $0) }
  }

  /// Waits until a reservation is the oldest of its path; returns false if the path is taken.
  fileprivate func wait(_ hash: Int, _ number: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let known: Bool? = state.withLock { state in
        if state.taken.contains(hash) { return false }
        if state.queues[hash]?.first == number { return true }
        state.waiting[number] = continuation
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Ends a reservation, which is then the last of its path if the path is taken.
  fileprivate func end(_ hash: Int, _ number: Int, isTaken: Bool) {
    let next: [CheckedContinuation<Bool, Never>] = state.withLock { state in
      guard var queue = state.queues[hash], let index = queue.firstIndex(of: number) else { return [] }
      queue.remove(at: index)
      if isTaken { state.taken.insert(hash) }
      state.queues[hash] = isTaken || queue.isEmpty ? nil : queue
      return (isTaken ? queue : Array(queue.prefix(1))).compactMap { state.waiting.removeValue(forKey: $0) }
    }
    for continuation in next { continuation.resume(returning: !isTaken) }
  }
}

/// A record's reservation of a path; releasing the reservation without keeping it frees the path.
final class PathReservation: Sendable {
  private let paths: ReservedPaths
  private let hash: Int
  private let number: Int

  fileprivate init(_ paths: ReservedPaths, _ hash: Int, _ number: Int) {
    (self.paths, self.hash, self.number) = (paths, hash, number)
  }

  deinit { release() }

  /// Waits until the preceding reservations have succeeded or failed; returns false if one of them has the path.
  func wait() async -> Bool { await paths.wait(hash, number) }

  /// Keeps the path, which now has its file.
  func keep() { paths.end(hash, number, isTaken: true) }

  /// Frees the path for the next reservation.
  func release() { paths.end(hash, number, isTaken: false) }
}

/// The metadata of a saved file.
struct SavedFile: Sendable {
  let path: SavePath
  let size: Int
  /// Content type that the server sent; nil if it sent none, or was not asked.
  let type: String?

  /// `{"path":…,"name":…,"bytes":…,"contentType":…}`.
  var json: JSONValue {
    JSONValue(members: [
      ("path", JSONValue(path.text)), ("name", JSONValue(path.names.last ?? "")), ("bytes", JSONValue(size)),
      ("contentType", type.map { JSONValue($0) } ?? .null),
    ])
  }
}

// MARK: Downloads: a URL becomes a whole file, or none

/// The download of a record: its request and its path.
struct Download: Sendable {
  /// A path that the record has reserved.
  struct ReservedPath: Sendable {
    let path: SavePath
    let reservation: PathReservation
    /// Error for the case that another record has the path.
    let conflict: ParameterError
  }

  let request: Request
  /// Size of the file, as the record says it.
  let size: Int?
  /// Nil until the server has named the file.
  let target: ReservedPath?
  private let empty: Condition?
  private let reserve: @Sendable (_ name: String?) throws(ParameterError) -> ReservedPath

  /// Plans the download and reserves its path; must be called in the order of the records.
  init(
    _ download: Job.Download, _ plan: JobPlan, record: JSONValue, downloadStore: DownloadStore,
    hiding secrets: SecretStore
  ) throws(ParameterError) {
    let request = try plan.request(for: record, hiding: secrets)
    self.request = request
    size = try plan.fileSize(of: download, for: record)
    empty = plan.job.empty?.condition
    reserve = { (name) throws(ParameterError) in
      let path = try plan.savePath(for: record, download, url: request.url, named: name)
      guard !downloadStore.isOwn(path.names) else {
        throw plan.fault(of: download, "'\(path.text)' is a file that the run itself reads or writes")
      }
      let conflict = plan.fault(of: download, "'\(path.text)' is the path of another record of this run")
      guard let reservation = downloadStore.reserve(path.names) else { throw conflict }
      return ReservedPath(path: path, reservation: reservation, conflict: conflict)
    }
    switch download.naming {
    case .url: target = try reserve(nil)
    case .server:
      // The values of the path are wrong before the request, or not at all.
      _ = try plan.savePath(for: record, download, url: request.url, named: "x")
      target = nil
    }
  }

  /// Reserves the path of a file that the server names.
  func target(in head: ReplyHead) throws(ParameterError) -> ReservedPath { try reserve(head.fields.fileName) }

  /// Reports that an answer says that there is no file.
  func isEmpty(_ reply: Reply) -> Bool {
    empty?.holds(for: AnswerValues(status: reply.head.status, fields: reply.head.fields, body: nil)) ?? false
  }
}

extension ReplyHead {
  /// True if the status brings a whole file: neither an empty reply, nor a part, nor a promise of a file.
  var hasWholeFile: Bool { (200...299).contains(status) && ![202, 204, 205, 206].contains(status) }

  /// True for a file of lines, by its type or its name.
  func hasLines(at path: String) -> Bool {
    let type = fields["Content-Type"]?.lowercased() ?? ""
    if ["csv", "tab-separated", "ndjson", "jsonl", "json-lines", "json-seq"].contains(where: type.contains) {
      return true
    }
    return [".csv", ".tsv", ".ndjson", ".jsonl"].contains(where: path.lowercased().hasSuffix)
  }

  var length: Int? { fields["Content-Length"].flatMap { Int($0) } }

  /// Returns the time of the file's last change, in Unix seconds.
  ///
  /// - Parameter now: Unix seconds.
  func modified(now: Double) -> Int? {
    fields["Last-Modified"].flatMap { HTTPDate.seconds(of: $0, now: now) }.map { Int($0) }
  }

  /// Reports that a file has the length of the reply, if that is known.
  ///
  /// Many servers send 0 if they send no body.
  func mayHaveLength(of file: EntryMetadata) -> Bool { length == nil || length == 0 || length == file.size }

  /// Reports that the server has nothing newer than a file.
  ///
  /// Some servers ignore `If-Modified-Since`.
  func isUnchanged(_ file: EntryMetadata, now: Double) -> Bool {
    if status == 304 { return true }
    guard status == 200, let length, let modified = modified(now: now) else { return false }
    return length == file.size && modified <= file.modified
  }
}
