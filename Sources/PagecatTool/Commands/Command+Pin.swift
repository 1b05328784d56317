// `pagecat pin`: writes the pagers that `pages: auto` finds into a spec.

import Diagnostics
import Engine
import Files
import PipelineSpec
import SpecDrafting

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
    let counters = run.report.counters
    let code = run.exitCode
    _ = try run.close()
    try run.release()
    guard counters.failure == nil else { return code }
    let pin = SpecPin(spec, counters)
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
