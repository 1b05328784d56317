// `pagecat new`: drafts a spec from one request to an API.

import Engine
import SpecDrafting
import Diagnostics

extension Command {
  static let new = Command(
    name: "new", operands: "URL [options] | -- curl ...", summary: "look at an API, and write a spec for it",
    flags: [.draft, .header, .data, .request, .user, .model, .once, .har, .quiet],
    examples: [
      "pagecat new https://api.example.com/coins -o coins.yaml",
      "pagecat new https://api.example.com/coins -H \"Authorization: Bearer $TOKEN\" --once",
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
