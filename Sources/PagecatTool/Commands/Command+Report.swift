// `pagecat report`: shows a recording as a page.

import Engine
import RunReport
import Diagnostics

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
