// The commands without a network: `check`, `unwrap`, `read`.

import Engine
import Diagnostics
import PipelineSpec

extension Command {
  static let check = Command(
    name: "check", operands: "SPEC...", summary: "report every mistake in the specs", flags: [.quiet],
    examples: ["pagecat check pipelines/*.yaml"]
  ) { invocation, streams in
    guard !invocation.operands.isEmpty else { throw UsageError(message: "no SPEC was given") }
    let input = Input(descriptor: streams.input)
    let specs = try SpecFiles.read(invocation.operands, input)
    var output = Output(descriptor: streams.output)
    if !invocation.isQuiet {
      for spec in specs { try output.write(Array(SpecFiles.report(spec).utf8)) }
    }
    try output.flush()
    return .complete
  }

  static let unwrap = Command(
    name: "unwrap", operands: "KEY [FILE...] [--lines]", summary: "envelope in, NDJSON out; no network",
    flags: [.lines],
    examples: [
      "curl -s https://api.example.com/coins | pagecat unwrap coins",
      "pagecat unwrap /data/bookmarks page1.json page2.json",
      "pagecat unwrap . list.json",
    ]
  ) { invocation, streams in
    guard let key = invocation.operands.first else {
      throw UsageError(message: "unwrap needs a KEY: a root key, a JSON Pointer, or '.' for the body itself")
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
