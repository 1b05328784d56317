import Foundation
import TestSupport

/// The built program under way, without a shell around it, to be sent signals.
final class RunningProgram: Sendable {
  struct Result: Sendable {
    let output: String
    let error: String
    let code: Int32
  }

  /// Nil where a file is read.
  private let input: Pipe?
  private let output = Pipe()
  private let error: Pipe
  /// Of the process.
  let number: Int32
  private let ended = Watched<Int32?>(nil)

  /// - Parameters:
  ///   - folder: the folder that it runs in.
  ///   - path: the file that it has for standard input; nil for a pipe.
  ///   - error: the pipe that its messages go to.
  init(_ arguments: [String], in folder: String, input path: String? = nil, error: Pipe = Pipe()) throws {
    signal(SIGPIPE, SIG_IGN)
    self.error = error
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Shell.program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = Shell.ground
    (process.standardOutput, process.standardError) = (output, error)
    let file = path.flatMap { FileHandle(forReadingAtPath: $0) }
    // Descriptors are closed here and not when their objects are let go of: `Process` keeps those, hundreds in a run.
    defer { try? file?.close() }
    input = file == nil ? Pipe() : nil
    process.standardInput = file ?? input
    process.terminationHandler = { [ended] process in
      ended.update { $0 = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus }
    }
    try process.run()
    number = process.processIdentifier
  }

  func send(_ signal: Int32) {
    kill(number, signal)
  }

  func write(_ text: String) {
    try? input?.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Nothing more will be written.
  func endInput() {
    try? input?.fileHandleForWriting.close()
  }

  /// Waits until there is something to read, and leaves it there.
  func outputBegins() async { await Self.begins(output) }

  /// The same of its messages.
  func messagesBegin() async { await Self.begins(error) }

  private static func begins(_ pipe: Pipe) async {
    try? await blocking {
      var entry = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, 900_000)
    }
  }

  /// What it ended with; less than nothing for the signal that killed it.
  func code() async -> Int32 {
    await ended.when { $0 != nil } ?? -1
  }

  /// Reads what it says until it ends.
  func result() async throws -> Result {
    async let output = blocking { [output] in try output.fileHandleForReading.readToEnd() ?? Data() }
    async let error = blocking { [error] in try error.fileHandleForReading.readToEnd() ?? Data() }
    let (outputText, errorText) = try await (
      String(decoding: output, as: UTF8.self), String(decoding: error, as: UTF8.self)
    )
    let code = await code()
    for pipe in [self.input, self.output, self.error] { try? pipe?.fileHandleForReading.close() }
    try? input?.fileHandleForWriting.close()
    return Result(output: outputText, error: errorText, code: code)
  }
}
