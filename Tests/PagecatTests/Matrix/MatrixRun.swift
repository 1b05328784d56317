import Primitives
import Diagnostics
import Fetching
import PipelineSpec
import Synchronization
import TestSupport
import Wire

@testable import Engine

/// A run of a spec against the model server, in this process.
struct MatrixRun {
  /// What became of it.
  struct Ending {
    var verdict: Verdict?
    var exitCode: ExitCode
    var messages: [String]
    var requests: [String]
  }

  /// What the server has when the run starts.
  enum Kind: String {
    case first = "first run"
    case nothingNew = "run without news"
    case news = "run with news"
  }

  let spec: Spec
  let server: ModelServer
  var disturbance: ModelTransport.Disturbance?
  /// Seconds since the start of 2024.
  var start: Int
  var isResumed = false
  var isAppended = false
  var hasState = false
  var hasRejects = false

  func ending(in folder: TemporaryFolder) async -> Ending {
    let files = KillSwitch()
    let transport = ModelTransport(server, disturbance, files)
    let messages = Locked<[String]>([])
    do {
      let run = try begin(folder, transport, files) { message in messages.withLock { $0.append(message) } }
      var output = Output(descriptor: 1)
      try await run.write(to: &output)
      await run.stop()
      _ = try run.close()
      try run.release()
      let counters = run.report.counters
      let shown = messages.withLock { $0 } + [counters.refusal, counters.reason].compactMap { $0 }
      return Ending(
        verdict: counters.verdict, exitCode: counters.exitCode(), messages: shown, requests: transport.requests)
    } catch {
      let code: ExitCode = error is SpecError ? .usage : .output
      return Ending(
        verdict: nil, exitCode: code, messages: messages.withLock { $0 } + ["\(error)"],
        requests: transport.requests)
    }
  }

  private func begin(
    _ folder: TemporaryFolder, _ transport: ModelTransport, _ files: KillSwitch,
    _ say: @escaping @Sendable (String) -> Void
  ) throws -> Run {
    var options = RunOptions()
    options.start = ModelCalendar.start + start
    options.clock = VirtualClock(start: Double(ModelCalendar.start + start))
    options.transport = transport
    var destination = Destination()
    destination.path = folder.path(of: "out")
    destination.isResumed = isResumed
    destination.isAppended = isAppended
    destination.calls = files.calls
    if hasRejects { destination.rejects = folder.path(of: "rejects") }
    if hasState { destination.state = folder.path(of: "state") }
    return try Run(
      [spec], options: options, source: .network, destination: destination, input: Input(descriptor: 0), warn: say
    ) { failure, _ in say(failure.description) }
  }
}
