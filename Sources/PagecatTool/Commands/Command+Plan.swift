// `pagecat plan`: what a run would request.

import Diagnostics
import Pagecat
import PipelineSpec

extension Command {
  static let plan = Command(
    name: "plan", operands: "SPEC... [NAME=VALUE...]",
    summary: "show what 'run' would request, as curl commands; no network",
    flags: [],
    examples: [
      "pagecat plan pipelines/coins.yaml currency=eur",
      "pagecat plan pipelines/coins.yaml currency=eur | sh",
    ]
  ) { invocation, streams in
    let (paths, parameters) = try invocation.pathsAndParameters
    guard paths.count(where: { $0 == "-" }) < 2 else {
      throw UsageError(message: "'-' is given twice: standard input can be read once")
    }
    var options = RunOptions()
    options.environment = streams.environment
    options.parameters = parameters
    return try print(RunOutline(try SpecFiles.read(paths, Input(descriptor: streams.input)), options).text, streams)
  }
}
