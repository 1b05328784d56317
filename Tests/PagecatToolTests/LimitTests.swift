import TestSupport
import Testing

@Suite("No more is asked for than is wanted", .limitedConcurrency, .timeLimit(.minutes(20)))
struct LimitTests {
  private static func run(_ server: LoopbackServer, _ spec: String, _ script: String) async throws -> Shell.Result {
    let folder = try TemporaryFolder()
    _ = try folder.write(spec.replacing("SERVER", with: server.origin), to: "n.yaml")
    _ = try folder.write("endpoint: \(server.origin)/gone\n", to: "gone.yaml")
    return try await Shell.run(script, in: folder.path)
  }

  @Test("a reader that leaves after five records is noticed at most one request later")
  func head() async throws {
    let gone = Gate()
    let server = try LoopbackServer { request in
      if request.path == "/gone" { gone.open() }
      guard let page = request.target.split(separator: "=").dropFirst().first.flatMap({ Int($0) }) else {
        return .json("[]")
      }
      let answer = Answer.json("[\(2 * page - 1),\(2 * page)]")
      // The page that nobody needs comes when the reader is gone.
      return page > 3 ? answer.held(by: gone) : answer
    }
    let result = try await Self.run(
      server, "endpoint: SERVER/n\npages: { number: page }\ntimeout: 1h\n",
      "{ pagecat n.yaml; echo $? >&2; } | { head -5; exec <&-; pagecat gone.yaml; }")
    #expect(result.output == "1\n2\n3\n4\n5\n")
    #expect(result.error == "141\n")
    #expect(server.requests.count { $0.path == "/n" } <= 4)
  }

  @Test("a reader that leaves while the server makes us wait ends the run without waiting")
  func headDuringWait() async throws {
    let asked = Gate()
    let server = try LoopbackServer { request in
      switch request.target {
      case "/n?page=1": return .json("[1,2,3]")
      case "/gone": return .json("[]").held(by: asked)
      default:
        asked.open()
        return .status(503, fields: ["Retry-After": "300"])
      }
    }
    let result = try await Self.run(
      server, "endpoint: SERVER/n\npages: { number: page }\ntimeout: 1h\n",
      "{ pagecat n.yaml; echo $? >&2; } | { head -n 1; pagecat gone.yaml; }")
    #expect(result.output == "1\n")
    #expect(result.error == "pagecat: waiting 5 min for \(server.origin)/n?page=2: 503\n141\n")
    #expect(server.requests.map(\.target).filter { $0 != "/gone" } == ["/n?page=1", "/n?page=2"])
  }

  @Test("records that a limit leaves out are not asked for, and what fails behind it is no failure")
  func limit() async throws {
    let wanted = Gate()
    let server = try LoopbackServer { request in
      switch request.target {
      case "/list?page=1": return .json("[1,2,3]")
      case "/item/1", "/item/2", "/item/3": return .json("[\(request.path.dropFirst(6))]").held(by: wanted)
      default:
        // What runs ahead has failed before anything comes out.
        wanted.open()
        return .status(500)
      }
    }
    let spec = """
      base: SERVER/
      timeout: 1h
      retry: 1
      steps:
        - endpoint: list
          pages: { number: page }
        - endpoint: item/${input}
          concurrency: 4
      """
    let result = try await Self.run(server, spec, "pagecat n.yaml --max-records 3 --summary text")
    #expect(result.output == "1\n2\n3\n")
    #expect(result.error.hasSuffix("capped (limit of 3 records)\n"))
    #expect(!result.error.contains("error"))
    #expect(result.code == 0)
  }

  @Test("without the limit it is one, told after the records that came before it")
  func failure() async throws {
    let server = try LoopbackServer { request in
      switch request.target {
      case "/list?page=1": .json("[1,2,3]")
      case "/list?page=2": .status(500)
      default: .json("[\(request.path.dropFirst(6))]")
      }
    }
    let spec = """
      base: SERVER/
      timeout: 1h
      retry: 1
      steps:
        - endpoint: list
          pages: { number: page }
        - endpoint: item/${input}
          concurrency: 4
      """
    let result = try await Self.run(server, spec, "pagecat n.yaml 2>&1")
    #expect(result.output.hasPrefix("1\n2\n3\npagecat: error: n.yaml#1: status 500"))
    #expect(result.code == 3)
  }
}
