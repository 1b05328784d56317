// `pagecat run`: fetches records and writes them to standard output or a file.

import Diagnostics
import Engine
import Files
import PipelineSpec

extension Command {
  static let run = Command(
    name: "run", operands: "SPEC... [NAME=VALUE...] [options]", summary: "fetch; records to standard output",
    flags: [
      .output, .append, .merge, .changes, .manifest, .resume, .onceDone, .state, .tokens, .secrets, .every, .rejects,
      .from, .dir,
      .limit, .pages,
      .concurrency, .rate, .pace, .allow, .record, .replay, .summary, .label, .progress, .quiet, .verbose, .log,
    ],
    examples: [
      "pagecat pipelines/cocktails.yaml --replay samples/cocktails.har",
      "pagecat run pipelines/coins.yaml currency=eur --limit 100",
      "pagecat run pipelines/bookmarks.yaml -o bookmarks.ndjson",
      "pagecat run users.yaml posts.yaml | jq -c .name",
    ]
  ) { invocation, streams in
    let console = Console(streams, as: invocation.log, label: invocation.label)
    do {
      return try await RunCommand(invocation, streams, console).run()
    } catch {
      let failure = CommandFailure(error, of: "run")
      failure.tell(console)
      if invocation.summary == .json {
        let name = RunCommand.name(of: (try? invocation.pathsAndParameters.paths) ?? [])
        console.sayAsItIs(
          RunSummary.json(ofRefused: name, label: console.label, because: failure.reason, exit: failure.code))
      }
      return failure.code
    }
  }
}

private struct RunCommand {
  private let invocation: Invocation
  private let streams: Streams
  private let console: Console
  private let paths: [String]
  private var options: RunOptions

  init(_ invocation: Invocation, _ streams: Streams, _ console: Console) throws(UsageError) {
    self.invocation = invocation
    self.streams = streams
    self.console = console
    let (paths, parameters) = try invocation.pathsAndParameters
    self.paths = paths
    options = invocation.runOptions(parameters, streams.environment)
    guard paths.count(where: { $0 == "-" }) < 2 else {
      throw UsageError(message: "'-' is given twice: standard input can be read once")
    }
    options.thread = streams.thread
    if [nil, "-"].contains(invocation.output) {
      options.isReaderGone = { [output = streams.output] in Output.isReaderGone(output) }
    }
    options.firstJob = invocation.firstJob
    if invocation.isAppended, invocation.output == nil {
      throw UsageError(message: "--append needs '-o FILE', to which it appends")
    }
    try checkMerge()
    if invocation.isResumed, destination.path == nil {
      throw UsageError(message: "--resume needs '-o FILE', and FILE must be a regular file")
    }
    if invocation.isOnce, !invocation.isResumed {
      throw UsageError(
        message: "--once needs --resume: give '-o FILE --resume --once' each time")
    }
    if invocation.isResumed, invocation.interval != nil {
      throw UsageError(
        message: "--resume continues one run, and --every starts a new one each time: leave one of them out")
    }
    try invocation.checkPace()
    let read = paths + [invocation.replay].compactMap { $0 }
    if let conflict = destination.conflict(with: invocation.recording, among: read) {
      throw UsageError(message: conflict)
    }
  }

  /// Checks `--manifest`, and `--merge` and `--changes`, which compare the records with those of a file.
  private func checkMerge() throws(UsageError) {
    if invocation.hasManifest, destination.path == nil {
      throw UsageError(message: "--manifest needs '-o FILE', and FILE must be a regular file")
    }
    for (flag, isGiven) in [("--merge", invocation.isMerged), ("--changes", invocation.changes != nil)] where isGiven {
      guard destination.path != nil else {
        throw UsageError(message: "\(flag) needs '-o FILE', and FILE must be a regular file")
      }
      guard !invocation.isAppended else {
        throw UsageError(
          message: "\(flag) compares records by 'unique', and --append adds all of them: leave one of them out")
      }
    }
  }

  /// Path of the output if it must be written in place, as standard output is.
  private var inPlace: String? {
    invocation.output.flatMap { Destination.isWrittenInPlace($0) ? $0 : nil }
  }

  private var destination: Destination {
    var destination = streams.destination
    if inPlace == nil, invocation.output != "-" { destination.path = invocation.output }
    destination.isAppended = invocation.isAppended
    destination.isMerged = invocation.isMerged
    destination.hasManifest = invocation.hasManifest
    destination.changes = invocation.changes.map { $0 == "-" ? .output(streams.output) : .file($0) }
    destination.isResumed = invocation.isResumed
    destination.staysDone = invocation.isOnce
    destination.state = invocation.state
    destination.tokens = invocation.tokens
    destination.pace = invocation.pace
    destination.rejects = invocation.rejects
    destination.allowed = invocation.allowed
    destination.mayReplaceAll = invocation.mayReplaceAll
    destination.folder = invocation.folder ?? destination.folder
    return destination
  }

  func run() async throws -> ExitCode {
    let specs = try readSpecs()
    if let refusal = OpenFiles.refusal(ofRequests: mostRequests(specs)) { throw SpecError(messages: [refusal]) }
    guard let interval = invocation.interval else { return try await runOnce(specs) }
    let again = try inputAgain(specs)
    return try await RepeatingRun(interval: interval, isToFile: destination.path != nil, streams.signals, console).run {
      try again()
      return try await runOnce(specs)
    }
  }

  /// Returns the highest number of requests in flight; a replay makes none.
  private func mostRequests(_ specs: [Spec]) -> Int {
    guard invocation.replay == nil else { return 0 }
    let jobs = specs.flatMap(\.jobs).filter { $0.endpoint != nil }
    return jobs.reduce(0) { $0 + (options.concurrency ?? $1.concurrency) }
  }

  /// Returns a function that rewinds standard input, so that the next run can read it again.
  private func inputAgain(_ specs: [Spec]) throws -> () throws -> Void {
    guard try readsInput(specs) else { return {} }
    let input = Input(descriptor: streams.input)
    guard let place = input.place else {
      throw UsageError(
        message: "--every reads standard input again for each run, which a pipe can't give: write '< FILE'")
    }
    return { try input.rewind(to: place) }
  }

  private func runOnce(_ specs: [Spec]) async throws -> ExitCode {
    try streams.signals.open(watching: options.isReaderGone == nil ? nil : streams.output)
    let isTyped = try streams.isInputTerminal && readsInput(specs)
    let form = Progress.Form(
      invocation, streams, isOnOutput: destination.path == nil && inPlace == nil, isTyped: isTyped)
    let run = try begin(specs, hasProgress: form != nil)
    if let resumption = run.resumption { announce(resumption) }
    if isTyped { announceTerminalInput() }
    let progress = form.map { Progress($0, of: run, name: name, on: console, terminal: streams.error) }
    let running = Task(executorPreference: run.executor) { try await finish(run, progress) }
    streams.signals.listen { reason in
      run.interrupt(reason)
      running.cancel()
    }
    if streams.thread != nil { Signals.leaveToListener() }
    defer { streams.signals.stopListening(forGood: invocation.interval == nil) }
    return try await running.value
  }

  private func finish(_ run: Run, _ progress: Progress?) async throws -> ExitCode {
    var output = try inPlace.map { (path) throws in try Output(path: path) } ?? Output(descriptor: streams.output)
    var code = ExitCode.complete
    do {
      try await run.write(to: &output)
      code = run.exitCode
    } catch {
      code = CommandFailure(error).told(by: console)
    }
    await progress?.stop()
    // Stop the run here, not when it is released: no work of the run may outlive this function.
    await run.stop()
    if let refusal = run.report.counters.refusal { console.error(refusal) }
    do {
      tell(of: try run.close(), run.report.counters)
    } catch {
      let failed = CommandFailure(error).told(by: console)
      tell(of: run.remainingFile, run.report.counters)
      if code == .complete || code == .incomplete { code = failed }
    }
    if code != .readerGone { summarize(run, exit: code) }
    do {
      let journal = try run.releaseLocks()
      if invocation.interval == nil { streams.ending.journal = journal } else { try journal?.remove() }
    } catch {
      let failed = CommandFailure(error).told(by: console)
      if code == .complete || code == .incomplete { code = failed }
    }
    return code
  }

  /// Prints how to resume, but not with `--every`, since the next run starts from the beginning.
  private func tell(of left: InterruptedFile?, _ counters: RunCounters) {
    // Of a run that is capped or partial, a warning says what became of its records.
    guard let left, invocation.interval == nil, [.short, .failed].contains(counters.verdict) else { return }
    console.say("pagecat: \(Self.sentence(left, counters))")
  }

  /// Returns the message about the partial file, and how to resume.
  private static func sentence(_ left: InterruptedFile, _ counters: RunCounters) -> String {
    let (path, part) = (left.path.printable, left.part.printable)
    let start = "'\(path)' was not \(left.isNew ? "written" : "replaced")"
    if counters.verdict == .short {
      return
        "\(start) because the records may not be the whole set; see '\(part)'. --resume --allow short takes them; any other "
        + "run fetches everything again"
    }
    let way = counters.isPositionLost ? "without --resume to start over" : "the same command with --resume to continue"
    return "\(start) because the run did not finish; see '\(part)'. Run \(way)"
  }

  private func readSpecs() throws -> [Spec] {
    let specs = try SpecFiles.read(paths, Input(descriptor: streams.input))
    if console.label != nil { console.hide(options.secrets(of: specs)) }
    if paths.contains("-"), try readsInput(specs) {
      throw UsageError(
        message: "standard input can't be both the spec and the records that 'run' reads: give the spec as a file")
    }
    if invocation.interval != nil, invocation.state != nil, destination.path != nil, !destination.isAppended,
      !destination.isMerged, !destination.mayReplaceAll, specs.flatMap(\.jobs).contains(where: \.asksForNews)
    {
      throw UsageError(
        message:
          "from the second run on, '-o FILE' would have only what is new: add --append, --merge, or --allow replace")
    }
    if invocation.folder != nil, !specs.flatMap(\.jobs).contains(where: { $0.download != nil }) {
      throw UsageError(message: "--dir is where 'download' saves files, which no spec has: leave --dir out")
    }
    return specs
  }

  private func begin(_ specs: [Spec], hasProgress: Bool) throws -> Run {
    let input = Input(descriptor: streams.input)
    let (console, isQuiet) = (console, invocation.isQuiet)
    let source = invocation.replay.map { Source.replay(path: $0) } ?? .network
    let log = EventLog(console, invocation, printsWaits: !isQuiet && !hasProgress)
    let run = try Run(
      specs, options: options, source: source, destination: destination, recording: invocation.recording, input: input,
      listener: log.listener,
      warn: { if !isQuiet { console.say("pagecat: warning: \($0)") } }
    ) { failure, isFinal in
      if isFinal || !isQuiet { console.say("pagecat: \(isFinal ? "error" : "warning"): \(failure.description)") }
    }
    console.hide(run.secrets)
    return run
  }

  private func announce(_ resumption: Resumption) {
    guard !invocation.isQuiet, let path = destination.path?.printable else { return }
    let count = "\(resumption.records) record\(resumption.records == 1 ? "" : "s")"
    console.say(
      resumption.isAtEnd
        ? "pagecat: '\(path)' has all \(count) of the run that began at \(resumption.start)"
        : "pagecat: resuming the run that began at \(resumption.start): \(count) so far")
  }

  /// Says that the run waits for records that a user types.
  private func announceTerminalInput() {
    guard !invocation.isQuiet else { return }
    console.say("pagecat: reading records from the terminal: one JSON value a line, Ctrl-D ends")
  }

  private func readsInput(_ specs: [Spec]) throws -> Bool {
    guard let first = try options.firstJob.map({ try specs.starting(at: $0) })?.first ?? specs.first else {
      return false
    }
    return first.jobs[0].readsInput
  }

  private func summarize(_ run: Run, exit code: ExitCode) {
    let facts = run.report.counters
    let summary = RunSummary(of: run, name: name, label: console.label)
    switch invocation.summary {
    case .none: break
    case .json: console.sayAsItIs(summary.json(exit: code))
    case .text: console.say(summary.text)
    case .auto:
      let isWanted = invocation.isQuiet ? facts.isIncomplete : streams.isErrorTerminal || facts.verdict != .complete
      if isWanted { console.say(summary.text) }
    }
  }

  private var name: String { Self.name(of: paths) }

  /// Returns the names of the specs without folder and extension, joined as in a pipe.
  static func name(of operands: [String]) -> String {
    operands.map { path in
      let file = path.split(separator: "/").last.map(String.init) ?? path
      return file.split(separator: ".").first.map(String.init) ?? file
    }.joined(separator: " | ").printable
  }
}

// `--every`: repeats a run at an interval.

/// Repeats a run at an interval that counts from start to start.
///
/// A run that takes longer than the interval skips the ticks that it misses. A failed run is reported, and retried at
/// the next tick.
struct RepeatingRun {
  private let interval: Duration
  private let isToFile: Bool
  private let signals: Signals
  private let console: Console

  /// Prepares the repetition.
  ///
  /// - Parameter isToFile: true if records go to a file, so that a later run may succeed where this run could not
  ///   write.
  init(interval: Duration, isToFile: Bool, _ signals: Signals, _ console: Console) {
    self.interval = interval
    self.isToFile = isToFile
    self.signals = signals
    self.console = console
  }

  /// Runs until a signal arrives, or until no further run could succeed.
  ///
  /// - Throws: errors in the command line or a spec, if the first run shows them.
  func run(_ once: () async throws -> ExitCode) async throws -> ExitCode {
    let begun = ContinuousClock.now
    var ticks = 0
    while true {
      let code = try await refresh(isFirst: ticks == 0, once)
      if let signal = signals.first { return signal.exitCode }
      if code == .readerGone || code == .output && !isToFile { return code }
      repeat { ticks += 1 } while begun + interval * ticks <= .now
      if let signal = await sleep(until: begun + interval * ticks) { return signal.exitCode }
    }
  }

  private func refresh(isFirst: Bool, _ once: () async throws -> ExitCode) async throws -> ExitCode {
    do {
      return try await once()
    } catch let error as FileError {
      return CommandFailure(error).told(by: console)
    } catch {
      guard !isFirst else { throw error }
      return CommandFailure(error).told(by: console)
    }
  }

  /// Sleeps until a tick, and returns the signal that ended the sleep, if any.
  private func sleep(until tick: ContinuousClock.Instant) async -> Interruption? {
    let sleeping = Task { try await Task.sleep(until: tick, clock: .continuous) }
    signals.listen { _ in sleeping.cancel() }
    _ = await sleeping.result
    return signals.first
  }
}
