import Foundation
import TestSupport
import Testing

@testable import PagecatTool

@Suite("Progress", .limitedConcurrency, .timeLimit(.minutes(20)))
struct ProgressTests {
  private struct Ending {
    let terminal: String
    let output: String
    let code: Int32
  }

  /// Runs two pages, of which the second comes when `gate` opens.
  ///
  /// - Parameter sees: called with the terminal's text so far; opens the gate at the first sign of life unless given.
  private func run(
    _ arguments: [String], on terminal: Terminal? = nil, environment: [String: String] = ["TERM": "xterm"],
    recordsToTerminal: Bool = false, gate: Gate = Gate(), sees: (@Sendable (String) -> Void)? = nil
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
      pages: { number: page, totalPages: body.pages }
      """
    _ = try folder.write(spec, to: arguments[0])
    let (terminal, output) = (try terminal ?? Terminal(columns: 80), Pipe())
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
    let text = try await terminal.text(sees ?? { _ in gate.open() })
    let records = try await blocking { try output.fileHandleForReading.readToEnd() ?? Data() }
    return Ending(
      terminal: text, output: String(decoding: records, as: UTF8.self), code: await code.when { $0 != nil } ?? -1)
  }

  @Test("a line is drawn in place while a page is awaited, and is gone before the summary")
  func drawn() async throws {
    let ending = try await run(["a.yaml", "--summary", "text"])
    #expect(ending.code == 0 && ending.output == "1\n2\n")
    let lines = Self.lines(of: ending.terminal)
    #expect(lines.count > 2 && lines[0].isEmpty)
    #expect(lines.dropFirst().first?.hasPrefix("a: ") == true)
    #expect(lines.dropLast().allSatisfy { !$0.contains("\n") && $0.count < 80 })
    #expect(lines.last?.hasPrefix("a: 2 records, 2 pages, ") == true)
    #expect(lines.last?.hasSuffix(": complete\r\n") == true)
  }

  @Test("a narrow terminal gets a shorter line")
  func narrow() async throws {
    let lines = Self.lines(of: try await run(["a.yaml", "--summary", "none"], on: Terminal(columns: 12)).terminal)
    #expect(lines.count > 2)
    #expect(lines.allSatisfy { $0.count < 12 })
  }

  /// Clears the previous line.
  private static let clearing = "\r\u{1B}[J"

  /// Returns the lines that were drawn, each in place of the one before.
  private static func lines(of terminal: String) -> [String] {
    terminal.components(separatedBy: clearing).map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
  }

  @Test("a terminal that is resized during a run gets lines of its new width, and keeps none of the old ones")
  func resized() async throws {
    let widths = [80, 40, 100]
    let (terminal, gate) = (try Terminal(columns: 80), Gate())
    // The name fills each line to its width.
    let name = String(repeating: "n", count: 120)
    let ending = try await run(["\(name).yaml", "--summary", "none"], on: terminal, gate: gate) { text in
      let lengths = Self.lines(of: text).dropLast().map(\.count)
      let reached = widths.prefix { lengths.contains($0 - 1) }.count
      if reached < widths.count { try? terminal.resize(to: UInt16(widths[reached])) }
      // Lines of the old width may be on their way: fewer than these, which are more than a terminal's buffer holds.
      if reached == widths.count || lengths.count > 1_000 { gate.open() }
    }
    #expect(ending.code == 0 && ending.output == "1\n2\n")
    let lines = Self.lines(of: ending.terminal)
    #expect(lines.first?.isEmpty == true && lines.last?.isEmpty == true)
    // Each new width is met, and no line of an old one follows.
    let lengths = lines.dropFirst().dropLast().map(\.count)
    #expect(lengths.first == 79 && zip(lengths, lengths.dropFirst()).filter { $0 != $1 }.map(\.1) == [39, 99])
    for resizing in Screen.Resizing.allCases {
      var screen = Screen(columns: 80, resizing)
      screen.show("$ pagecat\r\n")
      for (piece, line) in zip(ending.terminal.components(separatedBy: Self.clearing), lines).dropFirst() {
        if !line.isEmpty { screen.resize(to: line.count + 1) }
        screen.show(Self.clearing + piece)
        #expect(screen.text == ["$ pagecat", line], "\(resizing)")
      }
    }
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
    let lines = Self.lines(of: text)
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
    let gate = Gate()
    let ending = try await run(
      ["a.yaml", "--progress", "always", "--summary", "none"], recordsToTerminal: true, gate: gate
    ) { if $0.contains("pagecat: a: ") { gate.open() } }
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

  /// A command whose messages go to a terminal.
  struct Coloring: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var arguments = ["bad.yaml"]
    var environment = ["TERM": "xterm"]
    let expected: String
  }

  @Test(
    "the words 'error:' and 'warning:' have colours on a terminal that shows them",
    arguments: [
      Coloring(
        testDescription: "an error", expected: "bad.yaml:1:1: \u{1B}[1;31merror:\u{1B}[0m unknown key 'endpiont'\r\n"),
      Coloring(
        testDescription: "an error of the command line", arguments: ["--label", "7", "none.yaml"],
        expected: "pagecat [7]: \u{1B}[1;31merror:\u{1B}[0m cannot open 'none.yaml'"),
      Coloring(
        testDescription: "a warning", arguments: ["warn.yaml", "--progress", "always"],
        expected: "pagecat: \u{1B}[1;33mwarning:\u{1B}[0m warn.yaml: "),
      Coloring(
        testDescription: "NO_COLOR", environment: ["TERM": "xterm", "NO_COLOR": "1"],
        expected: "bad.yaml:1:1: error: unknown key"),
      Coloring(
        testDescription: "an empty NO_COLOR", environment: ["TERM": "xterm", "NO_COLOR": ""],
        expected: "bad.yaml:1:1: \u{1B}[1;31merror:\u{1B}[0m"),
      Coloring(
        testDescription: "TERM=dumb", environment: ["TERM": "dumb"], expected: "bad.yaml:1:1: error: unknown key"),
      Coloring(testDescription: "no TERM", environment: [:], expected: "bad.yaml:1:1: error: unknown key"),
      Coloring(
        testDescription: "--log json", arguments: ["none.yaml", "--log", "json"],
        expected: #""text":"pagecat: error: cannot open 'none.yaml'"#),
    ])
  func colors(_ coloring: Coloring) async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { _ in .json(#"{"items":[1],"total":2}"#) }
    _ = try folder.write("endpiont: x\n", to: "bad.yaml")
    _ = try folder.write("endpoint: \(server.origin)/a\ncontentIdentifier: items\n", to: "warn.yaml")
    let terminal = try Terminal(columns: 200)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Shell.program)
    process.arguments = coloring.arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = Shell.ground.merging(coloring.environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = terminal.slave
    try process.run()
    let text = try await terminal.text { _ in }
    #expect(text.contains(coloring.expected), "\(text.debugDescription)")
    #expect(text.contains("\u{1B}[1;3") == coloring.expected.contains("\u{1B}"))
  }

  @Test("a word of a server never has a colour")
  func colorsOfServers() {
    for text in [
      "pagecat: waiting 3 s for http://a.test/: error: x", "coins: error: x", "see error: x\npagecat: error: x",
    ] {
      #expect(Console.colored(text) == text)
    }
    #expect(
      Console.colored("a b.yaml:12:3: error: x: error: y\n  z")
        == "a b.yaml:12:3: \u{1B}[1;31merror:\u{1B}[0m x: error: y\n  z")
  }

  @Test("nothing is drawn over the records that a user types")
  func typed() async throws {
    let gate = Gate()
    let server = try LoopbackServer { _ in .json("[1]").held(by: gate) }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\nquery: { x: \"${input.x}\" }\ntimeout: 1h\n", to: "a.yaml")
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
