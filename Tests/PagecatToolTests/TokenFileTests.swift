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
/// The old one works until something of the new answer is used; with `isStrict`, it works once.
private final class RotatingServer: Sendable {
  struct Tokens: Sendable {
    var number = 1
    /// The last refresh token that was used, or whose access token was.
    var confirmed = 1
  }

  let tokens = Watched(Tokens())
  let isStrict: Bool

  init(isStrict: Bool = false) { self.isStrict = isStrict }

  func answer(_ request: SeenRequest) -> Answer {
    tokens.update { tokens in
      if request.path == "/token" { return give(request.text, &tokens) }
      guard let access = request["Authorization"]?.split(separator: "-").last.flatMap({ Int($0) }),
        access == tokens.number || access == tokens.confirmed
      else { return .status(401) }
      tokens.confirmed = access
      return .json("[1]")
    }
  }

  private func give(_ form: String, _ tokens: inout Tokens) -> Answer {
    guard let used = form.split(separator: "-").last.flatMap({ Int($0) }),
      used == tokens.number || used == tokens.confirmed && !isStrict
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

  @Test("has no room: the server is not asked; can't be renamed: it stays beside its name, and the next run takes it")
  func full() async {
    await #expect(processExitsWith: .success) {
      let streams = Streams(environment: [:])
      for (call, number) in [(Call.write, 2), (.sync, 1), (.rename, 0)] {
        let model = RotatingServer(isStrict: true)
        let server = try LoopbackServer { model.answer($0) }
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.spec.replacing("SERVER", with: server.origin), to: "a.yaml")
        let arguments = [path, "--tokens", folder.path(of: "t"), "-q"]
        // The first write is that of the lock. Where each renaming fails, there is no room for a second file either.
        var calls = SystemCalls.failing(call, at: number, with: ENOSPC)
        if call == .rename {
          let (open, files) = (calls.open, CallCounter())
          calls.open = { (path, opening) throws(SystemError) in
            if opening == .newPrivate, files.next() > 1 { throw SystemError(code: ENOSPC) }
            return try open(path, opening)
          }
          calls.rename = { (_, _) throws(SystemError) in throw SystemError(code: ENOSPC) }
        }
        let failed = try await Self.run(arguments, folder, calls, streams)
        try #require(failed.code == .output, "\(call): \(failed.error)")
        let isAsked = call == .rename
        try #require(failed.error.contains(isAsked ? "the next run takes it from" : "so no token was asked for"))
        try #require(server.requests.map(\.path) == (isAsked ? ["/token"] : []))
        try #require(!folder.names.contains("t") && !failed.error.contains("refresh-"))
        try #require(folder.names.contains(".t.pagecat-new") == isAsked)
        try #require(await Self.run(arguments, folder, .system, streams).code == .complete, "\(call)")
        try #require(folder.names.sorted() == ["a.yaml", "error", "output", "t"])
      }
    }
  }

  @Test("keeps a token that works, whichever call to the system fails, with a server that accepts each token once")
  func failsOnce() async {
    await #expect(processExitsWith: .success) {
      let streams = Streams(environment: [:])
      for call in Call.ofOutputs {
        // No run makes more calls of a kind.
        for number in 1...16 {
          let model = RotatingServer(isStrict: true)
          let server = try LoopbackServer { model.answer($0) }
          let folder = try TemporaryFolder()
          let path = try folder.write(Self.spec.replacing("SERVER", with: server.origin), to: "a.yaml")
          let arguments = [path, "--tokens", folder.path(of: "t"), "-q"]
          try #require(await Self.run(arguments, folder, .system, streams).code == .complete)
          let failed = try await Self.run(arguments, folder, .failing(call, at: number, with: EIO), streams)
          let again = try await Self.run(arguments, folder, .system, streams)
          try #require(again.code == .complete, "\(call) \(number): \(failed.error)\(again.error)")
        }
      }
    }
  }

  @Test("has the new token, when a signal comes while the answer with it is on its way")
  func signal() async throws {
    let gate = Gate()
    let model = RotatingServer(isStrict: true)
    let server = try LoopbackServer { request in
      let answer = model.answer(request)
      return request.path == "/token" ? answer.held(by: gate) : answer
    }
    let folder = try TemporaryFolder()
    _ = try folder.write(Self.spec.replacing("SERVER", with: server.origin) + "\ntimeout: 1h\n", to: "a.yaml")
    let program = try RunningProgram(["a.yaml", "--tokens", "t"], in: folder.path)
    await server.requests(atLeast: 1)
    program.send(SIGTERM)
    // The run may have the answer before the signal, too: then nothing is tested.
    try await Task.sleep(for: .milliseconds(300))
    gate.open()
    let result = try await program.result()
    #expect(result.code == 143, "\(result.error)")
    try #require(folder.names.contains("t"), "\(result.error)\(folder.names)")
    #expect(try Self.isWhole(folder.read("t")))
    let again = try await Shell.run("pagecat a.yaml --tokens t", in: folder.path)
    #expect(again.code == 0 && again.output == "1\n", "\(again.error)")
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
