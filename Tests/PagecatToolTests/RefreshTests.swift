import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("An output that is refreshed", .limitedConcurrency)
struct RefreshTests {
  @Test("is written anew each time; what fails is told, and the old output stays until the next time")
  func refresh() async throws {
    let count = Atomic(0)
    let server = try LoopbackServer { _ in
      let number = count.add(1, ordering: .relaxed).newValue
      return number == 2 ? .status(404) : .json("[\(number)]")
    }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\n", to: "a.yaml")
    let program = try RunningProgram(
      ["a.yaml", "-o", "out", "--every", "100ms", "-q", "--summary", "none"], in: folder.path)
    await server.requests(atLeast: 5)
    program.send(SIGTERM)
    let result = try await program.result()
    #expect(result.code == 143)
    #expect(result.error.contains("404 from"))
    // Several have been written since the one that failed.
    #expect(try Int(folder.read("out").dropLast()) ?? 0 >= 3)
  }

  @Test("ends at once while it waits, and needs no file")
  func waiting() async throws {
    let server = try LoopbackServer(["/a": .json("[1]")])
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\n", to: "a.yaml")
    let program = try RunningProgram(["a.yaml", "--every", "1h", "--summary", "text"], in: folder.path)
    await program.outputBegins()
    program.send(SIGINT)
    let result = try await program.result()
    #expect(result.code == 130)
    #expect(result.output == "1\n")
  }

  @Test("reads a file on standard input again, refuses a pipe, and what can't go together")
  func input() async throws {
    let server = try LoopbackServer { .json("[\"\($0.path)\"]") }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/${input}\n", to: "a.yaml")
    _ = try folder.write("1\n2\n", to: "input")
    let program = try RunningProgram(["a.yaml", "--every", "100ms"], in: folder.path, input: folder.path(of: "input"))
    let seen = await server.requests(atLeast: 6)
    program.send(SIGTERM)
    #expect(try await program.result().code == 143)
    #expect(seen.prefix(6).map(\.path) == ["/1", "/2", "/1", "/2", "/1", "/2"])
    let result = try await Shell.run(
      """
      echo 1 | pagecat a.yaml --every 1s; echo "exit $?"
      pagecat a.yaml -o out --resume --every 1s < input; echo "exit $?"
      pagecat a.yaml --every 1 < input; echo "exit $?"
      """, in: folder.path)
    #expect(result.output == "exit 2\nexit 2\nexit 2\n", "\(result.error)")
  }

  @Test("begins with the first record of a file each time, however far it had read ahead")
  func longInput() async throws {
    let server = try LoopbackServer { .json("[\"\($0.path)\"]") }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/${input}\n", to: "a.yaml")
    _ = try folder.write((1...200_000).map { "\($0)\n" }.joined(), to: "input")
    let program = try RunningProgram(
      ["a.yaml", "--every", "100ms", "--max-records", "1"], in: folder.path, input: folder.path(of: "input"))
    let seen = await server.requests(atLeast: 30)
    program.send(SIGTERM)
    #expect(try await program.result().code == 143)
    #expect(Set(seen.map(\.path)) == ["/1"])
  }

  @Test("is whole whenever it is read, whoever writes it and dies")
  func together() async throws {
    let generation = Atomic(0)
    let server = try LoopbackServer { request in
      // Each run has three pages of its own generation, or none of it is right.
      let parts = request.target.split(separator: "/").map(String.init)
      if parts[0] == "first" { return .json(#"[{"g":\#(generation.add(1, ordering: .relaxed).newValue)}]"#) }
      return .json("[\((0..<200).map { #"{"g":\#(parts[1]),"n":\#($0)}"# }.joined(separator: ","))]")
    }
    let folder = try TemporaryFolder()
    _ = try folder.write(
      "base: \(server.origin)/\nsteps:\n  - endpoint: first\n  - endpoint: more/${input.g}\n", to: "a.yaml")
    func start() throws -> RunningProgram {
      try RunningProgram(["a.yaml", "-o", "out", "--every", "100ms", "-q", "--summary", "none"], in: folder.path)
    }
    var programs = [try start(), try start()]
    var versions: Set<String> = []
    for round in 0..<40 {
      await server.requests(atLeast: server.requests.count + 3)
      if let text = try? folder.read("out") {
        let lines = text.split(separator: "\n").map(String.init)
        let generation = lines.first.map { String($0.prefix { $0 != "," }) } ?? ""
        #expect(lines == (0..<200).map { #"\#(generation),"n":\#($0)}"# })
        versions.insert(generation)
      }
      guard round % 5 == 4 else { continue }
      programs[round / 5 % 2].send(SIGKILL)
      _ = await programs[round / 5 % 2].code()
      programs[round / 5 % 2] = try start()
    }
    for program in programs { program.send(SIGTERM) }
    for program in programs {
      let result = try await program.result()
      // One that has only just been started may not have come to listening.
      #expect([143, -SIGTERM].contains(result.code))
      // Who finds the file held says so and tries again.
      let told = result.error.split(separator: "\n")
      #expect(told.allSatisfy { $0.contains("is held by another run") || $0.contains("--resume") }, "\(result.error)")
    }
    #expect(versions.count > 5)
  }
}
