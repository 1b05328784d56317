// What a report reads of a recording.

import Foundation
import TestSupport
import Testing

@testable import Fetching

@Suite("A recording that is read for a report")
struct RecordingReaderTests {
  private static let text = #"""
    {"log": {"version": "1.2", "creator": {"name": "Firefox", "version": "115"}, "entries": [
      {"startedDateTime": "2024-05-01T12:00:01.250+02:00", "time": 12.5,
       "request": {"method": "get", "url": "https://a.test/x?y=1"},
       "timings": {"blocked": 1, "dns": 2, "connect": 3, "ssl": 2.5, "send": 0.5, "wait": 10, "receive": 1.5},
       "response": {"status": 429, "content": {"size": 17, "text": "body"}}},
      {"startedDateTime": "2024-05-01T10:00:02Z", "request": {"method": "GET", "url": "data:text/plain,x"}},
      {"startedDateTime": "then", "time": 250, "request": {"method": "GET", "url": "https://a.test/y"},
       "timings": {"blocked": -1, "wait": "long", "receive": -1}, "response": {"status": 0, "_error": "net::ERR_FAILED"}}
    ]}}
    """#

  private func read(_ bytes: [UInt8], by size: Int = .max) throws -> RecordingReader {
    var reader = RecordingReader(name: "x.har")
    var rest = bytes[...]
    repeat {
      try reader.read(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    } while !rest.isEmpty
    _ = try reader.finish()
    return reader
  }

  @Test("has the times of a browser's entries, whose parts may be unknown or wrong")
  func browser() throws {
    let requests = try read(Array(Self.text.utf8)).requests
    #expect(requests.map(\.url) == ["https://a.test/x?y=1", "https://a.test/y"])
    #expect(requests[0].method == "GET")
    #expect(requests[0].started == 1_714_557_601.25)
    // TLS is part of connecting, and not counted twice.
    #expect(requests[0].times.map { ($0 * 1e6).rounded() } == [0, 0, 1_000, 5_000, 10_500, 1_500])
    #expect((requests[0].status, requests[0].bytes, requests[0].error) == (429, 17, nil))
    #expect(requests[1].started == nil)
    #expect(requests[1].times == [0, 0, 0, 0, 0.25, 0])
    #expect((requests[1].status, requests[1].error) == (0, "net::ERR_FAILED"))
  }

  @Test("is the same packed and in pieces of any size", arguments: [1, 2, 3, 7, 100])
  func pieces(_ size: Int) throws {
    let whole = try read(Array(Self.text.utf8)).requests
    #expect(try read(Array(Self.text.utf8), by: size).requests == whole)
    #expect(try read(gzip(Array(Self.text.utf8)), by: size).requests == whole)
  }

  @Test("has no more of a long text than is shown")
  func long() throws {
    let url = "https://a.test/" + String(repeating: "é", count: 1_000_000)
    let text = #"{"log":{"entries":[{"request":{"method":"GET","url":"\#(url)"},"_job":"\#(url)"}]}}"#
    let request = try #require(try read(Array(text.utf8)).requests.first)
    #expect(request.url.unicodeScalars.count == 401 && request.url.hasSuffix("é…"))
    #expect(request.job?.unicodeScalars.count == 201)
  }

  @Test(
    "is refused at the place of the mistake",
    arguments: [
      ("", "'x.har' is not a HAR file: at line 1, column 1, there is no value, the text is empty\(ReplayError.advice)"),
      ("{}", "'x.har' has no /log/entries, so it is not a HAR file\(ReplayError.advice)"),
      (#"{"log":{"entries":null}}"#, "'x.har' has no /log/entries, so it is not a HAR file\(ReplayError.advice)"),
      (
        #"{"log":{"entries":{"request":1}}}"#,
        "'x.har' has no /log/entries, so it is not a HAR file\(ReplayError.advice)"
      ),
      (#"{"log":{"entries":[{"time":1}]}}"#, "'x.har', /log/entries/0: an entry without a request"),
      (
        #"{"log":{"entries":[{"request":{"method":"GET"}},{"time":1}]}}"#,
        "'x.har', /log/entries/0/request: a request without a URL"
      ),
      (
        #"{"log":{"entries":[{"request":{"url":"http://a"}}]}}"#,
        "'x.har', /log/entries/0/request: a request without a method"
      ),
    ])
  func mistakes(_ text: String, _ problem: String) {
    let error = #expect(throws: ReplayError.self) { try read(Array(text.utf8)) }
    #expect(error?.problem == problem)
    // A replay says the same.
    #expect(throws: ReplayError(problem: problem)) { try ReplayTransport(har: Array(text.utf8), name: "x.har") }
  }

  @Test("counts the entries that can't be read, if another one can")
  func unread() throws {
    let entries =
      #"{"request":{"method":"GET","url":"http://a"}},{"request":{"method":"GET"}},{},{"request":{"method":"GET","url":"data:,a"}}"#
    var reader = RecordingReader(name: "x.har")
    try reader.read(Array(#"{"log":{"entries":[\#(entries)]}}"#.utf8))
    _ = try reader.finish()
    #expect(reader.requests.count == 1 && reader.unreadCount == 2 && reader.otherCount == 1)
  }

  @Test("is refused where it was cut short, packed or not", arguments: [1, 40, 400])
  func cut(_ missing: Int) throws {
    let bytes = Array(Self.text.utf8)
    let error = #expect(throws: ReplayError.self) { try read(Array(bytes.dropLast(missing))) }
    #expect(error?.problem.hasPrefix("'x.har' is not a HAR file: at line ") == true)
    #expect(throws: ReplayError(problem: "'x.har' is packed, and was cut short")) {
      try read(Array(gzip(bytes).dropLast(missing)))
    }
  }

  @Test("may have no entries")
  func empty() throws {
    #expect(try read(Array(#"{"log":{"entries":[]}}"#.utf8)).requests.isEmpty)
  }
}
