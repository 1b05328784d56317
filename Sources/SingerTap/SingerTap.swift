#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import Diagnostics
package import Engine
import Files
import JSONText
package import PipelineSpec
import Primitives
import Wire

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
    /// Files that the runs may write, and the verdicts that are no failure.
    package var destination = Destination()
    /// True if records for which `deleted` holds get the time in `_sdc_deleted_at`.
    package var marksDeletions = false

    package init() {}
  }

  /// Number of records in a sample, from which a schema is made.
  private static let sample = 100

  private let streams: [SingerStream]
  private let options: Options
  private let listener: RunListener
  private let warn: @Sendable (String) -> Void
  /// Prints the verdict of a stream.
  private let conclude: @Sendable (String) -> Void
  private let tell: @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void

  /// - Throws: `SpecError` if two streams have one name.
  package init(
    _ specs: [Spec], _ options: Options, listener: RunListener, warn: @escaping @Sendable (String) -> Void,
    conclude: @escaping @Sendable (String) -> Void,
    tell: @escaping @Sendable (_ failure: Failure, _ isFinal: Bool) -> Void
  ) throws(SpecError) {
    let marksDeletions = options.marksDeletions
    streams = specs.flatMap { spec in
      spec.streams.isEmpty
        ? [SingerStream(spec, marksDeletions: marksDeletions)]
        : spec.streams.map { SingerStream(spec.alone($0), named: $0.name, marksDeletions: marksDeletions) }
    }
    (self.options, self.listener, self.warn, self.conclude, self.tell) = (options, listener, warn, conclude, tell)
    let undeclared = RunPlan.undeclared(options.run.parameters, in: specs)
    guard undeclared.isEmpty else { throw SpecError(messages: undeclared) }
    if options.marksDeletions, streams.allSatisfy({ $0.deleted == nil }) {
      throw SpecError(messages: ["--deletions marks records by 'deleted', which no spec has: leave --deletions out"])
    }
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
  /// tap that is killed loses no records: the next run with the last state repeats those after that state. It skips the
  /// streams that were complete, until all are.
  ///
  /// A stream that fails leaves the others whole.
  ///
  /// - Parameter fail: reports the error of a stream whose run could not begin, or whose records are not what its schema
  ///   says, and returns the exit code.
  /// - Returns: the worst exit code of a stream, which is the highest.
  package func write(
    to output: inout Output, fail: (_ error: any Error) -> ExitCode
  ) async throws -> ExitCode {
    var state = options.state
    warnOfOtherStreams()
    let selected = streams.filter { options.catalog?.selects($0.name) ?? true }
    try check(selected, state)
    var worst = ExitCode.complete
    for (index, stream) in selected.enumerated() where !Task.isCancelled {
      let code: ExitCode
      do {
        code = try await write(stream, &state, isLast: index == selected.count - 1, to: &output)
      } catch {
        // The others may still be whole, unless nobody reads them or nothing can be written.
        guard selected.count > 1, !(error is FileError), !(error is CancellationError) else { throw error }
        code = fail(error)
      }
      if code.rawValue > worst.rawValue { worst = code }
    }
    // After a failure as well: otherwise a stream that always fails would keep the others from being fetched again.
    if state.forgetDone() {
      try output.write(state.message)
      try output.flush()
    }
    return worst
  }

  /// Checks all streams before the first request.
  private func check(_ streams: [SingerStream], _ state: SingerState) throws {
    // A replay has its own environment.
    guard case .network = options.source else { return }
    let start = Int(Date().timeIntervalSince1970)
    for stream in streams {
      let plan = try RunPlan([stream.spec], runOptions(of: stream), start: start, since: state[stream.name])
      try state.check(plan.subjects, of: stream.name)
    }
  }

  private func warnOfOtherStreams() {
    let names = streams.map(\.name)
    let others = (options.catalog?.selected ?? []).filter { !names.contains($0) }
    guard !others.isEmpty else { return }
    func list(_ names: [String]) -> String { names.map { "'\($0.printable)'" }.joined(separator: ", ") }
    warn("the catalog selects \(list(others)), of which there is no spec; the streams are \(list(names))")
  }

  private func write(
    _ stream: SingerStream, _ state: inout SingerState, isLast: Bool, to output: inout Output
  ) async throws -> ExitCode {
    let leftOut = stream.leftOut(by: options.catalog)
    let run = try resume(stream, &state, without: leftOut)
    if let done = state.doneRun(of: stream.name), done == run.identity {
      await run.stop()
      try run.release()
      return .complete
    }
    var writer = SingerWriter(stream, leavingOut: leftOut)
    var progress = SingerProgress(stream.name, isResumed: state.position(of: stream.name) != nil)
    do {
      while let batch = await next(of: run) {
        // The last page needs no position: the marks follow it.
        if progress.isDue, progress.store(run, in: &state) { try output.write(state.message) }
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
      if counters.verdict != .failed, counters.isIncomplete {
        conclude("\(stream.name.printable): \(counters.verdict.rawValue): \(counters.reason)")
      }
      if counters.verdict != .failed { try output.write(writer.end()) }
      // If the marks were saved after a failure, the failed records would be skipped for ever.
      let isAccepted = options.destination.accepts(counters.verdict)
      if isAccepted {
        state.remember(try run.nextMarks(), by: run.subjects, of: stream.name)
        if let pages = run.chosenPages { state.remember(pages, of: stream.name) }
      }
      var isNews = progress.end(run, in: &state) || isAccepted
      // A stream with marks does not repeat much.
      if !isLast, isAccepted, !stream.hasMark, let identity = run.identity {
        state.finish(stream.name, by: identity)
        isNews = true
      }
      if isNews { try output.write(state.message) }
      try output.flush()
      return counters.exitCode(allowing: options.destination.allowed)
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
    options.parameters.removeAll { parameter in !stream.spec.parameters.contains { $0.name == parameter.name } }
    self.options.config.add(to: &options, for: stream.spec)
    return options
  }

  private func begin(
    _ stream: SingerStream, _ options: RunOptions, _ position: RunPosition.Request? = nil
  ) throws -> Run {
    var destination = self.options.destination
    destination.position = position
    destination.marks = self.options.state[stream.name]
    destination.chosenPages = self.options.state.chosenPages(of: stream.name)
    return try Run(
      [stream.spec], options: options, source: self.options.source, destination: destination,
      input: Input(descriptor: 0), listener: listener, warn: warn, tell: tell)
  }
}

/// A Singer config: an object whose members are parameters of the specs, or variables.
///
/// So secrets stand in a file, and never on a command line.
package struct SingerConfig: Sendable {
  private var texts: [(name: String, value: String)] = []

  package init() {}

  /// Reads a config.
  ///
  /// - Throws: `SpecError` if the text is no object.
  package init(_ bytes: [UInt8], name: String) throws(SpecError) {
    guard let json = try? JSONValue(parsing: bytes), json.kind == .object else {
      throw SpecError(messages: ["'\(name.printable)' is not a config: it must be a JSON object"])
    }
    for member in json.members where !member.value.isNull {
      let values = member.value.kind == .array ? Array(member.value.elements) : [member.value]
      for value in values { texts.append((member.name, value.string ?? value.text)) }
    }
  }

  /// Adds the members that the specs declare as parameters, and all members as variables.
  func add(to options: inout RunOptions, for spec: Spec) {
    // Values from the command line take precedence.
    let wanted = Set(spec.parameters.map(\.name)).subtracting(options.parameters.map(\.name))
    options.parameters += texts.filter { wanted.contains($0.name) }
    for (name, value) in texts { options.environment[name] = value }
  }
}
