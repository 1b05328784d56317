// `pagecat run`: fetches records and writes them to standard output or a file.

import Diagnostics
import Engine
import Files
import PipelineSpec
import Primitives
import SpecDrafting

extension Command {
  static let run = Command(
    name: "run", operands: "SPEC... [NAME=VALUE...] [options] | URL [options]",
    summary: "fetch; records to standard output",
    flags: [
      .output, .append, .merge, .changes, .manifest, .resume, .onceDone, .state, .tokens, .secrets, .every, .rejects,
      .stream, .from, .dir, .maxRecords, .maxPages,
      .concurrency, .rate, .pace, .allow, .record, .replay, .summary, .label, .progress, .quiet, .verbose, .log,
      .header, .data, .request, .user, .save,
    ],
    examples: [
      "pagecat pipelines/cocktails.yaml --replay samples/cocktails.har",
      "pagecat run pipelines/coins.yaml currency=eur --max-records 100",
      "pagecat run pipelines/bookmarks.yaml -o bookmarks.ndjson",
      "pagecat run users.yaml posts.yaml | jq -c .name",
      "pagecat run github.yaml -o data/",
      "pagecat https://api.example.com/coins -o coins.ndjson --save coins.yaml",
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

/// One of the runs of a command: of all specs, or of one stream.
struct RunPart {
  /// Name of the stream; nil for a run of all specs.
  var stream: String?
  let name: String
  let specs: [Spec]
  var destination: Destination
  /// Nil for a run that is known to be done with its input.
  var input: Input?
}

struct RunCommand {
  let invocation: Invocation
  let streams: Streams
  let console: Console
  let paths: [String]
  var options: RunOptions

  init(_ invocation: Invocation, _ streams: Streams, _ console: Console) throws(UsageError) {
    self.invocation = invocation
    self.streams = streams
    self.console = console
    let (paths, parameters) = try invocation.pathsAndParameters
    self.paths = paths
    options = invocation.runOptions(parameters, streams.environment)
    if isOfURL { try checkURL(parameters) } else { try checkNoRequest() }
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
    if let path = inPlace, OutputName.format(path) != nil {
      throw UsageError(
        message: "'\(path.printable)' promises gzip, which is written to regular files only: write '-o - | gzip'")
    }
    if invocation.isResumed, destination.path == nil, folder == nil {
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
    try checkConflict(destination)
  }

  /// Checks that each file of a run is one of its own.
  func checkConflict(_ destination: Destination) throws(UsageError) {
    let read = paths + [invocation.replay, invocation.specFile].compactMap { $0 }
    var destination = destination
    if invocation.hasManifest { destination.manifest = (folder ?? destination.path).map { ExportManifest(of: $0, []) } }
    if let conflict = destination.conflict(with: invocation.recording, among: read) {
      throw UsageError(message: conflict)
    }
  }

  /// Checks `--manifest`, and `--merge` and `--changes`, which compare the records with those of a file.
  private func checkMerge() throws(UsageError) {
    if invocation.hasManifest, destination.path ?? folder == nil {
      throw UsageError(message: "--manifest needs '-o FILE' or '-o FOLDER/', and FILE must be a regular file")
    }
    for (flag, isGiven) in [("--merge", invocation.isMerged), ("--changes", invocation.changes != nil)] where isGiven {
      guard destination.path ?? folder != nil else {
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
    folder == nil ? invocation.output.flatMap { Destination.isWrittenInPlace($0) ? $0 : nil } : nil
  }

  /// Path of the folder that gets a file for each stream, with its last slash; nil for one output.
  var folder: String? { invocation.output.flatMap { $0.hasSuffix("/") ? $0 : nil } }

  /// The files of a run, without those of its stream.
  var destination: Destination {
    var destination = streams.destination
    if inPlace == nil, invocation.output != "-", folder == nil { destination.path = invocation.output }
    destination.isAppended = invocation.isAppended
    destination.isMerged = invocation.isMerged
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
    guard isOfURL else { return try await run(try readSpecs()) }
    var command = self
    WriteLimits.begin(written([]), streams)
    let specs = try await command.draft()
    return try await command.run(specs)
  }

  private func run(_ specs: [Spec]) async throws -> ExitCode {
    if let refusal = OpenFiles.refusal(ofRequests: mostRequests(specs)) { throw SpecError(messages: [refusal]) }
    let parts = try streamParts(specs)
    WriteLimits.begin(written(specs), streams)
    func runOnce(_ specs: [Spec]) async throws -> ExitCode {
      guard let parts else { return try await runAll(specs) }
      return try await runStreams(parts, of: specs)
    }
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
    guard let offset = input.offset else {
      throw UsageError(
        message: "--every reads standard input again for each run, which a pipe can't give: write '< FILE'")
    }
    return { try input.rewind(to: offset) }
  }

  private func runAll(_ specs: [Spec]) async throws -> ExitCode {
    var part = RunPart(
      name: name, specs: specs, destination: destination, input: Input(descriptor: streams.input))
    part.destination.manifest =
      invocation.hasManifest ? part.destination.path.map { ExportManifest(of: $0, specs) } : nil
    let running = try start(part)
    defer { streams.signals.stopListening(forGood: invocation.interval == nil) }
    return try await running.value.code
  }

  /// Starts a run, which a signal will end.
  func start(_ part: RunPart) throws -> Task<(code: ExitCode, summary: RunSummary), any Error> {
    try streams.signals.open(watching: options.isReaderGone == nil ? nil : streams.output)
    let isTyped = try part.stream == nil && streams.isInputTerminal && readsInput(part.specs)
    let form = Progress.Form(
      invocation, streams, isOnOutput: part.destination.path == nil && inPlace == nil, isTyped: isTyped)
    let run = try begin(part, hasProgress: form != nil)
    if let resumption = run.resumption { announce(resumption, part) }
    if isTyped { announceTerminalInput() }
    let progress = form.map { Progress($0, of: run, name: part.name, on: console, terminal: streams.error) }
    let running = Task(executorPreference: run.executor) { try await finish(run, progress, part) }
    streams.signals.listen { reason in
      run.interrupt(reason)
      running.cancel()
    }
    if streams.thread != nil { Signals.leaveToListener() }
    return running
  }

  private func finish(_ run: Run, _ progress: Progress?, _ part: RunPart) async throws
    -> (code: ExitCode, summary: RunSummary)
  {
    var output = try inPlace.map { (path) throws in try Output(path: path) } ?? Output(descriptor: streams.output)
    var code = ExitCode.complete
    do {
      try await run.write(to: &output)
      code = run.exitCode
    } catch {
      code = CommandFailure(error).report(to: console)
    }
    await progress?.stop()
    // Stop the run here, not when it is released: no work of the run may outlive this function.
    await run.stop()
    if let refusal = run.report.counters.refusal { console.error(refusal) }
    do {
      tell(of: try run.close(), run.report.counters)
    } catch {
      let failed = CommandFailure(error).report(to: console)
      tell(of: run.remainingFile, run.report.counters)
      if code == .complete || code == .incomplete { code = failed }
    }
    // After the release, the files no longer tell what was resumed, changed and marked.
    let summary = RunSummary(of: run, name: part.name, label: console.label)
    if code != .readerGone { show(summary, of: part, isIncomplete: run.report.counters.isIncomplete, exit: code) }
    do {
      let journal = try run.releaseLocks()
      if invocation.interval == nil, part.stream == nil {
        streams.ending.journals = [journal].compactMap { $0 }
      } else {
        try journal?.remove()
      }
    } catch {
      let failed = CommandFailure(error).report(to: console)
      if code == .complete || code == .incomplete { code = failed }
    }
    return (code, summary)
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
    let problem = "\(start) because the run did not finish; see '\(part)'"
    if counters.failure?.error.isOfSpec == true {
      return
        "\(problem). Unless the answer changes, --resume fails there again: mend the spec, and run without --resume"
    }
    let way = counters.isPositionLost ? "without --resume to start over" : "the same command with --resume to continue"
    return "\(problem). Run \(way)"
  }

  private func readSpecs() throws -> [Spec] {
    var specs = try SpecFiles.read(paths, Input(descriptor: streams.input))
    if folder == nil {
      if let name = invocation.streams.first, specs.allSatisfy(\.streams.isEmpty) {
        throw SpecFiles.withoutStreams(name, paths)
      }
      specs = try specs.map { try $0.single(named: $0.streams.isEmpty ? [] : invocation.streams) }
    }
    if console.label != nil { console.hide(options.secrets(of: specs)) }
    if paths.contains("-"), try readsInput(specs) {
      throw UsageError(
        message: "standard input can't be both the spec and the records that 'run' reads: give the spec as a file")
    }
    if invocation.interval != nil, invocation.state != nil, destination.path ?? folder != nil, !destination.isAppended,
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

  private func begin(_ part: RunPart, hasProgress: Bool) throws -> Run {
    let (console, isQuiet) = (console, invocation.isQuiet)
    let log = EventLog(console, invocation, printsWaits: !isQuiet && !hasProgress)
    var options = options
    options.name = part.name
    let run = try Run(
      part.specs, options: options, source: source, destination: part.destination, recording: invocation.recording,
      input: part.input,
      listener: log.listener, inform: { if !isQuiet { console.say("pagecat: \($0)") } },
      warn: { if !isQuiet { console.say("pagecat: warning: \($0)") } }
    ) { failure, isFinal in
      if isFinal || !isQuiet { console.say("pagecat: \(isFinal ? "error" : "warning"): \(failure.description)") }
    }
    console.hide(run.secrets)
    return run
  }

  /// Where the replies come from.
  var source: Source { invocation.replay.map { .replay(path: $0) } ?? .network }

  private func announce(_ resumption: Resumption, _ part: RunPart) {
    guard !invocation.isQuiet, let path = part.destination.path?.printable else { return }
    let count = "\(resumption.records.counted("record"))"
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
    return first.readsInput
  }

  private func show(_ summary: RunSummary, of part: RunPart, isIncomplete: Bool, exit code: ExitCode) {
    if invocation.summary == .json {
      if part.stream == nil { console.sayAsItIs(summary.json(exit: code)) }
    } else if showsSummary(of: summary.verdict, isIncomplete: isIncomplete) {
      console.say(summary.text)
    }
  }

  /// Reports that a summary as text is wanted.
  func showsSummary(of verdict: Verdict, isIncomplete: Bool) -> Bool {
    switch invocation.summary {
    case .none, .json: false
    case .text: true
    case .auto: invocation.isQuiet ? isIncomplete : streams.isErrorTerminal || verdict != .complete
    }
  }

  /// Names of the specs, without folder and extension.
  var name: String {
    if isOfURL { return Self.urlName }
    let stream = folder == nil && invocation.streams.count == 1 ? "/\(invocation.streams[0].printable)" : ""
    return Self.name(of: paths) + stream
  }

  /// Name of the spec that is made of a URL.
  private static let urlName = "url"

  /// Returns the names of the specs without folder and extension, joined as in a pipe.
  static func name(of operands: some Sequence<String>) -> String {
    operands.map { path in
      let file = path.split(separator: "/").last.map(String.init) ?? path
      return file.split(separator: ".").first.map(String.init) ?? file
    }.joined(separator: " | ").printable
  }
}

// `pagecat URL`: a run by a spec that is made of the URL and its first answer.

extension RunCommand {
  /// True if the first operand is a URL.
  private var isOfURL: Bool { ["http://", "https://"].contains { paths[0].lowercased().hasPrefix($0) } }

  private func checkURL(_ parameters: [(name: String, value: String)]) throws(UsageError) {
    guard paths.count == 1, parameters.isEmpty else {
      throw UsageError(
        message: "a run takes one URL, without specs and parameters; a header field is '-H \"Name: value\"'")
    }
    for (option, isGiven) in [("--from", invocation.firstJob != nil), ("--state", invocation.state != nil)]
    where isGiven {
      throw UsageError(message: "\(option) needs a spec: write one with --save FILE, and run that")
    }
  }

  /// Throws if the command line has a part of a request, which stands in the spec.
  private func checkNoRequest() throws(UsageError) {
    let look = invocation.look
    let given = [
      ("-H", !look.headers.isEmpty), ("-d", look.body != nil), ("-X", look.method != nil), ("-u", look.user != nil),
    ]
    if let first = given.first(where: \.1), let error = Arguments.misplaced(first.0) { throw error }
    guard invocation.specFile == nil else {
      throw UsageError(message: "--save writes the spec of a URL, and this run has a spec: leave --save out")
    }
  }

  /// Makes the request, and returns the spec by which the run goes on.
  private mutating func draft() async throws -> [Spec] {
    var look = invocation.look
    look.url = paths[0]
    var drafting = RunOptions()
    (drafting.environment, drafting.thread) = (streams.environment, streams.thread)
    let file = try invocation.specFile.map { try DraftFile(givenBy: "--save", $0) }
    let drafter = try SpecDrafter(
      look, options: drafting, recording: invocation.replay, isOnce: true,
      listener: EventLog(console, invocation, printsWaits: !invocation.isQuiet).listener)
    let whole = try await drafter.whole()
    let spec = try Spec(bytes: Array(whole.text.utf8), name: Self.urlName)
    if !invocation.isQuiet { console.say(String(whole.text.dropLast())) }
    try file?.write(whole.text)
    guard invocation.replay == nil else { return [spec] }
    for (name, value) in whole.variables { options.environment[name] = value }
    options.transport = whole.transport
    return [spec]
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
      return CommandFailure(error).report(to: console)
    } catch {
      guard !isFirst else { throw error }
      return CommandFailure(error).report(to: console)
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
