import Primitives
import Files
import Foundation
import TestSupport
import Testing
import Wire

@testable import Engine
@testable import PagecatTool

/// A server that replaces its refresh token each time.
///
/// The old one works until something of the new answer is used.
private final class RotatingServer: Sendable {
  struct Tokens: Sendable {
    var number = 1
    /// The last refresh token that was used, or whose access token was.
    var confirmed = 1
  }

  let tokens = Watched(Tokens())

  func answer(_ request: SeenRequest) -> Answer {
    tokens.update { tokens in
      if request.path == "/token" { return Self.give(request.text, &tokens) }
      guard let access = request["Authorization"]?.split(separator: "-").last.flatMap({ Int($0) }),
        access == tokens.number || access == tokens.confirmed
      else { return .status(401) }
      tokens.confirmed = access
      return .json("[1]")
    }
  }

  private static func give(_ form: String, _ tokens: inout Tokens) -> Answer {
    guard let used = form.split(separator: "-").last.flatMap({ Int($0) }),
      used == tokens.number || used == tokens.confirmed
    else { return .json(#"{"error":"invalid_grant"}"#, status: 400) }
    tokens.confirmed = used
    tokens.number += 1
    return .json(#"{"access_token":"access-\#(tokens.number)","refresh_token":"refresh-\#(tokens.number)"}"#)
  }
}

/// Commands run in the tests' own code, and in a process for itself, since a run changes what signals do.
@Suite("--tokens FILE", .timeLimit(.minutes(20)))
struct TokenFileTests {
  private static let spec = """
    endpoint: SERVER/list
    auth: { oauth2: { tokenUrl: SERVER/token, clientId: me, clientSecret: sesame99, refreshToken: refresh-1 } }
    """

  @Test("has a token that works, whichever call to the system was the last before the death; it is never half a file")
  func dies() async {
    await #expect(processExitsWith: .success) {
      let streams = Streams(environment: [:])
      for earlier in [0, 1] { try await Self.dieEverywhere(afterRuns: earlier, streams) }
    }
  }

  private static func dieEverywhere(afterRuns earlier: Int, _ streams: Streams) async throws {
    for number in 0... {
      let model = RotatingServer()
      let server = try LoopbackServer { model.answer($0) }
      let folder = try TemporaryFolder()
      let path = try folder.write(spec.replacing("SERVER", with: server.origin), to: "a.yaml")
      let arguments = [path, "--tokens", folder.path(of: "t"), "-o", folder.path(of: "out"), "-q"]
      for _ in 0..<earlier { try #require(await run(arguments, folder, .system, streams).code == .complete) }
      let counter = CallCounter()
      let died = try await run(arguments, folder, .dying(after: number, counting: counter), streams)
      let kept = folder.names.contains("t") ? try folder.read("t") : "none"
      try #require(kept == "none" || isWhole(kept), "after \(number) calls: \(kept)")
      let again = try await run(arguments, folder, .system, streams)
      try #require(again.code == .complete, "after \(number) calls: \(died.error)\(again.error)\(kept)")
      let mode = try #require(FileManager.default.attributesOfItem(atPath: folder.path(of: "t"))[.posixPermissions])
      try #require(mode as? Int == 0o600)
      if counter.value <= number { break }
    }
  }

  private static func isWhole(_ text: String) -> Bool {
    text.wholeMatch(of: #/\{"tokens":\[\{"at":"[^"]*","of":"[0-9a-f]{64}","refresh":"refresh-[0-9]+"\}\]\}\n/#) != nil
  }

  @Test("that can't be written ends the run before the new token is used, and the old one still works")
  func full() async {
    await #expect(processExitsWith: .success) {
      let streams = Streams(environment: [:])
      for call in [Call.write, .sync, .rename] {
        let model = RotatingServer()
        let server = try LoopbackServer { model.answer($0) }
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.spec.replacing("SERVER", with: server.origin), to: "a.yaml")
        let arguments = [path, "--tokens", folder.path(of: "t"), "-q"]
        // The first write is that of the lock.
        let calls = SystemCalls.failing(call, at: call == .write ? 2 : 1, with: ENOSPC)
        let failed = try await Self.run(arguments, folder, calls, streams)
        try #require(failed.code == .output, "\(call): \(failed.error)")
        try #require(
          failed.error.contains("pagecat: error: ") && failed.error.contains("the new refresh token was not"))
        try #require(server.requests.map(\.path) == ["/token"])
        try #require(!folder.names.contains("t") && !failed.error.contains("refresh-"))
        try #require(await Self.run(arguments, folder, .system, streams).code == .complete)
      }
    }
  }

  @Test("is one run's at a time")
  func locked() async throws {
    let server = try LoopbackServer { _ in .json("[1]") }
    let folder = try TemporaryFolder()
    _ = try folder.write(Self.spec.replacing("SERVER", with: server.origin), to: "a.yaml")
    let lock = try RunLock(OutputPath(folder.path(of: "t")))
    let result = try await Shell.run("pagecat a.yaml --tokens t", in: folder.path)
    #expect(result.code == 75 && result.error.contains("'t'"), "\(result.error)")
    #expect(server.requests.isEmpty)
    _ = consume lock
  }

  private static func run(
    _ arguments: [String], _ folder: TemporaryFolder, _ calls: SystemCalls, _ streams: Streams
  ) async throws -> (code: ExitCode, error: String) {
    let error = try #require(FileHandle(forWritingAtPath: folder.write("", to: "error")))
    let output = try #require(FileHandle(forWritingAtPath: folder.write("", to: "output")))
    defer {
      try? error.close()
      try? output.close()
    }
    var streams = streams
    (streams.output, streams.error) = (output.fileDescriptor, error.fileDescriptor)
    streams.destination.calls = calls
    let code = await Command.run(arguments, streams)
    return (code, try folder.read("error"))
  }
}
