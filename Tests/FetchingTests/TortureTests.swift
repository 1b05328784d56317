import CCurl
import TestSupport
import Testing
import Wire

@testable import Fetching

/// Each test runs in a process of its own, because the fault that it plants would hit whoever comes first.
@Suite("Every call that can fail fails once", .limitedConcurrency, .timeLimit(.minutes(20)))
struct TortureTests {
  @Test("a libcurl that can't be opened is a fault that says so, and the next attempt may open it")
  func opening() async {
    await #expect(processExitsWith: .success) {
      var number = 0
      while true {
        number += 1
        ccurl_faults_arm(number)
        let library = try? CurlLibrary(named: CurlLibrary.names)
        let hasFailed = ccurl_faults_disarm()
        guard hasFailed else { break }
        // The first of two names may fail where the second is there too.
        if let library { _ = await CurlTransport(library).fault(of: .get("http://127.0.0.1:1/")) }
      }
      try #require(number > 20)
    }
  }

  @Test("an exchange comes to its end: the reply is whole, or there is a fault, and no handle is left")
  func exchanging() async {
    await #expect(processExitsWith: .success) {
      let text = String(repeating: "0123456789", count: 30_000)
      let server = try LoopbackServer(["/plain": .json(text), "/gzip": .gzipped(text)])
      let library = CurlLibrary(failing: try CurlLibrary.system.get())
      var faults: [TransportError.Kind: Int] = [:]
      for (path, body) in [("/plain", nil), ("/gzip", Request.Body(bytes: [1, 2, 3], redacted: ""))] {
        var number = 0
        var hasFailed = true
        while hasFailed {
          number += 1
          var request = Request.get(server.url(path))
          request.timeout = .seconds(5)
          request.body = body
          request.method = body == nil ? "GET" : "POST"
          request.fields.append("X-One", "1")
          ccurl_faults_arm(number)
          do {
            let reply = try await CurlTransport(library).fetch(request)
            try #require(reply.text == text)
          } catch let fault as TransportError {
            try #require(fault.problem.isEmpty == false)
            faults[fault.kind, default: 0] += 1
          }
          hasFailed = ccurl_faults_disarm()
          while ccurl_faults_live() > 0 { await Task.yield() }
        }
        try #require(number > 30)
      }
      try #require(faults.values.reduce(0, +) > 40)
      try #require(faults[.cancelled] == nil)
    }
  }
}
