// The address of a job's state, as an answer names it.

import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct StatusURLTests {
  private func address(after location: String, from url: String, method: String = "POST") throws -> String? {
    var request = try plan(.single, Template(url)).request(for: nil)
    request.method = method
    let answer = Sent(headers: [("Location", location)]).pageFacts(number: 1, of: request)
    return try request.statusRequest(after: answer, hiding: SecretStore())?.url.text
  }

  @Test("It is resolved against the URL of the answer, and a GET has none")
  func resolved() throws {
    #expect(try address(after: "jobs/1", from: "https://h/a/b") == "https://h/a/jobs/1")
    #expect(try address(after: "/jobs/1", from: "https://h/a/b", method: "GET") == nil)
    #expect(try address(after: "http://h:8080/jobs/1", from: "https://h/a/b") == "https://h/jobs/1")
    let long = "/" + String(repeating: "x", count: 16_383)
    #expect(try address(after: long, from: "https://h/a") == "https://h" + long)
  }

  static let refused: [(location: String, problem: String)] = [
    ("http://o/1", "page 1 leads to 'http://o/1', from https to http, where anyone could read it; leave 'poll' out"),
    (
      "ftp://h/1",
      "page 1 leads to 'ftp://h/1', which is not an http or https URL that can be fetched: leave 'poll' out"
    ),
    ("/" + String(repeating: "x", count: 16_384), "the answer's 'Location' has 16385 bytes, more than 16384"),
  ]

  @Test("One that may not be requested is an error with advice about 'poll'", arguments: refused)
  func refuses(location: String, problem: String) throws {
    let fault = #expect(throws: PagingError.self) { try address(after: location, from: "https://h/a") }
    #expect(fault?.problem.hasPrefix(problem) == true)
    #expect(fault.map { $0.problem.contains("'pages'") } == false)
  }
}
