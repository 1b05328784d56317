import Foundation
import TestSupport
import Testing

@Suite("Progress", .limitedConcurrency, .timeLimit(.minutes(20)))
struct ProgressTests {
  private struct Ending {
    let terminal: String
    let output: String
    let code: Int32
  }

  /// Runs two pages, of which the second comes when `gate` opens, or at the first sign of life.
  private func run(
    _ arguments: [String], columns: UInt16 = 80, environment: [String: String] = ["TERM": "xterm"],
    recordsToTerminal: Bool = false, gate: Gate = Gate(), opensAt sign: String = ""
  ) async throws -> Ending {
    let server = try LoopbackServer {
      $0.target.hasSuffix("page=1")
        ? .json(#"{"pages":2,"items":[1]}"#) : .json(#"{"pages":2,"items":[2]}"#).held(by: gate)
    }
    let folder = try TemporaryFolder()
    let spec = """
      endpoint: \(server.origin)/a
      contentIdentifier: items
      timeout: 1h
      pages: { number: page, totalPages: "${body.pages}" }
      """
    _ = try folder.write(spec, to: "a.yaml")
    let (terminal, output) = (try Terminal(columns: columns), Pipe())
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Shell.program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = Shell.ground.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardError = terminal.slave
    process.standardOutput = recordsToTerminal ? terminal.slave : output
    let code = Watched<Int32?>(nil)
    process.terminationHandler = { process in code.update { $0 = process.terminationStatus } }
    try process.run()
    if recordsToTerminal { try output.fileHandleForWriting.close() }
    let text = try await terminal.text { if sign.isEmpty || $0.contains(sign) { gate.open() } }
    let records = try await blocking { try output.fileHandleForReading.readToEnd() ?? Data() }
    return Ending(
      terminal: text, output: String(decoding: records, as: UTF8.self), code: await code.when { $0 != nil } ?? -1)
  }

  @Test("a line is drawn in place while a page is awaited, and is gone before the summary")
  func drawn() async throws {
    let ending = try await run(["a.yaml", "--summary", "text"])
    #expect(ending.code == 0 && ending.output == "1\n2\n")
    let lines = ending.terminal.components(separatedBy: "\r\u{1B}[K")
    #expect(lines.count > 2 && lines[0].isEmpty)
    #expect(lines.dropFirst().first?.hasPrefix("a: ") == true)
    #expect(lines.dropLast().allSatisfy { !$0.contains("\n") && $0.count < 80 })
    #expect(lines.last?.hasPrefix("a: 2 records, 2 pages, ") == true)
    #expect(lines.last?.hasSuffix(": complete\r\n") == true)
  }

  @Test("a narrow terminal gets a shorter line")
  func narrow() async throws {
    let lines = try await run(["a.yaml", "--summary", "none"], columns: 12).terminal
      .components(separatedBy: "\r\u{1B}[K")
    #expect(lines.count > 2)
    #expect(lines.allSatisfy { $0.count < 12 })
  }

  @Test("'new' says what it waits for, after a second, and removes the line", arguments: [[], ["-q"]])
  func looking(_ arguments: [String]) async throws {
    let gate = Gate()
    if !arguments.isEmpty { gate.open() }
    let server = try LoopbackServer { _ in .json("[1]").held(by: gate) }
    let folder = try TemporaryFolder()
    let terminal = try Terminal(columns: 80)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Shell.program)
    process.arguments = ["new", "\(server.origin)/a", "-o", "a.yaml"] + arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = Shell.ground.merging(["TERM": "xterm"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardError = terminal.slave
    try process.run()
    let text = try await terminal.text { _ in gate.open() }
    guard arguments.isEmpty else {
      #expect(text.isEmpty)
      return
    }
    let lines = text.components(separatedBy: "\r\u{1B}[K")
    #expect(lines.count > 2 && lines[1] == "new: 1 s, waiting for GET \(server.origin)/a")
    #expect(lines.last?.isEmpty == true)
  }

  @Test("into a pipe it is plain lines, if it is asked for")
  func plain() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in .json("[1]").held(by: gate) }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\ntimeout: 1h\n", to: "a.yaml")
    let program = try RunningProgram(["a.yaml", "--progress", "always"], in: folder.path)
    await program.messagesBegin()
    gate.open()
    let result = try await program.result()
    #expect(result.output == "1\n" && result.code == 0)
    #expect(result.error.hasPrefix("pagecat: a: 0 pages, 0 records, 0 B"))
    #expect(result.error.hasSuffix("\n") && !result.error.contains("\u{1B}"))
  }

  @Test("records and progress on one terminal stand on lines of their own")
  func mixed() async throws {
    let ending = try await run(
      ["a.yaml", "--progress", "always", "--summary", "none"], recordsToTerminal: true, opensAt: "pagecat: a: ")
    #expect(!ending.terminal.contains("\u{1B}") && ending.code == 0)
    let lines = ending.terminal.split(whereSeparator: \.isNewline)
    #expect(lines.contains("1") && lines.contains("2") && lines.contains { $0.hasPrefix("pagecat: a: ") })
  }

  /// Returns the program with its records typed at a terminal, which shows its messages.
  private func typing(_ arguments: [String], at terminal: Terminal, _ output: Pipe) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Shell.program)
    process.arguments = arguments
    process.environment = Shell.ground.merging(["TERM": "xterm"]) { $1 }
    process.standardInput = terminal.slave
    process.standardError = terminal.slave
    process.standardOutput = output
    return process
  }

  @Test("a command that reads from a terminal says so", arguments: [["unwrap", "a"], ["read"]])
  func readsTerminal(_ arguments: [String]) async throws {
    let (terminal, output) = (try Terminal(columns: 80), Pipe())
    try typing(arguments, at: terminal, output).run()
    try terminal.type("{\"a\":1}\n\u{04}")
    #expect(try await terminal.text { _ in }.contains("from the terminal, Ctrl-D ends"))
  }

  @Test("nothing is drawn over the records that a user types")
  func typed() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in .json("[1]").held(by: gate) }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\nquery: { x: \"${record.x}\" }\ntimeout: 1h\n", to: "a.yaml")
    let (terminal, output) = (try Terminal(columns: 80), Pipe())
    let process = typing(["a.yaml", "--summary", "none", "--progress", "always"], at: terminal, output)
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    try process.run()
    try terminal.type("{\"x\":1}\n\u{04}")
    // The answer comes after the first line of progress.
    let text = try await terminal.text { if $0.contains("a: 0 pages") { gate.open() } }
    #expect(text.contains("reading records from the terminal") && text.contains(#"{"x":1}"#))
    #expect(!text.contains("\u{1B}"))
  }

  struct Silence: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var arguments: [String] = []
    var environment = ["TERM": "xterm"]
    var recordsToTerminal = false
  }

  @Test(
    "nothing is drawn where nobody wants it",
    arguments: [
      Silence(testDescription: "-q", arguments: ["-q"]),
      Silence(testDescription: "never", arguments: ["--progress", "never"]),
      Silence(testDescription: "dumb", environment: ["TERM": "dumb"]),
      Silence(testDescription: "no TERM", environment: [:]),
      Silence(testDescription: "CI", environment: ["TERM": "xterm", "CI": "true"]),
      Silence(testDescription: "records on the terminal", recordsToTerminal: true),
      Silence(testDescription: "JSON", arguments: ["--log", "json"]),
    ])
  func silent(_ silence: Silence) async throws {
    let gate = Gate()
    gate.open()
    let ending = try await run(
      ["a.yaml", "--summary", "none"] + silence.arguments, environment: silence.environment,
      recordsToTerminal: silence.recordsToTerminal, gate: gate)
    #expect(ending.code == 0)
    #expect(!ending.terminal.contains("\u{1B}"))
  }
}
