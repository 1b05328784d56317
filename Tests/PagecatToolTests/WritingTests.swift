import Primitives
import Files
import Foundation
import TestSupport
import Testing
import Wire

@testable import Engine
@testable import PagecatTool

/// Commands run in the tests' own code, so that the calls they make can fail; and in a process for itself, since a run
/// changes what signals do.
@Suite("An export of which a call fails", .limitedConcurrency, .timeLimit(.minutes(20)))
struct WritingTests {
  private static let old = "what was there\n"
  private static let new = (1...3).map { "{\"page\":\($0)}\n" }.joined()

  @Test("ends with 5 and says which call it was and on what; FILE is what it was, and --resume goes on")
  func fails() async {
    await #expect(processExitsWith: .success) {
      for call in Call.ofOutputs {
        for appending in [false, true] { try await Self.export(appending: appending, failing: call) }
      }
    }
  }

  /// Lets the first call of a kind fail, then the second, until none does any more.
  private static func export(appending: Bool, failing call: Call) async throws {
    let server = try LoopbackServer { request in
      let page = request.target.split(separator: "=").last ?? ""
      return .json(page == "4" ? "[]" : "[{\"page\":\(page)}]")
    }
    let folder = try TemporaryFolder()
    let spec = try folder.write("endpoint: \(server.origin)/a\npages: { number: page }\n", to: "a.yaml")
    let arguments = [spec, "-o", folder.path(of: "out"), "-q"] + (appending ? ["--append"] : [])
    let whole = appending ? old + new : new
    for number in 1... {
      _ = try folder.write(old, to: "out")
      let (code, error) = try await run(arguments, folder, .failing(call, at: number, with: EDQUOT))
      if code == .complete {
        // Nothing is cut back or copied but for those who go on or append, and the file's mode is set once.
        try #require(number > 1 || call == .truncate || call == .read)
        return
      }
      try #require(code == .output)
      try #require(
        error.contains("cannot ") && error.contains("'\(folder.path)")
          && error.contains(SystemError(code: EDQUOT).reason))
      // Once the new file has its name, what is left to be done is to make sure of it, and to tidy up.
      let isRenamed = error.contains("cannot sync the folder") || error.contains("cannot remove")
      let text = try folder.read("out")
      try #require(text == old || isRenamed && text == whole, "\(error)")
      let again = try await run(arguments + ["--resume"], folder, .system)
      try #require(again.code == .complete, "\(again.error)")
      try #require(try folder.read("out") == whole, "\(error)")
      try #require(folder.names == ["a.yaml", "error", "out"], "\(error)")
    }
  }

  private static func run(_ arguments: [String], _ folder: TemporaryFolder, _ calls: SystemCalls) async throws
    -> (code: ExitCode, error: String)
  {
    let path = try folder.write("", to: "error")
    let error = try #require(FileHandle(forWritingAtPath: path))
    var streams = Streams(error: error.fileDescriptor, environment: [:])
    streams.destination.calls = calls
    let code = await Command.run(arguments, streams)
    return (code, try folder.read("error"))
  }
}
