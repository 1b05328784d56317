import Foundation
import TestSupport
import Testing

@Suite("The output's order is the input's, whatever the server does", .limitedConcurrency, .timeLimit(.minutes(20)))
struct OrderTests {
  private let spec = """
    endpoint: SERVER/item/${input}
    concurrency: 8
    timeout: 1h
    """

  @Test("replies that come in the opposite order come out in order")
  func reversed() async throws {
    let gates = (0..<8).map { _ in Gate() }
    let server = try LoopbackServer { request in
      let number = Int(request.path.split(separator: "/")[1]) ?? 0
      return .json("[\(number),\(number)]").held(by: gates[number])
    }
    let folder = try TemporaryFolder()
    _ = try folder.write(spec.replacingOccurrences(of: "SERVER", with: server.origin), to: "item.yaml")
    async let result = Shell.run("seq 0 7 | pagecat item.yaml", in: folder.path)
    _ = await server.requests(atLeast: 8)
    for gate in gates.reversed() { gate.open() }
    #expect(try await result.output == (0..<8).map { "\($0)\n\($0)\n" }.joined())
    #expect(server.mostConcurrent == 8)
  }

  @Test("pages fetched ahead come out in order, within the window")
  func pages() async throws {
    let gates = (1...6).map { _ in Gate() }
    gates[0].open()
    let server = try LoopbackServer { request in
      let number = Int(request.target.split(separator: "=")[1]) ?? 0
      return number > 5 ? .json("[]") : .json("[\(number)]").held(by: gates[number - 1])
    }
    let folder = try TemporaryFolder()
    let spec = "endpoint: SERVER/n\npages: { number: page }\nconcurrency: 3\ntimeout: 1h\n"
    _ = try folder.write(spec.replacingOccurrences(of: "SERVER", with: server.origin), to: "n.yaml")
    async let result = Shell.run("pagecat n.yaml", in: folder.path)
    // Page one is out: pages two to four are under way, and no more than that.
    let seen = await server.requests(atLeast: 4)
    #expect(Set(seen.map(\.target)) == ["/n?page=1", "/n?page=2", "/n?page=3", "/n?page=4"])
    for gate in gates.reversed() { gate.open() }
    #expect(try await result.output == "1\n2\n3\n4\n5\n")
    #expect(server.mostConcurrent <= 3)
  }

  @Test("a reader that takes its time keeps nobody from receiving what was asked for")
  func slowReader() async throws {
    let gate = Gate()
    let server = try LoopbackServer { request in
      // The first is more than a pipe holds, the second more than the connection.
      request.path == "/item/0"
        ? .json("[\"\(String(repeating: "a", count: 1 << 20))\"]")
        : .json("[\"\(String(repeating: "b", count: 24 << 20))\"]").closing().held(by: gate)
    }
    let folder = try TemporaryFolder()
    let spec = "each: { i: [0, 1] }\nendpoint: \(server.origin)/item/${input.i}\nconcurrency: 2\ntimeout: 1h\n"
    _ = try folder.write(spec, to: "item.yaml")
    let program = try RunningProgram(["item.yaml"], in: folder.path)
    await server.requests(atLeast: 2)
    await program.outputBegins()
    gate.open()
    await server.closedConnections(atLeast: 1)
    let result = try await program.result()
    #expect(result.output.utf8.count == 25 << 20 | 6)
    #expect(result.code == 0 && result.error.isEmpty)
  }

  @Test("where a page has another size, the pages ahead by offset are thrown away, and the rest is fetched singly")
  func changingSize() async throws {
    // Ten records, two a page but for one, which waits until there is something ahead of it; what was asked for ahead
    // waits until that one is seen to be short.
    let (ahead, late) = (Gate(), Gate())
    let sizes = [0: 2, 2: 2, 4: 1, 5: 2, 7: 2, 9: 1]
    let server = try LoopbackServer { request in
      let start = Int(request.target.split(separator: "=")[1]) ?? 0
      if start == 6 { ahead.open() }
      if start == 5 { late.open() }
      let records = (start..<min(start + (sizes[start] ?? 2), 10)).map(String.init).joined(separator: ",")
      let answer = Answer.json("[\(records)]")
      return switch start {
      case 4: answer.held(by: ahead)
      case 6, 8: answer.held(by: late)
      default: answer
      }
    }
    let folder = try TemporaryFolder()
    let spec = "endpoint: \(server.origin)/n\npages: { offset: from }\nconcurrency: 3\ntimeout: 1h\n"
    _ = try folder.write(spec, to: "n.yaml")
    let result = try await Shell.run("pagecat n.yaml --summary none", in: folder.path)
    #expect(result.output == (0..<10).map { "\($0)\n" }.joined())
    #expect(result.code == 0 && result.error.isEmpty)
    let targets = server.requests.map(\.target)
    #expect(targets.first == "/n?from=0")
    #expect(Set(targets.prefix(5)).isSuperset(of: ["/n?from=2", "/n?from=4", "/n?from=6"]))
    let singly = targets.filter { !["6", "8"].contains($0.suffix(1)) }.suffix(4)
    #expect(Array(singly) == ["/n?from=5", "/n?from=7", "/n?from=9", "/n?from=10"])
    #expect(Set(targets).count == targets.count)
  }

  @Test("a stream that has ended asks for nothing more, while it waits for its turn")
  func ended() async throws {
    let last = Gate()
    let server = try LoopbackServer { request in
      if request.target.hasPrefix("/c?page=4") { last.open() }
      let page = Int(request.target.split(separator: "=")[1]) ?? 0
      let answer = Answer.json(page < 4 ? "[\"\(request.path)\(page)\"]" : "[]")
      return request.target == "/a?page=1" ? answer.held(by: last) : answer
    }
    let folder = try TemporaryFolder()
    let spec =
      "endpoint: \(server.origin)/${input}\npages: { number: page }\nconcurrency: 8\nonError: skip\ntimeout: 1h\n"
    _ = try folder.write(spec, to: "n.yaml")
    let result = try await Shell.run("printf '\"a\"\\n\"b\"\\n\"c\"\\n' | pagecat n.yaml", in: folder.path)
    #expect(result.output == ["a", "b", "c"].flatMap { name in (1...3).map { "\"/\(name)\($0)\"\n" } }.joined())
    let targets = server.requests.map(\.target)
    #expect(Set(targets).count == targets.count, "\(targets.sorted())")
  }

  @Test("totals bound what is fetched ahead")
  func totals() async throws {
    let server = try LoopbackServer { request in
      let start = Int(request.target.split(separator: "=")[1]) ?? 0
      return .json("{\"total\":5,\"n\":[\((start..<min(start + 2, 5)).map(String.init).joined(separator: ","))]}")
    }
    let folder = try TemporaryFolder()
    let spec = """
      endpoint: \(server.origin)/n
      contentIdentifier: n
      pages: { offset: from, totalRecords: body.total }
      concurrency: 8
      """
    _ = try folder.write(spec, to: "n.yaml")
    #expect(try await Shell.run("pagecat n.yaml", in: folder.path).output == "0\n1\n2\n3\n4\n")
    #expect(server.requests.map(\.target).sorted() == ["/n?from=0", "/n?from=2", "/n?from=4"])
  }

  @Test("no more requests are in flight than `concurrency` says", arguments: [1, 2, 5])
  func bound(_ concurrency: Int) async throws {
    let server = try LoopbackServer { request in .json("[\"\(request.path)\"]") }
    let folder = try TemporaryFolder()
    _ = try folder.write(spec.replacingOccurrences(of: "SERVER", with: server.origin), to: "item.yaml")
    let result = try await Shell.run("seq 1 50 | pagecat item.yaml --concurrency \(concurrency)", in: folder.path)
    #expect(result.output == (1...50).map { "\"/item/\($0)\"\n" }.joined())
    #expect(server.mostConcurrent <= concurrency)
  }
}
