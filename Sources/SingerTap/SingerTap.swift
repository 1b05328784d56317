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
    var options = options
    options.run.network = options.run.network ?? SharedNetwork()
    let marksDeletions = options.marksDeletions
    streams = specs.flatMap { spec in
      spec.streams.isEmpty
        ? [SingerStream(spec, marksDeletions: marksDeletions)]
        : spec.withSources(spec.streams).map { SingerStream(spec, $0, marksDeletions: marksDeletions) }
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
    let run = try begin(stream.spec, of: stream, options, nil, Input(descriptor: 0))
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
    var records = SourceRecords()
    warnOfOtherStreams()
    let selected = streams.filter { options.catalog?.selects($0.name) ?? true }
    try check(selected, state)
    var worst = ExitCode.complete
    for (index, stream) in selected.enumerated() where !Task.isCancelled {
      let code: ExitCode
      do {
        let rest = selected[(index + 1)...]
        code = try await write(stream, &state, &records, before: rest, to: &output)
      } catch {
        // The others may still be whole, unless nobody reads them or nothing can be written.
        guard selected.count > 1, !(error is FileError), !(error is CancellationError) else { throw error }
        code = fail(error)
      }
      worst = [worst, code, records.worst].max { $0.rawValue < $1.rawValue } ?? worst
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

  /// - Parameter rest: the selected streams that follow.
  private func write(
    _ stream: SingerStream, _ state: inout SingerState, _ records: inout SourceRecords,
    before rest: ArraySlice<SingerStream>, to output: inout Output
  ) async throws -> ExitCode {
    let leftOut = stream.leftOut(by: options.catalog)
    if try await isDone(stream, state, without: leftOut) { return .complete }
    guard let input = try await input(of: stream, &records, state) else {
      conclude("\(stream.name.printable): failed: '\(stream.source ?? "")', which it reads, was not fetched whole")
      return .incomplete
    }
    let run = try await resume(stream, &state, without: leftOut, input)
    // Those that read the stream need all its records, and not only the rest, or what is new.
    let isRead = rest.contains { $0.sources.contains(stream.name) }
    let isWhole = state.position(of: stream.name) == nil && !(stream.hasMark && !state[stream.name].isEmpty)
    let copy = isRead && isWhole && options.run.recordLimit == nil ? makeSpool() : nil
    if copy != nil { records[stream.name] = .failed }
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
        try copy?.append(batch.lines)
        run.count(batch)
        progress.move(to: run.moment(after: batch))
      }
      // A failure after the reader left is a consequence of that.
      if output.isReaderGone { throw FileError.readerGone }
      let counters = try await end(run, of: stream.name)
      if counters.verdict != .failed { try output.write(writer.end()) }
      // If the marks were saved after a failure, the failed records would be skipped for ever.
      let destination = records.destination(options.destination, of: stream)
      let isAccepted = destination.accepts(counters.verdict)
      if let copy { records.keep(copy, of: stream.name, counters.verdict, destination) }
      if !isAccepted, counters.verdict == .complete {
        warn("\(stream.name.printable): its mark is not saved, since records of what it reads may be missing")
      }
      if isAccepted {
        state.remember(try run.nextMarks(), by: run.subjects, of: stream.name)
        if let pages = run.chosenPages { state.remember(pages, of: stream.name) }
      }
      var isNews = progress.end(run, in: &state) || isAccepted
      // A stream with marks does not repeat much.
      if !rest.isEmpty, isAccepted, !stream.hasMark, let identity = run.identity {
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

  /// True if an earlier run of the tap has completed the stream, and was killed before it completed all streams.
  private func isDone(
    _ stream: SingerStream, _ state: SingerState, without leftOut: Set<String>
  ) async throws -> Bool {
    guard let done = state.doneRun(of: stream.name) else { return false }
    let options = runOptions(of: stream)
    let run = try begin(spec(of: stream), of: stream, options, RunPosition.Request(leftOut: leftOut), nil)
    defer { withExtendedLifetime(run) {} }
    await run.stop()
    try run.release()
    return run.identity == done
  }

  /// Begins the run of a stream at the state's position, or from its start if the position belongs to another run.
  private func resume(
    _ stream: SingerStream, _ state: inout SingerState, without leftOut: Set<String>, _ input: Input
  ) async throws -> Run {
    let options = runOptions(of: stream)
    let spec = spec(of: stream)
    guard stream.isResumable else { return try begin(spec, of: stream, options, nil, input) }
    var differences: [String] = []
    if let source = stream.source, let position = state.position(of: stream.name), options.recordLimit == nil,
      let earlier = EarlierRun([spec], at: position), await !earlier.fits(input.again)
    {
      differences = ["the records of '\(source.printable)'"]
    } else {
      do {
        let request = RunPosition.Request(resumed: state.position(of: stream.name), leftOut: leftOut)
        return try begin(spec, of: stream, options, request, input)
      } catch let mismatch as RunPosition.Mismatch {
        differences = mismatch.differences
      }
    }
    warn(
      "the position of '\(stream.name.printable)' in the state is not used, and the stream begins anew: since that "
        + "state changed \(differences.joined(separator: ", "))")
    state.endPosition(of: stream.name)
    return try begin(spec, of: stream, options, RunPosition.Request(leftOut: leftOut), input)
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
    _ spec: Spec, of stream: SingerStream, _ options: RunOptions, _ position: RunPosition.Request?, _ input: Input?,
    isInput: Bool = false
  ) throws -> Run {
    var destination = self.options.destination
    destination.position = position
    if !isInput { destination.marks = self.options.state[stream.name] }
    destination.chosenPages = self.options.state.chosenPages(of: stream.name)
    if stream.source != nil, !spec.jobs.contains(where: \.refreshesTokens) { destination.tokens = nil }
    return try Run(
      [spec], options: options, source: self.options.source, destination: destination, input: input, listener: listener,
      warn: warn, tell: tell)
  }
}

// MARK: The records of streams that others read

/// The records of the streams that others read, each of which is requested once.
private struct SourceRecords {
  enum Records {
    case whole(SharedSpool)
    case failed
  }

  private var records: [String: Records] = [:]
  /// Streams of whose records some may be missing, so that those that read them save no marks.
  private var partial: Set<String> = []
  /// The worst exit code of a stream that is not selected, and was fetched for those that read it.
  var worst = ExitCode.complete

  subscript(stream: String) -> Records? {
    get { records[stream] }
    set { records[stream] = newValue }
  }

  /// Returns the destination of a stream's run, which knows whether some of what the stream reads may be missing.
  func destination(_ destination: Destination, of stream: SingerStream) -> Destination {
    var destination = destination
    destination.isInputPartial = stream.source.map(partial.contains) ?? false
    return destination
  }

  /// Keeps the records of a run that is over, if others may read them.
  mutating func keep(_ spool: SharedSpool, of stream: String, _ verdict: Verdict, _ destination: Destination) {
    guard destination.ending(with: verdict).keepsRecords else { return }
    records[stream] = .whole(spool)
    if !destination.accepts(verdict) { partial.insert(stream) }
  }
}

extension SingerTap {
  private func makeSpool() -> SharedSpool { SharedSpool(environment: options.run.environment) }

  /// The jobs of a stream's run: with a limit of records, it requests what it reads itself, as far as it must.
  private func spec(of stream: SingerStream) -> Spec { options.run.recordLimit == nil ? stream.own : stream.spec }

  /// Returns the records that a stream reads; nil if they were not fetched whole.
  private func input(
    of stream: SingerStream, _ records: inout SourceRecords, _ state: SingerState
  ) async throws -> Input? {
    guard let source = stream.source, options.run.recordLimit == nil else { return Input(descriptor: 0) }
    return try await spool(of: source, &records, state).map { Input($0) }
  }

  /// Returns the records of a stream for those that read it, which are requested unless they are there.
  private func spool(
    of name: String, _ records: inout SourceRecords, _ state: SingerState
  ) async throws -> SharedSpool? {
    switch records[name] {
    case .whole(let spool): return spool
    case .failed: return nil
    case nil: break
    }
    records[name] = .failed
    guard let stream = streams.first(where: { $0.name == name }),
      let input = try await input(of: stream, &records, state)
    else { return nil }
    let spool = makeSpool()
    let run = try begin(stream.asInput, of: stream, runOptions(of: stream), nil, input, isInput: true)
    do {
      while let batch = await next(of: run) {
        try spool.append(batch.lines)
        run.count(batch)
      }
    } catch {
      await run.stop()
      throw error
    }
    let counters = try await end(run, of: name)
    let code = counters.exitCode(allowing: options.destination.allowed)
    if code.rawValue > records.worst.rawValue { records.worst = code }
    records.keep(spool, of: name, counters.verdict, records.destination(options.destination, of: stream))
    return if case .whole(let spool)? = records[name] { spool } else { nil }
  }

  /// Ends a run, and returns its counters.
  private func end(_ run: Run, of stream: String) async throws -> RunCounters {
    run.report.tellFailure()
    await run.stop()
    _ = try run.close()
    try run.release()
    let counters = run.report.counters
    // No summary shows it.
    if counters.verdict != .failed, counters.isIncomplete {
      conclude("\(stream.printable): \(counters.verdict.rawValue): \(counters.reason)")
    }
    return counters
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
