import Foundation
import TestSupport
import Testing

@Suite("A signal ends a run between writes, and loses nothing", .limitedConcurrency, .timeLimit(.minutes(20)))
struct SignalTests {
  private func start(_ arguments: [String], in folder: TemporaryFolder) throws -> RunningProgram {
    try RunningProgram(arguments, in: folder.path)
  }

  @Test(
    "requests end at once, the old file stays",
    arguments: [(SIGHUP, Int32(129)), (SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func signal(_ signal: Int32, _ code: Int32) async throws {
    let server = try LoopbackServer { $0.target.hasSuffix("page=1") ? .json("[1,2]") : .hang }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\npages: { number: page }\ntimeout: 1h\n", to: "a.yaml")
    _ = try folder.write("old\n", to: "out")
    let program = try start(["a.yaml", "-o", "out", "--record", "a.har"], in: folder)
    await server.requests(atLeast: 2)
    program.send(signal)
    let result = try await program.result()
    #expect(result.code == code)
    #expect(result.error.contains("failed (\([SIGHUP: "hung up", SIGINT: "interrupted"][signal] ?? "terminated"))"))
    #expect(!result.error.contains("no complete answer"))
    #expect(try folder.read("out") == "old\n")
    #expect(folder.names.filter { $0.contains("pagecat-har") || $0.contains(".part") || $0.contains("lock") } == [])
    #expect(try folder.read("a.har").hasSuffix("}\n"))
  }

  @Test("a terminal that is closed leaves the rejects and the recording whole, and nothing else")
  func hangUp() async throws {
    let server = try LoopbackServer { $0.path == "/1" ? .status(404) : .hang }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/${input}\nonError: skip\ntimeout: 1h\n", to: "a.yaml")
    let program = try start(["a.yaml", "--rejects", "rejects", "--record", "a.har"], in: folder)
    program.write("1\n2\n")
    await server.requests(atLeast: 2)
    program.send(SIGHUP)
    #expect(try await program.result().code == 129)
    #expect(folder.names.sorted() == ["a.har", "a.yaml", "rejects"])
    #expect(try folder.read("rejects").hasPrefix("{\"step\":\"a.yaml\",\"record\":1,"))
    #expect(try folder.read("a.har").hasSuffix("}\n"))
  }

  @Test("a program that was started with SIGHUP ignored goes on")
  func ignored() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { [path = folder.path(of: "pid")] _ in
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      if let number = Int32(text.dropLast()) { kill(number, SIGHUP) }
      return .json("[1]")
    }
    _ = try folder.write("endpoint: \(server.origin)/a\n", to: "a.yaml")
    let result = try await Shell.run("trap '' HUP; echo $$ > pid; exec \"$PAGECAT\" a.yaml -q", in: folder.path)
    #expect(result.code == 0 && result.output == "1\n" && result.error.isEmpty)
  }

  @Test("what a recording that was killed has left is used by the next one, and is not there behind it")
  func killedRecording() async throws {
    let server = try LoopbackServer { $0.target.hasSuffix("page=1") ? .json("[1,2]") : .hang }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\npages: { number: page }\ntimeout: 1h\n", to: "a.yaml")
    _ = try folder.write("old", to: "a.har")
    let killed = try start(["a.yaml", "--record", "a.har"], in: folder)
    await server.requests(atLeast: 2)
    killed.send(SIGKILL)
    _ = try await killed.result()
    #expect(folder.names.sorted() == ["a.har", "a.har.pagecat-har", "a.yaml"])
    let next = try start(["a.yaml", "--record", "a.har"], in: folder)
    await server.requests(atLeast: 4)
    let other = try await start(["a.yaml", "--record", "a.har", "--max-pages", "1"], in: folder).result()
    #expect(
      other.code == 75
        && other.error == "pagecat: error: 'a.har' is held by another run: wait for its end, or give another file\n")
    #expect(try folder.read("a.har") == "old")
    next.send(SIGINT)
    _ = try await next.result()
    #expect(folder.names.sorted() == ["a.har", "a.yaml"])
    #expect(try folder.read("a.har").hasSuffix("}\n"))
  }

  @Test("one that comes twice at a time, to the process and to its group, is one")
  func echo() async throws {
    let server = try LoopbackServer { _ in .hang }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\ntimeout: 1h\n", to: "a.yaml")
    let program = try start(["a.yaml", "--record", "a.har"], in: folder)
    await server.requests(atLeast: 1)
    program.send(SIGTERM)
    program.send(SIGTERM)
    let result = try await program.result()
    #expect(result.code == 143)
    #expect(result.error.contains("failed (terminated)"))
    #expect(folder.names.sorted() == ["a.har", "a.yaml"])
  }

  @Test("one that comes behind the summary changes nothing that it says", arguments: [SIGINT, SIGTERM])
  func late(_ signal: Int32) async throws {
    let server = try LoopbackServer { _ in .json("[1]") }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\n", to: "a.yaml")
    // How far its end has come then is anybody's guess.
    for _ in 0..<12 {
      let program = try start(["a.yaml", "--summary", "text"], in: folder)
      await program.messagesBegin()
      program.send(signal)
      let result = try await program.result()
      #expect(result.code == 0)
      #expect(result.output == "1\n" && result.error.hasSuffix("complete\n"))
    }
  }

  @Test("so it does while several records are under way, and while standard input is waited for")
  func waiting() async throws {
    let server = try LoopbackServer { _ in .hang }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/${input}\nconcurrency: 3\ntimeout: 1h\n", to: "a.yaml")
    let program = try start(["a.yaml"], in: folder)
    program.write("1\n2\n")
    await server.requests(atLeast: 2)
    program.send(SIGINT)
    #expect(try await program.result().code == 130)
  }

  @Test("a second one ends a process that can't end")
  func second() async throws {
    let server = try LoopbackServer { _ in .json("[\"\(String(repeating: "x", count: 1_000_000))\"]") }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\n", to: "a.yaml")
    let program = try start(["a.yaml"], in: folder)
    // Once the pipe has something in it, all of it will never fit: nobody reads.
    await program.outputBegins()
    program.send(SIGINT)
    program.send(SIGTERM)
    #expect([130, 143].contains(await program.code()))
  }
}
