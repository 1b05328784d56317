import Foundation
import TestSupport

/// Runs the built program as a user would, through a shell.
enum Shell {
  struct Result: Sendable {
    let output: String
    let error: String
    let code: Int32
  }

  /// The program, beside the test bundle.
  static let program: String = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    #if os(macOS)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        folder = bundle.bundleURL.deletingLastPathComponent()
      }
    #endif
    return folder.appendingPathComponent("pagecat").path
  }()

  private static let programFolder = URL(fileURLWithPath: program).deletingLastPathComponent().path

  /// What every program that is tested has in its environment: what the sanitizers have been told.
  static let ground = ProcessInfo.processInfo.environment.filter { $0.key == "ASAN_OPTIONS" }

  /// The top of the package.
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// - Parameter script: POSIX sh; `pagecat` is the program, and `$PAGECAT` its path for where there is no PATH.
  static func run(
    _ script: String, in folder: String, input: String = "", environment: [String: String] = [:]
  ) async throws -> Result {
    signal(SIGPIPE, SIG_IGN)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ground.merging(["PATH": "\(programFolder):/usr/bin:/bin", "PAGECAT": program]) { $1 }
      .merging(environment) { $1 }
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stderr)
    try process.run()
    async let output = blocking { try stdout.fileHandleForReading.readToEnd() ?? Data() }
    async let error = blocking { try stderr.fileHandleForReading.readToEnd() ?? Data() }
    async let written: Void = blocking {
      // A script that does not read its input is none the worse for it.
      try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try stdin.fileHandleForWriting.close()
    }
    let (outputText, errorText) = try await (
      String(decoding: output, as: UTF8.self), String(decoding: error, as: UTF8.self)
    )
    try await written
    let running = UncheckedProcess(process: process)
    let code = try await blocking {
      running.process.waitUntilExit()
      return running.process.terminationStatus
    }
    // Not when the objects are let go of: `Process` keeps those.
    for pipe in [stdout, stderr] { try? pipe.fileHandleForReading.close() }
    return Result(output: outputText, error: errorText, code: code)
  }

  /// `Process` says nothing of threads; this one is waited for on one and used on no other meanwhile.
  private struct UncheckedProcess: @unchecked Sendable {
    let process: Process
  }
}
