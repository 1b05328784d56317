import Synchronization
import TestSupport
import Testing

@Suite("While an overloaded server makes one request wait", .limitedConcurrency, .timeLimit(.minutes(20)))
struct OverloadTests {
  /// Runs a spec against a server that refuses one request until it has seen all those behind it.
  private func run(_ spec: String, refusing: String, until last: String, input: String = "") async throws
    -> Shell.Result
  {
    let hasSeenLast = Atomic(false)
    let server = try LoopbackServer { request in
      if request.target == last { hasSeenLast.store(true, ordering: .relaxed) }
      guard request.target != refusing || hasSeenLast.load(ordering: .relaxed) else {
        return .status(503, fields: ["Retry-After": "1"])
      }
      let number = request.target.split(separator: "=")[1]
      return .json(Int(number)! > 200 ? "[]" : "[{\"n\":\(number)}]")
    }
    let folder = try TemporaryFolder()
    _ = try folder.write(spec.replacing("SERVER", with: server.origin), to: "n.yaml")
    return try await Shell.run("pagecat n.yaml -q", in: folder.path, input: input)
  }

  private let lines = (1...200).map { "{\"n\":\($0)}\n" }

  @Test("the pages behind it are fetched, up to 256 more than the job's concurrency")
  func pages() async throws {
    let result = try await run(
      "endpoint: SERVER/n\npages: { number: p }\nconcurrency: 4\n", refusing: "/n?p=3", until: "/n?p=200")
    #expect(result.code == 0 && result.error.isEmpty)
    #expect(result.output == lines.joined())
  }

  @Test("the records behind it are fetched")
  func records() async throws {
    let result = try await run(
      "endpoint: SERVER/n\nquery: { p: \"${input.n}\" }\nconcurrency: 4\n", refusing: "/n?p=3", until: "/n?p=200",
      input: lines.joined())
    #expect(result.code == 0 && result.error.isEmpty)
    #expect(result.output == lines.joined())
  }

  @Test("no page is fetched ahead of a first page that waits, and few behind a page without records")
  func useless() async throws {
    let refused = Mutex<Set<Int>>([])
    let server = try LoopbackServer { request in
      let number = Int(request.target.split(separator: "=")[1])!
      if [1, 3].contains(number), refused.withLock({ $0.insert(number).inserted }) {
        return .status(503, fields: ["Retry-After": "1"])
      }
      return .json(number > 5 ? "[]" : "[{\"n\":\(number)}]")
    }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/n\npages: { number: p }\nconcurrency: 4\n", to: "n.yaml")
    let result = try await Shell.run("pagecat n.yaml -q", in: folder.path)
    #expect(result.output == lines.prefix(5).joined())
    let targets = server.requests.map(\.target)
    #expect(targets.prefix(2) == ["/n?p=1", "/n?p=1"])
    // Six pages, two of which were refused, and those in flight when the first one without records came.
    #expect(targets.count <= 15, "\(targets)")
  }

  @Test(
    "large pages and small pages of large records are not kept beyond the job's concurrency", arguments: [true, false])
  func large(isInput: Bool) async throws {
    let filler = String(repeating: "x", count: 70_000)
    let seen = Mutex<(count: Int, refusedAt: Int?, again: Int?)>((0, nil, nil))
    let server = try LoopbackServer { request in
      let isRefused = seen.withLock { seen in
        seen.count += 1
        guard request.target == "/n?p=3" else { return false }
        guard seen.refusedAt == nil else {
          seen.again = seen.count
          return false
        }
        seen.refusedAt = seen.count
        return true
      }
      if isRefused { return .status(503, fields: ["Retry-After": "1"]) }
      return .json(isInput ? "[1]" : "[\"\(filler)\"]")
    }
    let folder = try TemporaryFolder()
    _ = try folder.write(
      "endpoint: \(server.origin)/n\nquery: { p: \"${input.n}\" }\nconcurrency: 4\n", to: "n.yaml")
    let input = (1...40).map { "{\"n\":\($0),\"filler\":\"\(isInput ? filler : "")\"}\n" }.joined()
    let result = try await Shell.run("pagecat n.yaml -q", in: folder.path, input: input)
    #expect(result.code == 0)
    let again = try #require(seen.withLock { $0.again })
    // The pages 1 to 6, and the second attempt.
    #expect(again <= 8)
  }
}
