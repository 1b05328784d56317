// `pagecat plan`: shows the requests of a run.

import Engine
import RequestPreview
import Diagnostics
import PipelineSpec

extension Command {
  static let plan = Command(
    name: "plan", operands: "SPEC... [NAME=VALUE...] [options]",
    summary: "show what 'run' would request, as curl commands; no network",
    flags: [.plannedState, .secrets, .from],
    examples: [
      "pagecat plan pipelines/coins.yaml currency=eur",
      "pagecat plan pipelines/coins.yaml currency=eur | sh",
    ]
  ) { invocation, streams in
    let (paths, parameters) = try invocation.pathsAndParameters
    guard paths.count(where: { $0 == "-" }) < 2 else {
      throw UsageError(message: "'-' is given twice: standard input can be read once")
    }
    var options = invocation.runOptions(parameters, streams)
    options.firstJob = invocation.firstJob
    let specs = try SpecFiles.read(paths, Input(descriptor: streams.input))
    return try print(RunOutline(specs, options, state: invocation.state).text, streams)
  }
}
