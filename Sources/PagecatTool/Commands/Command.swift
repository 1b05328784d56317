// The commands, and the dispatch from a command line to one of them. The program is a function of arguments and
// streams.

import Diagnostics
import Engine
import Files

/// One command of the program.
struct Command: Sendable {
  let name: String
  /// Operands for the help: `SPEC... [NAME=VALUE...] [options]`.
  let operands: String
  let summary: String
  let flags: [Flag]
  let examples: [String]
  let body: @Sendable (Invocation, Streams) async throws -> ExitCode

  /// `pagecat run SPEC... [NAME=VALUE...] [options]`.
  var usage: String { (["pagecat", name] + (operands.isEmpty ? [] : [operands])).joined(separator: " ") }

  static let all: [Command] = [
    run, tap, login, plan, new, pin, check, verify, unwrap, read, report, schema, completions, man,
  ]

  /// Runs a command line, without touching anything else of the process.
  static func run(_ arguments: [String], _ streams: Streams) async -> ExitCode {
    streams.ending.journals = []
    let code = await runWithoutEnding(arguments, streams)
    do {
      // Only the exit may follow: with `--append`, a run that is killed later would add its records again.
      for journal in streams.ending.journals { try journal.remove() }
      return code
    } catch {
      streams.ending.journals = []
      let failed = CommandFailure(error).report(to: Console(streams))
      return code == .complete || code == .incomplete ? failed : code
    }
  }

  private static func runWithoutEnding(_ arguments: [String], _ streams: Streams) async -> ExitCode {
    do {
      return try await dispatch(arguments, streams)
    } catch {
      let command = arguments.first.flatMap { named($0) ?? (arguments.contains(where: isHelp) ? nil : .run) }
      return CommandFailure(error, of: command?.name).report(to: Console(streams))
    }
  }

  private static func dispatch(_ arguments: [String], _ streams: Streams) async throws -> ExitCode {
    guard let first = arguments.first else {
      Console(streams).say(Help.short)
      return .usage
    }
    if isHelp(first) { return try print(try help(arguments.dropFirst().first), streams) }
    if first == "version" { return try print("pagecat \(Product.version)", streams) }
    let command = named(first)
    let read = try Arguments(
      command == nil ? arguments[...] : arguments.dropFirst(), flags: (command ?? .run).flags)
    switch read.reading {
    case .help: return try print(help(SpecFiles.isPlain(first) && first.splitAtEquals == nil ? first : nil), streams)
    case .version: return try print("pagecat \(Product.version)", streams)
    case .run: return try await (command ?? .run).body(read.invocation, streams)
    }
  }

  /// Returns the help of a command, or the overview if no command is named.
  private static func help(_ name: String?) throws(UsageError) -> String {
    guard let name else { return Help.overview }
    // `help help`, `--help --version`.
    if ["help", "version"].contains(name) || name.hasPrefix("-") { return Help.overview }
    guard let command = named(name) else {
      let advice = nearest(to: name, in: all.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageError(message: "no command is called '\(name.printable)'\(advice)")
    }
    return Help.text(command)
  }

  private static func isHelp(_ word: String) -> Bool { ["help", "--help", "-h"].contains(word) }

  private static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  /// Writes a text and a line end to standard output.
  static func print(_ text: String, _ streams: Streams) throws -> ExitCode {
    var output = Output(descriptor: streams.output)
    try output.write(Array((text + "\n").utf8))
    try output.flush()
    return .complete
  }
}

// Message and exit code for each error that ends a command.

/// The error that ended a command.
struct CommandFailure {
  private let messages: [String]
  let code: ExitCode
  /// True if the command line is wrong.
  private var isUsage = false
  /// True if messages may begin with their location: `FILE:LINE:COLUMN: error: …`.
  private var isOfSpec = false
  /// Name of the command; nil if there is none, or if it is not known.
  private let command: String?

  /// The first message, in one line.
  var reason: String { messages.first.map { String($0.prefix { $0 != "\n" }) } ?? "" }

  init(_ error: any Error, of command: String? = nil) {
    self.command = command
    switch error {
    case let error as UsageError: (messages, code, isUsage) = ([error.message], .usage, true)
    case let error as SpecError: (messages, code, isOfSpec) = (error.shown, .usage, true)
    case let error as InputError: (messages, code) = ([error.problem], .usage)
    case let error as NetworkingError: (messages, code) = ([error.message], error.exitCode)
    case FileError.readerGone: (messages, code) = ([], .readerGone)
    case let error as FileError: (messages, code) = ([error.problem], error.isBusy ? .busy : .output)
    default: (messages, code) = (["\(error)"], .fetch)
    }
  }

  func report(to console: Console) -> ExitCode {
    tell(console)
    return code
  }

  func tell(_ console: Console) {
    for message in messages {
      // As compilers do; so is the line that counts further errors.
      let isComplete = isOfSpec && (message.contains(": error: ") || message.hasPrefix("and "))
      isComplete ? console.say(message) : console.error(message)
    }
    if isUsage { console.say("Try 'pagecat \(command.map { "\($0) " } ?? "")--help'.") }
  }
}

// `pagecat login`: a user logs in on another device, which gives the first refresh token.

extension Command {
  static let login = Command(
    name: "login", operands: "SPEC [NAME=VALUE...] --tokens FILE [options]",
    summary: "let a user log in in a browser, and keep the refresh token in FILE (RFC 8628)",
    flags: [.firstTokens, .secrets, .verbose, .log],
    examples: ["pagecat login mail.yaml --tokens tokens.json", "pagecat run mail.yaml --tokens tokens.json"]
  ) { invocation, streams in
    let console = Console(streams, as: invocation.log)
    let (paths, parameters) = try invocation.pathsAndParameters
    guard paths.count == 1 else { throw UsageError(message: "login takes one SPEC, and was given \(paths.count)") }
    guard let file = invocation.tokens else {
      throw UsageError(message: "login keeps the refresh token in a file: give --tokens FILE")
    }
    let spec = try SpecFiles.read(paths, Input(descriptor: streams.input))[0]
    WriteLimits.begin([file], streams)
    var destination = streams.destination
    destination.tokens = file
    let login = try AccountLogin(spec, invocation.runOptions(parameters, streams.environment), destination)
    try streams.signals.open(watching: streams.error)
    let running = Task {
      try await login.run(EventLog(console, invocation, printsWaits: false).listener) { console.say("pagecat: \($0)") }
    }
    streams.signals.listen { _ in running.cancel() }
    defer { streams.signals.stopListening(forGood: true) }
    do {
      try await running.value
      return .complete
    } catch {
      if let signal = streams.signals.first { return signal.exitCode }
      return CommandFailure(error, of: "login").report(to: console)
    }
  }
}
