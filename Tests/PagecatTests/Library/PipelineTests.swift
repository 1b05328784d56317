import Foundation
import Pagecat
import TestSupport
import Testing

@Suite("A pipeline as a Swift sequence", .limitedConcurrency)
struct PipelineTests {
  struct Coin: Codable, Equatable, Sendable {
    let id: String
    let price: Double
  }

  private func pipeline(
    _ spec: String, _ server: LoopbackServer, _ folder: TemporaryFolder, _ parameters: [String: String] = [:]
  ) throws -> Pipeline {
    let path = try folder.write(spec.replacingOccurrences(of: "SERVER", with: server.origin), to: "spec.yaml")
    return try Pipeline(contentsOf: path, parameters: parameters, environment: [:])
  }

  @Test("records are decoded as they are fetched, page by page, with parameters")
  func records() async throws {
    let server = try LoopbackServer([
      "/coins?in=eur&page=1": .json(#"{"coins":[{"id":"a","price":1.5},{"id":"b","price":2}]}"#),
      "/coins?in=eur&page=2": .json(#"{"coins":[{"id":"c","price":3}]}"#),
      "/coins?in=eur&page=3": .json(#"{"coins":[]}"#),
    ])
    let folder = try TemporaryFolder()
    let spec = """
      params: { currency: usd }
      endpoint: SERVER/coins
      query: { in: "${param.currency}" }
      contentIdentifier: coins
      pages: { number: page }
      """
    var coins: [Coin] = []
    for try await coin in try pipeline(spec, server, folder, ["currency": "eur"]).records(as: Coin.self) {
      coins.append(coin)
    }
    #expect(coins == [Coin(id: "a", price: 1.5), Coin(id: "b", price: 2), Coin(id: "c", price: 3)])
  }

  @Test("a mistake in the spec is thrown before anything is requested, with its place")
  func mistake() throws {
    let server = try LoopbackServer([:])
    let folder = try TemporaryFolder()
    #expect {
      _ = try pipeline("endpoint: SERVER/x\npagse: 1\n", server, folder)
    } throws: { error in
      let text = (error as? SpecError)?.description ?? ""
      return text.contains("spec.yaml:2:1: error: unknown key 'pagse'") && text.contains("did you mean 'pages'?")
    }
  }

  @Test("a failure is thrown after the records that came before it")
  func failure() async throws {
    let server = try LoopbackServer(["/n?page=1": .json("[1,2]"), "/n?page=2": .json("oh", status: 500)])
    let folder = try TemporaryFolder()
    var numbers: [Int] = []
    do {
      for try await number in try pipeline(
        "endpoint: SERVER/n\npages: {number: page}\nretry: {attempts: 2, wait: 1ms}", server, folder
      ).records(as: Int.self) {
        numbers.append(number)
      }
      Issue.record("the second page must throw")
    } catch {
      #expect(
        error as? NetworkingError
          == .invalidResponseStatus(
            body: "oh",
            .init(
              url: server.url("/n?page=2"), page: 2, status: 500,
              hint: "2 attempts; try again later, or raise 'attempts' in 'retry'")))
    }
    #expect(numbers == [1, 2])
  }

  @Test("an end with less than there is, is no quiet end")
  func short() async throws {
    let server = try LoopbackServer([
      "/n?page=1": .json(#"{"all":2,"n":[1]}"#), "/n?page=2": .json(#"{"all":2,"n":[]}"#),
    ])
    let folder = try TemporaryFolder()
    let spec = "endpoint: SERVER/n\ncontentIdentifier: n\npages: { number: page, totalRecords: body.all }"
    var numbers: [Int] = []
    do {
      for try await number in try pipeline(spec, server, folder).records(as: Int.self) { numbers.append(number) }
      Issue.record("the end must throw")
    } catch {
      #expect((error as? IncompleteError)?.verdict == .short)
    }
    #expect(numbers == [1])
  }

  @Test("a record that does not decode names its number and what was expected")
  func decoding() async throws {
    let server = try LoopbackServer(["/n": .json(#"[{"id":"a","price":1},{"id":"b"}]"#)])
    let folder = try TemporaryFolder()
    do {
      for try await _ in try pipeline("endpoint: SERVER/n", server, folder).records(as: Coin.self) {}
      Issue.record("the second record must throw")
    } catch NetworkingError.decodingError(let record, _, let expected, _, _) {
      #expect(record == 2)
      #expect(expected.contains("price"))
    }
  }

  @Test("a response that says that there is more than the spec fetches is no quiet end; a limit that was asked for is")
  func more() async throws {
    let server = try LoopbackServer(["/n": .json(#"{"n":[1,2],"links":{"next":"/n?page=2"}}"#)])
    let folder = try TemporaryFolder()
    let spec = "endpoint: SERVER/n\ncontentIdentifier: n\n"
    await #expect {
      for try await _ in try pipeline(spec, server, folder).records(as: Int.self) {}
    } throws: { error in
      let error = error as? IncompleteError
      return error?.verdict == .short && error?.reason.contains("'links.next'") == true
    }
    for try await _ in try pipeline(spec + "pages: one", server, folder).records(as: Int.self) {}
  }

  @Test("who hears that input records were left out hears of the first what was wrong, and which it was")
  func leftOut() async throws {
    let server = try LoopbackServer(["/a": .json("[1]")])
    let folder = try TemporaryFolder()
    let spec = "each: { i: [a, b] }\nendpoint: SERVER/${input.i}\nonError: skip"
    await #expect {
      for try await _ in try pipeline(spec, server, folder).records(as: Int.self) {}
    } throws: { error in
      (error as? IncompleteError)?.reason.hasPrefix(
        "1 input record failed; the first: spec.yaml, input record 2: status 404") == true
    }
    await #expect {
      for try await _ in try pipeline(
        "base: SERVER/\nsteps:\n  - endpoint: a\n  - endpoint: b/${input.none}", server, folder
      ).records(as: Int.self) {}
    } throws: { error in
      (error as? NetworkingError)?.description.contains("spec.yaml:4:17, input record 1: ") == true
    }
  }

  @Test("neither a pipeline that is printed nor a record that does not decode shows a secret")
  func secrets() async throws {
    let server = try LoopbackServer(["/n": .json(#"[{"id":"geheim\u001b"}]"#)])
    let folder = try TemporaryFolder()
    let spec = "endpoint: \(server.origin)/n\nheaders: { X-Key: \"${env.KEY}\" }"
    let path = try folder.write(spec, to: "spec.yaml")
    let pipeline = try Pipeline(contentsOf: path, environment: ["KEY": "geheim", "OTHER": "verborgen"])
    struct Numbered: Decodable { let id: Int }
    let records = pipeline.records(as: Numbered.self)
    var redacted = "\(pipeline) \(records) \(records.makeAsyncIterator())"
    dump((pipeline, records, records.makeAsyncIterator()), to: &redacted)
    #expect(!redacted.contains("geheim") && !redacted.contains("verborgen"))
    await #expect {
      for try await _ in records {}
    } throws: { error in
      guard case .decodingError(1, "id", "Int", let found, _)? = error as? NetworkingError else { return false }
      return found.hasPrefix("a string (\"***") && !found.unicodeScalars.contains("\u{1b}")
    }
  }

  @Test("a cancelled task stops waiting, and its request is given up")
  func cancellation() async throws {
    let server = try LoopbackServer { request in request.path == "/n" ? .json("[1,2,3]") : .hang }
    let folder = try TemporaryFolder()
    let spec = "base: SERVER/\nsteps:\n  - endpoint: n\n  - endpoint: m/${input}\n    concurrency: 2\n    timeout: 1h"
    let pipeline = try pipeline(spec, server, folder)
    let task = Task {
      for try await _ in pipeline.records(as: Int.self) {}
    }
    _ = await server.requests(atLeast: 3)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await server.closedConnections(atLeast: 2)
  }

  @Test("whoever stops iterating stops the requests")
  func dropping() async throws {
    let server = try LoopbackServer { _ in .json("[1,2]") }
    let folder = try TemporaryFolder()
    let spec = "endpoint: SERVER/n\npages: { number: page }\nmaxPages: 1000000\nignore: repeats"
    for try await _ in try pipeline(spec, server, folder).records(as: Int.self) { break }
    #expect(server.requests.count == 1)
  }
}
