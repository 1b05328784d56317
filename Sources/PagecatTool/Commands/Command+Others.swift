// The commands beside `run` and `tap`: for specs and text, then `plan`, `report`, `new`, and those for editors and shells.

import Diagnostics
import Engine
import Files
import PipelineSpec
import RequestPreview
import RunReport
import SingerTap
import SpecDrafting

extension Command {
  static let check = Command(
    name: "check", operands: "SPEC...", summary: "report every mistake in the specs", flags: [.strict, .quiet],
    examples: ["pagecat check pipelines/*.yaml", "pagecat check --strict pipelines/*.yaml"]
  ) { invocation, streams in
    guard !invocation.operands.isEmpty else { throw UsageError(message: "no SPEC was given") }
    let input = Input(descriptor: streams.input)
    let specs = try SpecFiles.read(invocation.operands, input)
    if invocation.isStrict {
      let doubts = specs.flatMap { spec in spec.allDoubts.map { $0.errorText(in: spec.name).printable } }
      if !doubts.isEmpty { throw SpecError(messages: doubts) }
    }
    var output = Output(descriptor: streams.output)
    if !invocation.isQuiet {
      for spec in specs { try output.write(Array(SpecFiles.report(spec).utf8)) }
    }
    try output.flush()
    return .complete
  }

  static let verify = Command(
    name: "verify", operands: "MANIFEST...", summary: "compare files with the manifests of --manifest", flags: [.quiet],
    examples: ["pagecat verify coins.ndjson.manifest.json"]
  ) { invocation, streams in
    guard !invocation.operands.isEmpty else { throw UsageError(message: "no MANIFEST was given") }
    for path in invocation.operands {
      do {
        if let difference = try ExportManifest.firstDifference(path) {
          Console(streams).error("\(path.printable): \(difference)")
          return .content
        }
      } catch let error as FileError {
        Console(streams).error(error.problem)
        return .usage
      }
    }
    return invocation.isQuiet
      ? .complete : try print(invocation.operands.map { "\($0.printable): whole" }.joined(separator: "\n"), streams)
  }

  static let unwrap = Command(
    name: "unwrap", operands: "KEY [FILE...] [--lines]", summary: "envelope in, NDJSON out; no network",
    flags: [.lines],
    examples: [
      "curl -s https://api.example.com/coins | pagecat unwrap coins",
      "pagecat unwrap data.bookmarks page1.json page2.json",
      "pagecat unwrap . list.json",
    ]
  ) { invocation, streams in
    guard let key = invocation.operands.first else {
      throw UsageError(message: "unwrap needs a KEY: a path such as data.items, or '.' for the body itself")
    }
    let reader = try EnvelopeUnwrapper(key: key, isLines: invocation.isLines)
    if invocation.operands.count == 1 { announceTerminalInput("a response", streams) }
    var output = Output(descriptor: streams.output)
    do {
      for input in try inputs(invocation.operands.dropFirst(), streams) {
        try reader.read(input()) { lines in
          guard !lines.isEmpty else { return }
          try output.write(lines)
          try output.flush()
        }
      }
    } catch {
      try output.flush()
      throw error
    }
    try output.flush()
    return .complete
  }

  static let read = Command(
    name: "read", operands: "[FILE...]", summary: "what the spec reader reads (YAML subset or JSON), as JSON",
    flags: [], examples: ["pagecat read pipelines/coins.yaml | jq ."]
  ) { invocation, streams in
    var output = Output(descriptor: streams.output)
    if invocation.operands.isEmpty { announceTerminalInput("a spec", streams) }
    for input in try inputs(invocation.operands[...], streams) {
      try output.write(Spec.json(of: input()))
    }
    try output.flush()
    return .complete
  }

  /// Says that the command waits for a text that a user types; `-` says that this is meant.
  private static func announceTerminalInput(_ text: String, _ streams: Streams) {
    guard streams.isInputTerminal else { return }
    Console(streams).say("pagecat: reading \(text) from the terminal, Ctrl-D ends")
  }

  /// Returns functions that open the named files one after the other; standard input if there are none.
  private static func inputs(
    _ paths: ArraySlice<String>, _ streams: Streams
  ) throws -> [() throws -> Input] {
    (paths.isEmpty ? ["-"] : Array(paths)).map { path in
      { path == "-" ? Input(descriptor: streams.input) : try Input(path: path) }
    }
  }
}

// `pagecat plan`: shows the requests of a run.

extension Command {
  static let plan = Command(
    name: "plan", operands: "SPEC... [NAME=VALUE...] [options]",
    summary: "show what 'run' would request, as curl commands; no network",
    flags: [.plannedState, .secrets, .stream, .from],
    examples: [
      "pagecat plan pipelines/coins.yaml currency=eur",
      "pagecat plan pipelines/coins.yaml currency=eur | sh",
    ]
  ) { invocation, streams in
    let (paths, parameters) = try invocation.pathsAndParameters
    guard paths.count(where: { $0 == "-" }) < 2 else {
      throw UsageError(message: "'-' is given twice: standard input can be read once")
    }
    var options = invocation.runOptions(parameters, streams.environment)
    options.firstJob = invocation.firstJob
    let specs = try SpecFiles.read(paths, Input(descriptor: streams.input))
    guard let spec = specs.first(where: { !$0.streams.isEmpty }), specs.count == 1 else {
      if let name = invocation.streams.first { throw SpecFiles.withoutStreams(name, paths) }
      return try print(RunOutline(specs, options, state: invocation.state).text, streams)
    }
    let taken = try spec.streams(named: invocation.streams)
    // One stream alone is a run of all jobs; several are requested once for all that read them.
    let shown = taken.count == 1 ? taken : spec.withSources(taken)
    let outlines = try shown.map { stream in
      let isChosen = taken.contains { $0.name == stream.name }
      let outline =
        taken.count == 1
        ? try RunOutline([spec.alone(stream)], options, state: invocation.state)
        : try RunOutline(
          [spec.only(isChosen ? stream : stream.asInput)], options, state: isChosen ? invocation.state : nil,
          reading: stream.source)
      let lines = outline.text.split(separator: "\n", omittingEmptySubsequences: false)
      return "# stream \(stream.name)\(isChosen ? "" : ", for those that read it")\n"
        + lines.dropFirst().joined(separator: "\n")
    }
    return try print((["#!/bin/sh"] + outlines).joined(separator: "\n\n"), streams)
  }
}

// `pagecat report`: shows a recording as a page.

extension Command {
  static let report = Command(
    name: "report", operands: "FILE.har [-o FILE]", summary: "show a recording as one HTML page",
    flags: [.page],
    examples: [
      "pagecat coins.yaml --record run.har -o coins.ndjson",
      "pagecat report run.har -o run.html",
      "pagecat report browser.har > browser.html",
    ]
  ) { invocation, streams in
    guard let path = invocation.operands.first else {
      throw UsageError(message: "report needs a FILE.har: a recording of '--record', or a browser's")
    }
    guard invocation.operands.count == 1 else {
      throw UsageError(message: "report takes one FILE.har, and was given \(invocation.operands.count)")
    }
    let file = invocation.output.flatMap { $0 == "-" ? nil : $0 }
    var destination = streams.destination
    destination.path = file
    if let conflict = destination.conflict(with: nil, among: path == "-" ? [] : [path]) {
      throw UsageError(message: conflict)
    }
    let input = try path == "-" ? Input(descriptor: streams.input) : Input(path: path, givenBy: "report")
    let report = try RunReport(reading: input)
    if let file {
      try report.write(to: file, givenBy: "-o")
    } else {
      var output = Output(descriptor: streams.output)
      try output.write(report.html)
      try output.flush()
    }
    return .complete
  }
}

// `pagecat new`: drafts a spec from one request to an API.

extension Command {
  static let new = Command(
    name: "new", operands: "URL [options] | -- curl ...", summary: "look at an API, and write a spec for it",
    flags: [.draft, .header, .data, .request, .user, .model, .first, .har, .quiet],
    examples: [
      "pagecat new https://api.example.com/coins -o coins.yaml",
      "pagecat new https://api.example.com/coins -H \"Authorization: Bearer $TOKEN\" --first",
      "pagecat new -o coins.yaml -- curl 'https://api.example.com/coins' -H 'X-Api-Key: abc'",
    ]
  ) { invocation, streams in
    guard !invocation.operands.isEmpty || invocation.replay != nil else { throw UsageError(message: "new needs a URL") }
    let isCurl = invocation.operands.first == "curl"
    guard isCurl || invocation.operands.count < 2 else {
      throw UsageError(message: "new takes one URL; a header field is '-H \"Name: value\"'")
    }
    let console = Console(streams)
    var (look, options) = (invocation.look, RunOptions())
    if isCurl {
      look = try Look(curl: invocation.operands.dropFirst())
    } else {
      look.url = invocation.operands.first ?? ""
    }
    options.environment = streams.environment
    options.thread = streams.thread
    let file = try invocation.output.flatMap { try $0 == "-" ? nil : DraftFile(givenBy: "-o", $0) }
    let drafter = try SpecDrafter(
      look, options: options, recording: invocation.replay, isOnce: invocation.isOnce, hasModel: invocation.hasModel,
      listener: EventLog(console, invocation, printsWaits: !invocation.isQuiet).listener)
    let isShown = Progress.Form(invocation, streams, isOnOutput: false, isTyped: false) != nil
    let progress = isShown ? Progress(waitingFor: { drafter.pending }, on: console, terminal: streams.error) : nil
    let draft: SpecDrafter.Result
    do {
      draft = try await drafter.result()
    } catch {
      await progress?.stop()
      throw error
    }
    await progress?.stop()
    try file?.write(draft.text)
    if file == nil {
      var output = Output(descriptor: streams.output)
      try output.write(Array(draft.text.utf8))
      try output.flush()
    }
    if !invocation.isQuiet {
      for name in draft.variables {
        console.say("pagecat: the spec reads \(name) from the environment: set it before a run")
      }
    }
    return .complete
  }
}

// The commands for editors, shells and manuals: `schema`, `completions`, `man`.

extension Command {
  static let schema = Command(
    name: "schema", operands: "[SPEC...]",
    summary: "print the JSON Schema of specs, for editors; of a SPEC, the types of its records",
    flags: [.form, .stream],
    examples: [
      "pagecat schema > pagecat.schema.json",
      "pagecat schema pipelines/coins.yaml --as duckdb",
    ]
  ) { invocation, streams in
    guard !invocation.operands.isEmpty else {
      if invocation.schemaForm != nil { throw UsageError(message: "--as describes the records of a SPEC: give one") }
      return try print(SpecSchema.text, streams)
    }
    let specs = try SpecFiles.read(invocation.operands, Input(descriptor: streams.input)).map {
      try $0.single(named: invocation.streams)
    }
    do {
      return try print(RecordSchema(specs).text(as: invocation.schemaForm ?? .jsonSchema), streams)
    } catch let unknown as RecordSchema.Unknown {
      throw SpecError(messages: [unknown.problem])
    }
  }

  static let completions = Command(
    name: "completions", operands: "bash|zsh|fish", summary: "print a script by which a shell completes command lines",
    flags: [],
    examples: [
      "source <(pagecat completions bash)",
      "pagecat completions zsh > ~/.zfunc/_pagecat",
      "pagecat completions fish > ~/.config/fish/completions/pagecat.fish",
    ]
  ) { invocation, streams in
    guard let kind = invocation.operands.first else {
      throw UsageError(message: "completions needs the name of a shell: bash, zsh or fish")
    }
    let paths = invocation.operands.dropFirst()
    if ["parameters", "steps", "streams"].contains(kind) {
      let input = Input(descriptor: streams.input)
      // A line may also name exports and states: these have no names, and a large one would delay the shell.
      var specs = paths.filter(isSmall).compactMap { try? SpecFiles.read([$0], input) }.flatMap { $0 }
      if specs.isEmpty { specs = try SpecFiles.read(paths.filter(isSmall), input) }
      let names =
        switch kind {
        case "steps": specs.flatMap(\.jobs).map(\.name)
        case "streams": specs.flatMap(\.streams).map(\.name)
        default: specs.flatMap(\.parameters).map(\.name)
        }
      return names.isEmpty ? .complete : try print(names.map(\.printable).joined(separator: "\n"), streams)
    }
    guard let shell = Completions(rawValue: kind), paths.isEmpty else {
      let found = invocation.operands.joined(separator: " ")
      throw UsageError(message: "completions takes one shell, bash, zsh or fish, not '\(found.printable)'")
    }
    return try print(shell.text, streams)
  }

  /// Reports that a file is as small as specs are.
  private static func isSmall(_ path: String) -> Bool {
    guard path != "-", let bytes = try? Input(path: path).readStart(limit: largestCompleted) else { return true }
    return bytes.count <= largestCompleted
  }

  /// Size of the largest spec whose names a shell completes.
  private static let largestCompleted = 64 << 10

  static let man = Command(
    name: "man", operands: "", summary: "print the manual page, for man(1)", flags: [],
    examples: ["pagecat man | man -l -", "pagecat man > /usr/local/share/man/man1/pagecat.1"]
  ) { invocation, streams in
    if let operand = invocation.operands.first {
      throw UsageError(message: "man takes no operand, and was given '\(operand.printable)'")
    }
    return try print(ManPage.text, streams)
  }
}

// MARK: `pagecat pin`: writes the pagers that `pages: auto` finds into a spec

extension Command {
  static let pin = Command(
    name: "pin", operands: "SPEC [NAME=VALUE...] [options]",
    summary: "find the pagers of 'pages: auto', and write them into the spec",
    flags: [.secrets, .concurrency, .rate, .replay, .quiet, .verbose, .log],
    examples: [
      "pagecat pin coins.yaml",
      "pagecat pin coins.yaml currency=eur --replay coins.har",
    ]
  ) { invocation, streams in
    let (paths, parameters) = try invocation.pathsAndParameters
    guard paths.count == 1, paths[0] != "-" else {
      throw UsageError(message: "pin takes one SPEC that is a file, since it writes the lines there")
    }
    let console = Console(streams, as: invocation.log)
    let spec = try SpecFiles.read(paths, Input(descriptor: streams.input))[0]
    let jobs = SpecPin.jobs(of: spec)
    guard !jobs.isEmpty else { throw UsageError(message: "'\(paths[0].printable)' has no 'pages: auto' to replace") }
    var options = invocation.runOptions(parameters, streams.environment)
    options.thread = streams.thread
    // The second page shows whether the pager is right.
    options.pageLimit = 2
    let isQuiet = invocation.isQuiet
    let outputs = spec.streams.isEmpty ? [spec] : spec.streams.map { spec.alone($0) }
    var ends: [RunCounters] = []
    for spec in outputs where !SpecPin.jobs(of: spec).isEmpty {
      let run = try Run(
        [spec], options: options, source: invocation.replay.map { Source.replay(path: $0) } ?? .network,
        input: Input(descriptor: streams.input),
        listener: EventLog(console, invocation, printsWaits: !isQuiet).listener,
        warn: { _ in }
      ) { failure, isFinal in
        if isFinal { console.error(failure.description) }
      }
      let indices = spec.jobs.indices.filter { spec.jobs[$0].pages?.kind == .auto }
      while let batch = await run.next() {
        run.count(batch)
        if run.report.counters.hasTried(indices.map { ($0, spec.jobs[$0].name) }) { break }
      }
      await run.stop()
      run.report.tellFailure()
      ends.append(run.report.counters)
      let code = run.exitCode
      _ = try run.close()
      try run.release()
      guard ends.last?.failure == nil else { return code }
    }
    let pin = SpecPin(spec, ends)
    let text = try pin.pinned()
    if text != spec.source.bytes {
      var file = try AtomicFile(OutputPath(paths[0]))
      try file.write(text)
      try file.finish()
    }
    for job in jobs where !isQuiet {
      let line = pin.line(of: job).map { "'\($0)' is written" }
      console.say(
        "pagecat: \(job.name): "
          + (line
            ?? "no response has a sign of more, so 'pages: auto' stays; write 'pages: one' if one page is all there is")
      )
    }
    return jobs.allSatisfy { pin.line(of: $0) != nil } ? .complete : .incomplete
  }
}

// MARK: `pagecat tap`: specs as the streams of a Singer tap

extension Command {
  static let tap = Command(
    name: "tap", operands: "SPEC... [NAME=VALUE...] [options]",
    summary: "fetch as a Singer tap: SCHEMA, RECORD and STATE messages; a SPEC is a stream, or has some",
    flags: [
      .config, .catalog, .properties, .singerState, .discover, .deletions, .secrets, .tokens, .maxRecords, .maxPages,
      .concurrency, .rate,
      .pace, .allow, .replay, .quiet, .verbose, .log,
    ],
    examples: [
      "pagecat tap people.yaml --config config.json --discover > catalog.json",
      "pagecat tap people.yaml --config config.json --catalog catalog.json --state state.json | target-jsonl",
    ]
  ) { invocation, streams in
    let console = Console(streams, as: invocation.log)
    do {
      return try await run(invocation, streams, console)
    } catch {
      return CommandFailure(error, of: "tap").report(to: console)
    }
  }

  private static func run(_ invocation: Invocation, _ streams: Streams, _ console: Console) async throws -> ExitCode {
    let (paths, parameters) = try invocation.pathsAndParameters
    try invocation.checkPace()
    let isQuiet = invocation.isQuiet
    let specs = try SpecFiles.read(paths, Input(descriptor: streams.input))
    try checkInput(invocation, paths, specs)
    let tap = try SingerTap(
      specs, try options(invocation, parameters, streams),
      listener: EventLog(console, invocation, printsWaits: !isQuiet).listener,
      warn: { if !isQuiet { console.say("pagecat: warning: \($0)") } },
      conclude: { console.say("pagecat: \($0)") },
      tell: { failure, isFinal in
        if isFinal || !isQuiet { console.say("pagecat: \(isFinal ? "error" : "warning"): \(failure.description)") }
      })
    WriteLimits.begin([invocation.tokens, invocation.pace].compactMap { $0 }, streams)
    if invocation.isDiscovery { return try print(try await tap.catalog(), streams) }
    try streams.signals.open(watching: streams.output)
    let running = Task {
      var output = Output(descriptor: streams.output)
      return try await tap.write(to: &output) { CommandFailure($0, of: "tap").report(to: console) }
    }
    streams.signals.listen { _ in running.cancel() }
    defer { streams.signals.stopListening(forGood: true) }
    let code = try await running.value
    return streams.signals.first?.exitCode ?? code
  }

  /// Refuses a second reader of standard input, which would find no records there.
  private static func checkInput(_ invocation: Invocation, _ paths: [String], _ specs: [Spec]) throws(UsageError) {
    let files = paths + [invocation.config, invocation.catalog, invocation.state].compactMap { $0 }
    let readers = files.filter { $0 == "-" } + specs.filter(\.readsInput).map(\.name)
    guard readers.count > 1 else { return }
    let names = readers.map { "'\($0.printable)'" }.joined(separator: " and ")
    throw UsageError(
      message: "\(names) read standard input, which can be read once: run a tap for each spec that reads records, and "
        + "give files by their names")
  }

  private static func options(
    _ invocation: Invocation, _ parameters: [(name: String, value: String)], _ streams: Streams
  ) throws -> SingerTap.Options {
    func file(_ path: String, _ option: String) throws -> [UInt8] {
      try Input(path: path, givenBy: option).readAll(limit: Input.mostSettings)
    }
    var options = SingerTap.Options()
    if let path = invocation.config { options.config = try SingerConfig(file(path, "--config"), name: path) }
    if let path = invocation.catalog { options.catalog = try SingerCatalog(file(path, "--catalog"), name: path) }
    if let path = invocation.state { options.state = try SingerState(file(path, "--state"), name: path) }
    options.run = invocation.runOptions(parameters, streams.environment)
    options.run.inputPaths = [invocation.config, invocation.catalog, invocation.state].compactMap { $0 }
    options.run.isReaderGone = { [output = streams.output] in Output.isReaderGone(output) }
    options.marksDeletions = invocation.marksDeletions
    options.source = invocation.replay.map { .replay(path: $0) } ?? .network
    options.destination = streams.destination
    options.destination.tokens = invocation.tokens
    options.destination.pace = invocation.pace
    options.destination.allowed = invocation.allowed
    return options
  }
}
