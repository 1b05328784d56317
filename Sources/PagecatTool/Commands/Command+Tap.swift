// `pagecat tap`: specs as the streams of a Singer tap.

import Engine
import SingerTap
import Diagnostics
import PipelineSpec

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
