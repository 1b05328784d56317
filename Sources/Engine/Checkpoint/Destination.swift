// The files that a run leaves on the disk: named on the command line, and locked during the run.

import Diagnostics
import FetchPlan
import Fetching
package import Files
package import JSONText
package import PipelineSpec
import Primitives
import Synchronization
import Wire

/// The files that a run writes besides a recording.
package struct Destination: Sendable {
  /// File for the records; nil for standard output.
  package var path: String?
  /// True if the records are appended to the file.
  package var isAppended = false
  /// True if the records take their places in the file, by the members that identify a record (`--merge`).
  package var isMerged = false
  /// Takes what the run changed in the file (`--changes`).
  package var changes: Changes?
  /// Says what the file has, or the files of several streams (`--manifest`).
  package var manifest: ExportManifest?
  /// True if an interrupted run is resumed.
  package var isResumed = false
  /// True if the input comes from a run that was not accepted, so that this run's records may not be all.
  package var isInputPartial = false
  /// True if a run that is done leaves its journal, so that resuming the run requests nothing.
  package var staysDone = false
  /// File for the highest marks of `incremental`.
  package var state: String?
  /// The highest marks of an earlier run, by job, if no file has them.
  package var marks: [String: JSONValue] = [:]
  /// The pagers that jobs with `pages: auto` have chosen in an earlier run, if no file has them.
  package var chosenPages: JSONValue?
  /// The settings of a caller that keeps positions; nil for a run without positions.
  package var position: RunPosition.Request?
  /// File for the newest refresh tokens.
  package var tokens: String?
  /// File by which runs share the rates of origins; nil for rates of this run's own.
  package var pace: String?
  /// File for the input records that were left out or answered empty.
  package var rejects: String?
  /// Verdicts (`partial`, `short`) that are no failure; after `short` the file is replaced, as after a complete run.
  package var allowed: Set<Verdict> = []
  /// True if a file with all records may be replaced by one with only the new ones (`--allow replace`).
  package var mayReplaceAll = false
  /// The folder below which downloads are saved.
  package var folder = "."
  /// System calls for the files; tests make them fail.
  var calls = SystemCalls.system

  package init() {}

  /// The consumer of the changes.
  package enum Changes: Sendable, Hashable {
    /// A file that is replaced.
    case file(String)
    /// A descriptor, such as that of standard output.
    case output(Int32)
  }

  private var changesPath: String? { if case .file(let path)? = changes { path } else { nil } }

  /// What a run that ends with a verdict does to its files: the one place that decides.
  ///
  /// A run that does not save its marks does not append: the next run fetches the same records again.
  package func ending(with verdict: Verdict) -> Ending {
    let isAccepted = accepts(verdict)
    let isWhole = verdict != .failed && (verdict != .short || allowed.contains(.short))
    return Ending(
      keepsRecords: isWhole && (isAccepted || state == nil || !isAppended), savesMarks: state != nil && isAccepted)
  }

  /// True if a file, or a caller that keeps positions, takes the marks.
  var savesMarks: Bool { state != nil || position != nil }

  /// True if the marks of a run with this verdict may be saved.
  package func accepts(_ verdict: Verdict) -> Bool {
    // The rejects are the receipt for what is missing.
    guard !isInputPartial || rejects != nil else { return false }
    return switch verdict {
    case .complete: true
    case .short: allowed.contains(.short)
    case .partial: rejects != nil
    case .capped, .failed: false
    }
  }

  /// What the end of a run means for its files.
  package struct Ending: Sendable, Hashable {
    /// True if FILE gets the records; otherwise they stay in the partial file.
    package let keepsRecords: Bool
    /// True if the state file gets the marks.
    package let savesMarks: Bool
  }

  /// The file's name in its folder.
  package var fileName: String { path?.split(separator: "/").last.map { String($0) } ?? "" }

  /// True if there is a file that is not empty, and a run replaces it.
  var replacesLines: Bool {
    guard let path, !isAppended, !isMerged, let file = try? OutputPath.metadata(of: OutputPath(path).path, calls: calls)
    else { return false }
    return file.kind == .regular && file.size > 0
  }

  /// Paths of the files that a run writes, without a recording.
  package var written: [String] { [path, state, tokens, pace, rejects, changesPath, manifest?.path].compactMap { $0 } }

  /// Returns the reason why the run can't write its files; nil if it can.
  ///
  /// Either two of the files are the same, or another process has one of them open.
  ///
  /// - Parameters:
  ///   - recording: the recording, if there is one.
  ///   - read: files that the run reads, which may be named several times.
  package func conflict(with recording: String?, among read: [String]) -> String? {
    for (option, path) in [("-o", path), ("--rejects", rejects), ("--changes", changesPath)] {
      if let path, let refusal = OutputName.refusal(path, of: option) { return refusal }
    }
    if let path = repeated(with: recording, among: read) {
      return "'\(path.printable)' is given twice: each output needs a file of its own"
    }
    return borrowed(with: recording).map { name, path in
      "'\(name.printable)' leads to '\(path.printable)', which would be replaced: give another name"
    }
  }

  /// Returns a file that is named twice, or that another output uses while it is written; nil if there is none.
  func repeated(with recording: String?, among read: [String]) -> String? {
    // A device or a pipe may be named several times.
    func fileIDs(_ path: String) -> [OutputPath.FileID] {
      Self.isWrittenInPlace(path) ? [] : OutputPath(path).all.compactMap { $0.fileID(calls: .system) }
    }
    let written = written + [recording].compactMap { $0 }
    let taken = written.map(fileIDs)
    let named = taken.map(\.first) + read.map { fileIDs($0).first }
    let repeated = named.indices.first { index in
      taken.indices.contains { other in
        other != index && (named[index].map(taken[other].contains) ?? false)
      }
    }
    return repeated.map { (written + read)[$0] }
  }

  /// Returns an output that names a descriptor (`/dev/stderr`, `/dev/fd/3`) of a regular file, and the file's path.
  ///
  /// Another process has the file open. After a replacement, that process would write to a deleted file.
  private func borrowed(with recording: String?) -> (name: String, path: String)? {
    (written + [recording].compactMap { $0 }).lazy.filter { Self.namesDescriptor($0) && !Self.isWrittenInPlace($0) }
      .map { ($0, OutputPath($0).path) }.first
  }

  private static func namesDescriptor(_ path: String) -> Bool {
    ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) || path.hasPrefix("/dev/fd/")
      || path.hasPrefix("/proc/") && path.contains("/fd/")
  }

  /// The files that a run writes, with the files beside them.
  var outputPaths: [OutputPath] {
    written.flatMap { OutputPath($0, calls: calls).all }
  }

  /// Reports that the path exists and is not a regular file, so that it must be written in place.
  package static func isWrittenInPlace(_ path: String) -> Bool {
    (try? SystemCalls.system.metadata(path)).map { $0.kind == .other } ?? false
  }
}

/// The partial file that remains if a file could not be completed.
package struct InterruptedFile: Sendable {
  package let path: String
  package let part: String
  /// True if there is no older file at the path.
  package let isNew: Bool

  init(_ outputPath: OutputPath, calls: SystemCalls) {
    (path, part) = (outputPath.path, outputPath.part)
    isNew = (try? OutputPath.metadata(of: outputPath.path, calls: calls)) == .some(.none)
  }
}

extension Destination {
  /// The journal of a run that is done and that left it.
  package var doneJournal: LastJournal? { path.map { LastJournal(OutputPath($0, calls: calls), calls) } }

  /// Removes the file for the records, and what a run has left beside it.
  package func removeFile() throws(FileError) {
    guard let path else { return }
    let outputPath = OutputPath(path, calls: calls)
    try outputPath.removeFile(calls: calls)
    try outputPath.tidy(calls: calls)
  }

  /// Makes the folders of the files for the records and for the rejects, if they are not there.
  package func makeFolders() throws(FileError) {
    for (option, path) in [("-o", path), ("--rejects", rejects), ("--changes", changesPath)] {
      guard let path else { continue }
      try FileError.of(option) { () throws(FileError) in try OutputPath(path, calls: calls).makeFolder() }
    }
  }
}

extension [Job] {
  /// Reports that a job asks only for what is new since a mark of the runs before.
  func askForNews(since marks: [String: JSONValue]) -> Bool {
    contains { $0.asksForNews && marks[$0.since?.job ?? $0.name] != nil }
  }
}

extension Destination {
  /// Returns the error for a FILE that would lose what the runs before have fetched; nil if there is none.
  ///
  /// - Parameter since: the marks of the runs before.
  func lossOfRecords(of jobs: [Job], since: [String: JSONValue]) throws(FileError) -> SpecError? {
    guard let state = state?.printable, let file = path, !isAppended, !isMerged,
      !mayReplaceAll, jobs.askForNews(since: since)
    else { return nil }
    let path = OutputPath(file, calls: calls).path
    guard let size = try OutputPath.metadata(of: path, calls: calls)?.size, size > 0 else { return nil }
    return SpecError(messages: [
      "'\(path.printable)' has records, and '\(state)' the mark of a run before: '\(path.printable)' would have only what is "
        + "new; write --append, --merge, another name, or --allow replace"
    ])
  }
}

/// The lock of a command that writes several files of one folder, one after the other.
package final class SeriesLock: Sendable {
  private let lock: RunLock

  /// Takes the lock.
  ///
  /// - Parameter name: name of the spec.
  /// - Throws: `FileError` if another command writes the same files.
  package init(_ destination: Destination, named name: String) throws(FileError) {
    try destination.makeFolders()
    let folder = OutputPath(destination.path ?? ".", calls: destination.calls).folder
    lock = try RunLock(OutputPath("\(folder)/\(name)", calls: destination.calls), calls: destination.calls)
  }
}

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
    for (option, outputPath) in [("-o", output), ("--state", state), ("--tokens", tokens)] {
      guard let outputPath else { continue }
      held.append(try FileError.of(option) { () throws(FileError) in try HeldLock(outputPath, calls) })
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
  private let outputPath: OutputPath
  private let calls: SystemCalls
  /// Held until the process ends, so that only the kernel's part of the exit follows the removal.
  private let lock: JournalLock?

  init(_ outputPath: OutputPath, _ calls: SystemCalls) {
    (self.outputPath, self.calls) = (outputPath, calls)
    // The removal works without the lock too, unless another run begins at this very moment.
    lock = try? JournalLock(outputPath, calls: calls)
  }

  package func remove() throws(FileError) { try outputPath.removeJournal(calls: calls) }
}

/// Holds a lock for its lifetime.
private final class HeldLock: Sendable {
  private let lock: RunLock

  init(_ outputPath: OutputPath, _ calls: SystemCalls) throws(FileError) {
    lock = try RunLock(outputPath, calls: calls)
  }
}

extension RunPlan {
  /// Plans a run that begins only after others, and adds its rates to those of the shared network.
  ///
  /// - Throws: `SpecError` with every reason why the run can't begin, as far as they are known now.
  package static func check(
    _ specs: [Spec], _ options: RunOptions, _ source: Source, start: Int, _ destination: Destination
  ) throws {
    var options = options
    if case .replay = source { options.replay(specs) }
    let marks = try destination.state.map { try StateFile(OutputPath($0), .system).marks } ?? []
    let since = Dictionary(marks.map { ($0.name, $0.value) }) { $1 }
    let plan = try RunPlan(specs, options, start: start, since: since)
    for job in plan.jobs {
      if let rate = job.rate, let origin = job.origin { options.network?.limit(origin, to: rate) }
    }
    _ = try FollowedFile(destination, specs.last?.jobs.last)
    if !destination.isResumed, let problem = try destination.lossOfRecords(of: specs.flatMap(\.jobs), since: since) {
      throw problem
    }
  }
}

// MARK: What the name of FILE promises: gzip, or a format that only recipes make

/// What the name of an output promises.
package enum OutputName {
  /// Recipes that make a format, by the end of the name.
  private static let recipes = [
    "parquet": "pipelines/load/parquet makes it of an export in NDJSON",
    "csv": "pipelines/load/miller makes it of an export in NDJSON",
    "tsv": "pipelines/load/miller makes CSV of an export in NDJSON, and 'mlr --c2t cat' makes TSV of CSV",
    "xlsx": "pipelines/load/duckdb loads an export in NDJSON, and DuckDB writes the table as XLSX",
    "zst": "'zstd' compresses an export in NDJSON; for a name that ends in '.gz', pagecat compresses the export itself",
  ]

  /// Returns the format that a name promises; nil for lines as they are.
  package static func format(_ path: String) -> (any FileFormat)? {
    path.lowercased().hasSuffix(".gz") ? GzipFormat() : nil
  }

  /// Returns the reason why no file with this name is written; nil if the name promises lines, or gzip.
  static func refusal(_ path: String, of option: String) -> String? {
    let shown = "'\(path.printable)'"
    if let scheme = scheme(of: path) {
      let way = scheme == "s3" ? "pipelines/load/s3 copies it" : "copy it"
      return "\(shown) is a URL, and '\(option)' writes a file: give a path, and \(way) when the file is complete"
    }
    if option != "-o", format(path) != nil {
      return "\(shown) promises gzip, which only '-o' writes: give '\(option)' a name without '.gz'"
    }
    let name = String(path.split(separator: "/").last ?? "")
    guard let dot = name.lastIndex(of: "."), case let end = name[name.index(after: dot)...].lowercased(),
      let recipe = recipes[end]
    else { return nil }
    let other = String(name[..<dot]).printable
    return "\(shown) promises .\(end), and '\(option)' writes NDJSON: give a name such as "
      + "'\(other.hasSuffix(".ndjson") ? other : other + ".ndjson")'; \(recipe)"
  }

  private static func scheme(of path: String) -> String? {
    guard let end = path.firstRange(of: "://") else { return nil }
    let scheme = String(path[..<end.lowerBound])
    return !scheme.isEmpty && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      ? scheme.lowercased() : nil
  }
}

extension Destination {
  /// Format that the name of FILE promises; nil if FILE has the lines as they are.
  var format: (any FileFormat)? { path.flatMap(OutputName.format) }

  /// Checks that FILE, to which a member is appended, has the format that its name promises.
  func checkFormat() throws(SpecError) {
    guard isAppended, format != nil, let path else { return }
    let position = OutputPath(path, calls: calls).path
    guard let file = try? InputReader(path: position, calls: calls) else { return }
    var start: [UInt8] = [0, 0]
    guard let count = try? file.read(into: &start), count > 0 else { return }
    guard start == gzipStart else {
      throw SpecError(messages: [
        "'\(path.printable)' is not a gzip file, and its name says that it is: rename it, or compress it with 'gzip'"
      ])
    }
    // What follows a damaged member can't be read, and what follows half a line is no line.
    guard let receipt = try? FileReceipt(of: position, as: format, calls: calls), !receipt.isIntact || !receipt.endsLine
    else { return }
    throw SpecError(messages: [
      "'\(path.printable)' is \(receipt.isIntact ? "a gzip file whose last line has no line feed" : "a damaged gzip file"), "
        + "so that nothing can be appended: decompress it with 'gunzip', see what it has, and compress that with 'gzip'"
    ])
  }
}
