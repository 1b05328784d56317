import Foundation
import TestSupport
import Testing

@Suite("Downloads, as the server sees them", .limitedConcurrency, .timeLimit(.minutes(20)))
struct DownloadTests {
  private static func spec(_ server: LoopbackServer, _ lines: String = "") -> String {
    "base: \(server.origin)/\ndownload: { url: \"${input.u}\", to: ./ }\n\(lines)"
  }

  @Test("a file is asked for as it is, and when it is there only if it was modified since")
  func conditions() async throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let server = try LoopbackServer { request in
      request["If-Modified-Since"] == date
        ? .status(304) : .bytes(Array("whole".utf8), fields: ["Last-Modified": date])
    }
    let folder = try TemporaryFolder()
    try folder.write(Self.spec(server), to: "f.yaml")
    let script = "echo '{\"u\":\"f\"}' | pagecat f.yaml"
    let first = try await Shell.run(script, in: folder.path)
    let second = try await Shell.run(script, in: folder.path)
    #expect(
      first.output
        == "{\"u\":\"f\",\"file\":{\"path\":\"f\",\"name\":\"f\",\"bytes\":5,\"contentType\":\"application/octet-stream\"}}\n"
    )
    // What the reply to the second leaves out is asked for.
    #expect(second.output == first.output)
    let requests = server.requests
    #expect(requests.map { $0["If-Modified-Since"] } == [nil, date, nil])
    #expect(requests.map(\.method) == ["GET", "GET", "HEAD"])
    #expect(requests.allSatisfy { $0["Accept-Encoding"] == nil && $0["Accept"] == "*/*" })
    #expect(try folder.read("f") == "whole")
  }

  @Test("secrets stay at the job's own origin")
  func secrets() async throws {
    let server = try LoopbackServer { _ in .bytes(Array("x".utf8)) }
    let folder = try TemporaryFolder()
    let lines = "hosts: [\"\(server.neighbour)\"]\nheaders: { X-Key: \"${env.KEY}\" }\nquery: { k: \"${env.KEY}\" }\n"
    try folder.write(Self.spec(server, lines), to: "f.yaml")
    let records = "{\"u\":\"\(server.neighbour)/a\"}\n{\"u\":\"b\"}\n"
    let result = try await Shell.run(
      "\"$PAGECAT\" f.yaml > /dev/null", in: folder.path, input: records, environment: ["KEY": "geheim"])
    #expect(result.code == 0, "\(result.error)")
    #expect(server.requests.map(\.target) == ["/a", "/b?k=geheim"])
    #expect(server.requests.map { $0["X-Key"] } == [nil, "geheim"])
  }

  @Test("a run that is interrupted takes away what it had begun")
  func interrupted() async throws {
    let server = try LoopbackServer { _ in .stall(after: "part", of: 100) }
    let folder = try TemporaryFolder()
    try folder.write(Self.spec(server, "timeout: 1h\n"), to: "f.yaml")
    try folder.write("old", to: "f")
    let records = try folder.write("{\"u\":\"f\"}\n", to: "records")
    let program = try RunningProgram(["f.yaml"], in: folder.path, input: records)
    await server.requests(atLeast: 1)
    let patience = ContinuousClock.now + .seconds(600)
    while !folder.names.contains(where: { $0.hasPrefix(".pagecat-") }), .now < patience { await Task.yield() }
    #expect(folder.names.count == 4)
    program.send(SIGTERM)
    #expect(try await program.result().code == 143)
    #expect(folder.names == ["f", "f.yaml", "records"])
    #expect(try folder.read("f") == "old")
  }
}
