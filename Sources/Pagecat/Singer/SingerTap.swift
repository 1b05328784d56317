import Files
import Diagnostics
import JSONText
package import PipelineSpec
import Primitives
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs specs as the streams of a Singer tap: SCHEMA, RECORD and STATE messages, one a line.
package struct SingerTap {
  /// The options of a tap.
  package struct Options: Sendable {
    package var config = SingerConfig()
    /// Nil selects all streams.
    package var catalog: SingerCatalog?
    package var state = SingerState()
    package var run = RunOptions()
    package var source = Source.network
    /// Files that the runs may write.
    package var destination = Destination()
    /// Verdicts that are no failure.
    package var allowed: Set<Verdict> = []

    package init() {}
  }

  /// Number of records in a sample, from which a schema is made.
  private static let sample = 100

  private let streams: [SingerStream]
  private let options: Options
  private let listener: RunListener
  private let warn: @Sendable (String) -> Void
  private let tell: @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void

  /// - Throws: `SpecError` if two streams have one name.
  package init(
    _ specs: [Spec], _ options: Options, listener: RunListener, warn: @escaping @Sendable (String) -> Void,
    tell: @escaping @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void
  ) throws(SpecError) {
    streams = specs.map { SingerStream($0) }
    (self.options, self.listener, self.warn, self.tell) = (options, listener, warn, tell)
    var names: Set<String> = []
    for stream in streams where !names.insert(stream.name).inserted {
      throw SpecError(messages: [
        "two streams are called '\(stream.name.printable)': give the last step of each spec a 'name' of its own"
      ])
    }
  }

  // MARK: Discovery

  /// Returns the catalog: from each spec's `model`, or else from a sample of its records.
  package func catalog() async throws -> String {
    var entries: [JSONValue] = []
    for stream in streams {
      var schema = stream.model?.forSinger
      if schema == nil { schema = try await sampledSchema(of: stream) }
      entries.append(stream.entry(schema ?? .null))
    }
    return JSONValue(members: [("streams", JSONValue(elements: entries))]).text
  }

  private func sampledSchema(of stream: SingerStream) async throws -> JSONValue {
    var options = runOptions(of: stream)
    options.recordLimit = Self.sample
    options.pageLimit = options.pageLimit ?? 1
    let run = try begin(stream, options)
    var types = MemberTypes()
    while let batch = await run.next() {
      run.count(batch)
      for record in batch.records { _ = types.add(record.asObject) }
    }
    await run.stop()
    if let failure = run.report.counters.failure { throw failure.error }
    return types.recordSchema
  }

  // MARK: Records

  /// Writes the messages of all selected streams.
  ///
  /// The marks of a stream follow its last record. Before that, its position follows the records of whole pages. So a
  /// tap that is killed loses no records: the next run with the last state repeats those after that state.
  ///
  /// - Returns: the exit code of the first stream whose code is not that of success, otherwise success.
  package func write(to output: inout Output) async throws -> ExitCode {
    var state = options.state
    warnOfOtherStreams()
    for stream in streams where options.catalog?.selects(stream.name) ?? true {
      let code = try await write(stream, &state, to: &output)
      if code != .complete { return code }
    }
    return .complete
  }

  private func warnOfOtherStreams() {
    let names = streams.map(\.name)
    let others = (options.catalog?.selected ?? []).filter { !names.contains($0) }
    guard !others.isEmpty else { return }
    func list(_ names: [String]) -> String { names.map { "'\($0.printable)'" }.joined(separator: ", ") }
    warn("the catalog selects \(list(others)), of which there is no spec; the streams are \(list(names))")
  }

  private func write(_ stream: SingerStream, _ state: inout SingerState, to output: inout Output) async throws
    -> ExitCode
  {
    let leftOut = options.catalog?.leftOut(of: stream.name) ?? []
    let run = try resume(stream, &state, without: leftOut)
    var writer = SingerWriter(stream, leavingOut: leftOut)
    var progress = SingerProgress(stream.name, isResumed: state.position(of: stream.name) != nil)
    do {
      while let batch = await next(of: run) {
        // The last page needs no position: the marks follow it.
        if progress.isDue, progress.place(run, in: &state) { try output.write(writer.state(state)) }
        let messages: [UInt8]
        do {
          messages = try writer.messages(of: batch)
        } catch {
          // The STATE before this batch stays valid.
          try output.flush()
          throw error
        }
        try output.write(messages)
        try output.flush()
        run.count(batch)
        progress.move(to: run.moment(after: batch))
      }
      // A failure after the reader left is a consequence of that.
      if output.isReaderGone { throw FileError.readerGone }
      run.report.tellFailure()
      await run.stop()
      _ = try run.close()
      try run.release()
      let counters = run.report.counters
      // No summary shows it.
      if counters.verdict == .short { warn("\(stream.name.printable): short: \(counters.reason)") }
      if counters.verdict != .failed { try output.write(writer.end()) }
      // If the marks were saved after a failure, the failed records would be skipped for ever.
      if counters.verdict == .complete { state.remember(try run.nextMarks(), of: stream.name) }
      if progress.end(run, in: &state) { try output.write(writer.state(state)) }
      try output.flush()
      return counters.exitCode(allowing: options.allowed)
    } catch {
      await run.stop()
      throw error
    }
  }

  /// Begins the run of a stream at the state's position, or from its start if the position belongs to another run.
  private func resume(
    _ stream: SingerStream, _ state: inout SingerState, without leftOut: Set<String>
  ) throws -> Run {
    var options = runOptions(of: stream)
    options.recordLimit = self.options.run.recordLimit
    guard stream.isResumable else { return try begin(stream, options) }
    do {
      return try begin(
        stream, options, RunPosition.Request(resumed: state.position(of: stream.name), leftOut: leftOut))
    } catch let mismatch as RunPosition.Mismatch {
      warn(
        "the position of '\(stream.name.printable)' in the state is not used, and the stream begins anew: since that "
          + "state changed \(mismatch.differences.joined(separator: ", "))")
      state.endPosition(of: stream.name)
      return try begin(stream, options, RunPosition.Request(leftOut: leftOut))
    }
  }

  private func next(of run: Run) async -> Batch? {
    await withTaskCancellationHandler {
      await run.next()
    } onCancel: {
      run.interrupt(.interrupt)
      Task { await run.stop() }
    }
  }

  private func runOptions(of stream: SingerStream) -> RunOptions {
    var options = options.run
    self.options.config.add(to: &options, for: stream.spec)
    return options
  }

  private func begin(
    _ stream: SingerStream, _ options: RunOptions, _ position: RunPosition.Request? = nil
  ) throws -> Run {
    var destination = self.options.destination
    destination.position = position
    destination.marks = self.options.state[stream.name]
    return try Run(
      [stream.spec], options: options, source: self.options.source, destination: destination,
      input: Input(descriptor: 0), listener: listener, warn: warn, tell: tell)
  }
}
