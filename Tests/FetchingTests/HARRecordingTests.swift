// What a recording writes.

import Files
import Foundation
import JSONText
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("A recording")
struct HARRecordingTests {
  @Test("has every member that HAR 1.2 asks for")
  func members() async throws {
    var answer = StubAnswer.text(#"{"drinks":[]}"#)
    answer.fields += [("Content-Length", "13"), ("X-Twice", "a"), ("X-Twice", "b"), ("Location", "/there")]
    let recording = try Recording([answer])
    var request = post("https://api.test/v1/search?c=Other%20%2F%20Unknown&p", #"{"q":"é"}"#)
    request.fields = HTTPFields([.init(name: "Accept", value: Redactable("application/json"))])
    _ = try await recording.transport.body(request)
    let log = try recording.log()
    for (path, expected) in [
      ("version", "1.2"), ("creator.name", "pagecat"), ("creator.version", "1.0.0"),
      ("pages.0.startedDateTime", "2023-11-14T22:13:20.000Z"), ("pages.0.id", "run"), ("pages.0.title", "pagecat run"),
      ("entries.0.pageref", "run"), ("entries.0.startedDateTime", "2023-11-14T22:13:20.250Z"),
      ("entries.0.time", "500.0"), ("entries.0.timings.send", "0"), ("entries.0.timings.wait", "250.0"),
      ("entries.0.timings.receive", "250.0"), ("entries.0.request.method", "POST"),
      ("entries.0.request.url", "https://api.test/v1/search?c=Other%20%2F%20Unknown&p"),
      ("entries.0.request.httpVersion", "unknown"), ("entries.0.request.headers.0.name", "Accept"),
      ("entries.0.request.headers.0.value", "application/json"), ("entries.0.request.queryString.0.name", "c"),
      ("entries.0.request.queryString.0.value", "Other / Unknown"), ("entries.0.request.queryString.1.name", "p"),
      ("entries.0.request.queryString.1.value", ""), ("entries.0.request.headersSize", "-1"),
      ("entries.0.request.bodySize", "10"), ("entries.0.request.postData.mimeType", "application/json"),
      ("entries.0.request.postData.text", #"{"q":"é"}"#), ("entries.0.response.status", "200"),
      ("entries.0.response.statusText", ""), ("entries.0.response.httpVersion", "unknown"),
      ("entries.0.response.headers.3.value", "b"), ("entries.0.response.redirectURL", "/there"),
      ("entries.0.response.headersSize", "-1"), ("entries.0.response.bodySize", "13"),
      ("entries.0.response.content.size", "13"), ("entries.0.response.content.mimeType", "application/json"),
      ("entries.0.response.content.text", #"{"drinks":[]}"#), ("entries.0.response.content.encoding", "nothing"),
      ("entries.0.response._error", "nothing"),
    ] {
      #expect(log.at(path) == expected, "\(path)")
    }
    let entry = try #require((log["entries"] as? [[String: Any]])?.first)
    let (request1, response) = (entry["request"] as? [String: Any], entry["response"] as? [String: Any])
    #expect((request1?["cookies"] as? [Any])?.isEmpty == true)
    #expect((response?["cookies"] as? [Any])?.isEmpty == true)
    #expect((entry["cache"] as? [String: Any])?.isEmpty == true)
  }

  @Test("says for a report whose requests they are, what they waited for, and how the run ended")
  func forReports() async throws {
    let recording = try Recording([.text("1"), .text("2")])
    var request = get("https://x.test/1")
    request.purpose = Request.Purpose(job: "coins", step: 1)
    (request.purpose.page, request.purpose.attempt) = (7, 3)
    (request.purpose.waitedForRate, request.purpose.waitedForRetry) = (.milliseconds(1_500), .seconds(2))
    _ = try await recording.transport.body(request)
    _ = try await recording.transport.body(get("https://x.test/token"))
    try recording.transport.close(run: JSONValue(members: [("verdict", JSONValue("complete"))]))
    var reader = RecordingReader(name: "run.har")
    try reader.read(Array(try Data(contentsOf: URL(fileURLWithPath: recording.path))))
    #expect(try reader.finish().run?["verdict"]?.string == "complete")
    let (first, second) = (reader.requests[0], reader.requests[1])
    #expect((first.job, first.page, first.attempt) == ("coins", 7, 3))
    #expect(first.times == [2, 1.5, 0, 0, 0.25, 0.25])
    #expect(first.started == 1_700_000_000.25)
    #expect((second.job, second.page, second.attempt) == (nil, nil, 1))
    #expect(second.times == [0, 0, 0, 0, 0.25, 0.25])
  }

  @Test("is one entry a line, in the order in which the requests began")
  func order() async throws {
    let recording = try Recording(["first", "second", "third"].map { StubAnswer.text($0) })
    let first = try await recording.transport.send(get("https://x.test/1"))
    #expect(try await recording.transport.text(get("https://x.test/2")) == "second")
    while try await first.body.next() != nil {}
    _ = try await recording.transport.text(get("https://x.test/3"))
    let lines = String(decoding: try recording.bytes(), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 5)
    #expect(zip(lines.dropFirst(), 1...3).allSatisfy { $0.contains("https://x.test/\($1)") })
  }

  @Test("does not hold many exchanges back for one that takes long")
  func bounded() async throws {
    let recording = try Recording((1...200).map { StubAnswer.text("\($0)") })
    let first = try await recording.transport.send(get("https://x.test/1"))
    for number in 2...200 { _ = try await recording.transport.text(get("https://x.test/\(number)")) }
    #expect(recording.transport.waitingCount <= 64)
    while try await first.body.next() != nil {}
    let entries = try recording.entries()
    #expect(entries.count == 200)
  }

  @Test("without an exchange is a valid file without entries")
  func empty() throws {
    let recording = try Recording([])
    #expect(try recording.entries().isEmpty)
  }

  @Test("is not there before it is whole, and leaves nothing beside it")
  func appears() async throws {
    let recording = try Recording([.text("{}")])
    _ = try await recording.transport.body(get("https://x.test/"))
    #expect(!recording.folder.names.contains("run.har"))
    _ = try recording.bytes()
    #expect(recording.folder.names == ["run.har"])
  }

  @Test("that is not closed leaves nothing")
  func abandoned() async throws {
    let folder = try Folder()
    do {
      let transport = try RecordingTransport(
        next: StubTransport([.text("{}")]), path: folder.path + "/run.har", secrets: SecretStore(), creatorVersion: "1",
        start: 0)
      _ = try await transport.body(get("https://x.test/"))
    }
    #expect(folder.names == [])
  }

  @Test("holds what had come of exchanges that were still under way")
  func unfinished() async throws {
    let recording = try Recording([StubAnswer(pieces: [Array("[1,".utf8), Array("2]".utf8)])])
    let reply = try await recording.transport.send(get("https://x.test/"))
    _ = try await reply.body.next()
    let entry = try #require(try recording.entries().first)
    #expect(entry.at("response.content.text") == "[1,")
    #expect(entry.at("response._error") == "the recording ends here: the rest of the body was not read")
    reply.body.cancel()
  }

  @Test("holds nothing of a request that was given up before it was sent")
  func unsent() async throws {
    let recording = try Recording([.text("[1]"), .failure(.unsent, "the request was cancelled"), .text("[2]")])
    let urls = ["https://x.test/1", "https://x.test/unsent", "https://x.test/2"]
    for url in urls { _ = try? await recording.transport.body(get(url)) }
    #expect(try recording.entries().map { $0.at("request.url") } == [urls[0], urls[2]])
  }

  @Test("replaces an older file")
  func replaces() throws {
    let folder = try Folder()
    let path = folder.path + "/run.har"
    try "old".write(toFile: path, atomically: false, encoding: .utf8)
    let transport = try RecordingTransport(
      next: StubTransport([]), path: path, secrets: SecretStore(), creatorVersion: "1", start: 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
    try transport.close()
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix(#"{"log":"#))
  }

  @Test("says at once that its folder isn't there")
  func noFolder() {
    let fault = FileError.failed("cannot write '/nowhere/run.har': there is no folder '/nowhere'")
    #expect(throws: fault) {
      try RecordingTransport(
        next: StubTransport([]), path: "/nowhere/run.har", secrets: SecretStore(), creatorVersion: "1", start: 0)
    }
  }

  @Test("has one run at a time, and takes the place of what one that was killed has left")
  func left() throws {
    let folder = try TemporaryFolder()
    let path = folder.path(of: "run.har")
    func begin() throws -> RecordingTransport {
      try RecordingTransport(next: StubTransport([]), path: path, secrets: SecretStore(), creatorVersion: "1", start: 0)
    }
    try folder.write("{\"log", to: "run.har.pagecat-har")
    let first = try begin()
    #expect(throws: FileError.busy(path: path, owner: "")) { _ = try begin() }
    try first.close()
    #expect(folder.names == ["run.har"])
  }

  @Test(
    "is whole or not there, whichever call fails; the exchanges don't",
    arguments: [(Call.write, 2), (.sync, 1), (.rename, 1), (.sync, 2)])
  func failing(call: Call, number: Int) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("what was there", to: "run.har")
    let transport = try RecordingTransport(
      next: StubTransport([.text(String(repeating: "x", count: 200_000))]), path: path, secrets: SecretStore(),
      creatorVersion: "1", start: 0, clock: { 0 }, calls: .failing(call, at: number, with: EIO))
    #expect(try await transport.body(get("https://x.test/1")).count == 200_000)
    let fault = #expect(throws: FileError.self) { try transport.close() }
    guard case .failed(let problem) = fault else { throw try #require(fault) }
    #expect(problem.contains(folder.path) && problem.hasSuffix("Input/output error"))
    // The folder is synced behind the rename: the file is there then, though a power cut might take it back.
    let isRenamed = call == .sync && number == 2
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix(isRenamed ? "{\"log\"" : "what was there"))
  }

  #if os(Linux)
    @Test("that fails doesn't fail the exchanges, and says so in the end")
    func diskFull() async throws {
      let transport = try RecordingTransport(
        next: StubTransport([.text(String(repeating: "x", count: 200_000)), .text("{}")]), path: "/dev/full",
        secrets: SecretStore(), creatorVersion: "1", start: 0)
      #expect(try await transport.body(get("https://x.test/1")).count == 200_000)
      #expect(try await transport.text(get("https://x.test/2")) == "{}")
      #expect(throws: FileError.failed("cannot write to '/dev/full': No space left on device")) {
        try transport.close()
      }
    }
  #endif
}
