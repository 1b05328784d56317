import Emitting
import Foundation
import TestSupport
import Testing

@testable import Pagecat
@testable import PagecatTool

/// Commands run here and not in a process of their own, so that the calls they make can fail.
@Suite("An export of which a call fails")
struct WritingTests {
  private static let old = "what was there\n"
  private static let new = (1...3).map { "{\"page\":\($0)}\n" }.joined()

  private func run(_ arguments: [String], _ folder: TemporaryFolder, _ calls: SystemCalls) async throws
    -> (code: ExitCode, error: String)
  {
    let path = try folder.write("", to: "error")
    let error = try #require(FileHandle(forWritingAtPath: path))
    var streams = Streams(error: error.fileDescriptor, environment: [:])
    streams.destination.calls = calls
    let code = await Command.run(arguments, streams)
    return (code, try folder.read("error"))
  }

  @Test(
    "ends with 5 and says which call it was and on what; FILE is what it was, and --resume goes on",
    arguments: Call.allCases, [false, true])
  func fails(_ call: Call, appending: Bool) async throws {
    let server = try LoopbackServer { request in
      let page = request.target.split(separator: "=").last ?? ""
      return .json(page == "4" ? "[]" : "[{\"page\":\(page)}]")
    }
    let folder = try TemporaryFolder()
    let out = try folder.write(Self.old, to: "out")
    let spec = try folder.write("endpoint: \(server.origin)/a\npages: { number: page }\n", to: "a.yaml")
    let arguments = [spec, "-o", out, "-q"] + (appending ? ["--append"] : [])
    let whole = appending ? Self.old + Self.new : Self.new
    for number in 1... {
      _ = try folder.write(Self.old, to: "out")
      let (code, error) = try await run(arguments, folder, .failing(call, at: number, with: EDQUOT))
      guard code != .complete else {
        #expect(number > 1 || call == .truncate || call == .read || call == .setMode)
        break
      }
      #expect(code == .output)
      #expect(error.contains("cannot ") && error.contains("'\(folder.path)") && error.contains("Disk quota exceeded"))
      // Once the new file has its name, what is left to be done is to make sure of it, and to tidy up.
      let isRenamed = error.contains("cannot sync the folder") || error.contains("cannot remove")
      #expect(try folder.read("out") == Self.old || isRenamed && folder.read("out") == whole, "\(error)")
      let again = try await run(arguments + ["--resume"], folder, .system)
      #expect(again.code == .complete, "\(again.error)")
      #expect(try folder.read("out") == whole, "\(error)")
      #expect(folder.names == ["a.yaml", "error", "out"], "\(error)")
    }
  }
}
