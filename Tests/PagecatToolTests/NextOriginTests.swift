import TestSupport
import Testing

@Suite("Where the next page is, secrets are bound to their origin", .limitedConcurrency)
struct NextOriginTests {
  private struct Turned {
    let result: Shell.Result
    let requests: [SeenRequest]
  }

  /// Pages on two origins, which are one server: `127.0.0.1`, where the secret belongs, and `localhost`.
  private func run(first next: String, second: String = "", hosts: Bool = true) async throws -> Turned {
    let server = try LoopbackServer { request in
      let host = "http://\(request["Host"] ?? "")"
      let other = host.replacing("127.0.0.1", with: "localhost")
      let own = host.replacing("localhost", with: "127.0.0.1")
      func page(_ number: Int, _ next: String) -> Answer {
        let url = next.replacing("OTHER", with: other).replacing("OWN", with: own)
        return .json("{\"items\":[\(number)],\"next\":\"\(url)\"}")
      }
      switch request.path {
      case "/1": return page(1, next)
      case "/2": return page(2, second)
      default: return page(3, "")
      }
    }
    let folder = try TemporaryFolder()
    let spec = """
      base: \(server.origin)/
      endpoint: "1"
      query: { key: "${env.KEY}" }
      headers: { X-Key: "${env.KEY}", X-Plain: plain }
      contentIdentifier: items
      pages: { next: body.next }
      """
    let allowed = "\nhosts: [\"\(server.url("", host: "localhost"))\"]\n"
    _ = try folder.write(spec + (hosts ? allowed : "\n"), to: "n.yaml")
    let result = try await Shell.run(
      "pagecat n.yaml --summary none -v", in: folder.path, environment: ["KEY": "s3cret/key"])
    return Turned(result: result, requests: server.requests)
  }

  @Test("at another origin that 'hosts' names, the next page is asked for without them; back home with them")
  func there() async throws {
    let turned = try await run(first: "OTHER/2?page=2", second: "OWN/3")
    #expect(turned.result.output == "1\n2\n3\n")
    #expect(turned.requests.map(\.target) == ["/1?key=s3cret%2Fkey", "/2?page=2", "/3"])
    #expect(turned.requests.map { $0["X-Key"] } == ["s3cret/key", nil, "s3cret/key"])
    #expect(turned.requests.map { $0["X-Plain"] } == ["plain", "plain", "plain"])
    #expect(!turned.result.error.contains("s3cret"))
  }

  @Test("a URL in which the server repeats one is asked for at home, and nowhere else")
  func echoed() async throws {
    let home = try await run(first: "?key=s3cret%2Fkey&page=2".replacing("?", with: "/2?"))
    #expect(home.result.output == "1\n2\n")
    #expect(home.requests.last?.target == "/2?key=s3cret%2Fkey&page=2")
    #expect(!home.result.error.contains("s3cret"))
    let away = try await run(first: "OTHER/2?key=s3cret%2Fkey")
    #expect(away.result.code == 3)
    #expect(away.result.output == "1\n")
    #expect(away.requests.count == 1)
    #expect(away.result.error.contains("/2?key=***', another origin, and it holds a secret, which is not sent there"))
    #expect(!away.result.error.contains("s3cret"))
  }

  @Test("at an origin that nobody named, it is not asked for at all")
  func refused() async throws {
    let turned = try await run(first: "OTHER/2", hosts: false)
    #expect(turned.result.code == 3)
    #expect(turned.result.output == "1\n")
    #expect(turned.requests.count == 1)
    #expect(turned.result.error.contains("add 'http://localhost:"))
  }
}
