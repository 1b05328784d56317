import Engine
import Primitives
import Diagnostics
import JSONText
import PipelineSpec
import Synchronization
import Wire

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One run of a pipeline: its records, its events, and in the end its summary.
///
/// A run gives its records once, by one of `records(as:)`, `records()` and `export(to:)`. Nothing is requested before.
///
///     let run = pipeline.run()
///     let observer = Task { for await event in run.events { show(event) } }
///     let summary = try await run.export(to: "coins.ndjson", resuming: true)
public final class PipelineRun: Sendable, CustomStringConvertible {
  private enum State {
    case idle
    /// The records were requested; nil until the run has started.
    case begun(RunSession?)
  }

  private let specs: [Spec]
  private let options: RunOptions
  private let given: PipelineOptions
  private let feed: RecordFeed?
  private let queue = EventQueue()
  private let state = Locked(State.idle)

  init(_ specs: [Spec], _ options: RunOptions, _ given: PipelineOptions, _ feed: RecordFeed?) {
    self.specs = specs
    self.options = given.added(to: options)
    self.given = given
    self.feed = feed
  }

  /// Name of the spec, without parameters and environment.
  public var description: String { "PipelineRun(\(name))" }

  private var name: String { specs.map(\.name).joined(separator: ", ").printable }

  /// Progress, warnings and rejects, for one observer.
  ///
  /// Ask for the events before the records.
  public var events: PipelineEvents {
    queue.observe()
    return PipelineEvents(queue: queue)
  }

  /// The figures and the verdict; nil until the run has ended.
  ///
  /// A run that failed, or whose records nobody took to the end, has the verdict `failed`.
  public var summary: RunSummary? {
    state.withLock { state in
      guard case .begun(let session?) = state else { return nil }
      return session.summary
    }
  }

  /// Returns the records, decoded one after the other as they are fetched.
  ///
  /// Iteration throws what `Pipeline.records(as:decoder:)` says.
  public func records<Record: Decodable & SendableMetatype>(
    as type: Record.Type, decoder: JSONDecoder = JSONDecoder()
  ) -> Pipeline.Records<Record> {
    Pipeline.Records(description: name, decoder: decoder) { self }
  }

  /// Returns the records with the server's own bytes.
  public func records() -> Pipeline.Records<RawRecord> {
    Pipeline.Records(description: name) {
      self
    } decode: { record, _, _ in
      RawRecord(bytes: Array(record.bytes))
    }
  }

  /// Writes the records to a file as NDJSON, one a line, as `pagecat run -o FILE` does.
  ///
  /// The file is replaced when the run is complete, capped by a limit, or partial. The records of an interrupted run
  /// stay in a file beside it. Cancelling the task interrupts the run.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - isResumed: true to resume the interrupted run (`--resume`), if there is one.
  ///   - isOnce: true to request nothing if the run to resume is done (`--once`).
  ///   - isAppended: true to add to the file in place of replacing it (`--append`).
  ///   - isMerged: true to let records take their places in the file, by `unique` (`--merge`).
  /// - Returns: the summary; its verdict is `complete`, `capped` by a limit in the options or the spec, or one that the
  ///   options allow.
  /// - Throws: `SpecError` if the run can't begin, `NetworkingError.busy` if another run writes the file,
  ///   `NetworkingError` if it fails, `IncompleteError` if records are missing, `CancellationError` if the task was
  ///   cancelled.
  @discardableResult
  public func export(
    to path: String, resuming isResumed: Bool = false, once isOnce: Bool = false,
    appending isAppended: Bool = false, merging isMerged: Bool = false
  ) async throws -> RunSummary {
    var destination = given.destination
    destination.path = path
    destination.isResumed = isResumed
    destination.staysDone = isOnce
    destination.isAppended = isAppended
    destination.isMerged = isMerged
    destination.changes = given.changesFile.map { .file($0) }
    destination.manifest = given.writesManifest ? ExportManifest(of: path, specs) : nil
    guard !isAppended || !isMerged && given.changesFile == nil else {
      throw SpecError(messages: [
        "'appending' adds all records, and 'merging' and 'changesFile' compare them: leave one out"
      ])
    }
    guard !isOnce || isResumed else {
      throw SpecError(messages: ["'once' needs 'resuming': give both of them each time"])
    }
    let session = try begin(destination)
    try await session.write()
    guard let summary = session.summary else { throw CancellationError() }
    return summary
  }

  /// Begins the run.
  ///
  /// - Throws: `SpecError` if the run can't begin, or if it has begun already.
  func begin(_ destination: Destination? = nil) throws -> RunSession {
    let isFirst = state.withLock { state in
      guard case .idle = state else { return false }
      state = .begun(nil)
      return true
    }
    guard isFirst else { throw SpecError(messages: ["a run gives its records once: make another run"]) }
    do {
      let session = try makeSession(destination ?? given.destination)
      state.withLock { $0 = .begun(session) }
      return session
    } catch {
      queue.finish()
      throw error
    }
  }

  private func makeSession(_ destination: Destination) throws -> RunSession {
    try given.check()
    try destination.check(with: given.recording, among: specs.map(\.name) + [given.replay].compactMap { $0 })
    let started = try options.firstJob.map { try specs.starting(at: $0) } ?? specs
    let readsInput = started[0].jobs[0].readsInput
    guard readsInput || feed == nil else {
      throw SpecError(messages: ["\(started[0].name): its first step reads no records, and some were given"])
    }
    let takesStandardInput = readsInput && feed == nil
    if takesStandardInput { try StandardInput.take() }
    do {
      return try RunSession(specs, options, given, destination, feed, queue)
    } catch {
      if takesStandardInput { StandardInput.giveBack() }
      throw error
    }
  }
}

// A mirror would show the environment.
extension PipelineRun: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The process's standard input, which can have only one reader: bytes that one has read ahead are lost to others.
enum StandardInput {
  private static let isTaken = Atomic(false)

  static func take() throws {
    guard !isTaken.exchange(true, ordering: .relaxed) else {
      throw SpecError(messages: ["standard input can be read once in a process, and it has been"])
    }
  }

  /// Lets another run read standard input, if the run that took it did not begin.
  static func giveBack() { isTaken.store(false, ordering: .relaxed) }
}

extension Destination {
  /// - Throws: `SpecError` if two of the files are one, or if one is another process's.
  fileprivate func check(with recording: String?, among read: [String]) throws(SpecError) {
    if let conflict = conflict(with: recording, among: read) { throw SpecError(messages: [conflict]) }
  }
}
