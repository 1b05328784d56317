// The page of a report: facts about it, not its looks.

import Fetching
import JSONText
import TestSupport
import Testing

@testable import Engine
@testable import RunReport

@Suite("The page of a report")
struct RunReportTests {
  private func page(_ requests: [RecordedRequest], run: String? = nil) throws -> String {
    let run = try run.map { try JSONValue(parsing: Array($0.utf8)) }
    return String(decoding: RunReport(name: "dir/run.har", requests, run: run, creator: nil).html, as: UTF8.self)
  }

  private func count(_ text: String, in page: String) -> Int { page.ranges(of: text).count }

  @Test("has one bar for each phase of each request, and marks for retries and refusals")
  func bars() throws {
    let requests = [
      recorded(job: "a", at: 0, [.connect: 1, .wait: 2, .receive: 3]),
      recorded(job: "a", at: 10, status: 429, [.wait: 2, .receive: 1]),
      recorded(job: "a", at: 20, attempt: 2, [.retry: 4, .rate: 1, .wait: 2]),
    ]
    let page = try page(requests)
    // One more of each is in the legend.
    for (phase, expected) in zip(RecordedRequest.Phase.allCases, [1, 1, 0, 1, 3, 2]) {
      #expect(count("class=\"p\(phase.rawValue)\"", in: page) == (expected > 0 ? expected + 1 : 0), "\(phase)")
    }
    #expect(count("<b>429</b>", in: page) == 1)
    #expect(count("<b>retry 1</b>", in: page) == 1)
    #expect(count("<g><title>", in: page) == 3)
    #expect(page.contains("<dt>Retries</dt><dd class=\"o\">1</dd>"))
    #expect(page.contains("<dt>Status 429</dt><dd class=\"o\">1</dd>"))
  }

  @Test(
    "says how the run ended, if the recording does",
    arguments: [
      ("complete", "complete\"><strong>✓ complete</strong> Every record came. (exit code 0)</p>"),
      ("capped", "capped\"><strong>■ capped</strong> A limit of the user ended the run, as intended. (exit code 0)"),
      ("short", "short\"><strong>▲ short</strong> Something says that the records are not the whole set. (exit"),
      (
        "failed",
        "failed\"><strong>✕ failed</strong> The run ended early. (exit code 0)<span class=\"reason o\">a &lt;b&gt;</span>"
      ),
    ])
  func verdict(_ verdict: String, _ expected: String) throws {
    let reason = verdict == "failed" ? "a <b>" : ""
    let run = #"""
      {"verdict":"\#(verdict)","reason":"\#(reason)","records":1234567,"pages":2,"exit":0,
      "started":"1970-01-01T00:00:00.000Z","timeline":[[0,1,20],[500,2,1234567]],
      "jobs":[{"name":"a","pages":2,"records":40}]}
      """#
    let page = try page([recorded(job: "a", at: 0)], run: run)
    #expect(page.contains("<p class=\"verdict \(expected)"))
    #expect(page.contains("<dt>Records</dt><dd class=\"o\">1,234,567</dd>"))
    #expect(page.contains("<figcaption>Records: 1,234,567</figcaption>"))
    #expect(page.contains("<figcaption>Pages: 2</figcaption>"))
    #expect(page.contains("<td class=\"n\">40</td><td class=\"n\">2</td><td class=\"n\">1</td>"))
  }

  @Test("has the spec's name as its title, and names the recording among the figures")
  func title() throws {
    let run = #"{"verdict":"complete","name":"co<b>ins"}"#
    let page = try page([recorded(at: 0)], run: run)
    #expect(page.contains("<title>co&lt;b&gt;ins: report of a run</title>"))
    #expect(page.contains("<h1 class=\"o\">co&lt;b&gt;ins</h1>"))
    #expect(page.contains("<dt>Recording</dt><dd class=\"o\">run.har</dd>"))
    let old = try self.page([recorded(at: 0)], run: #"{"verdict":"complete"}"#)
    #expect(old.contains("<h1 class=\"o\">run.har</h1>"))
    #expect(!old.contains("<dt>Recording</dt>"))
  }

  @Test("lists failed requests first, then those that succeeded at a later attempt, a row each")
  func troubles() throws {
    var refused = recorded("https://a.test/b", job: "a", at: 3, status: 0)
    (refused.error, refused.errorKind) = ("no <route>", "timeout")
    let requests = [
      recorded("https://a.test/a", job: "a", at: 0, status: 503, [.wait: 1]),
      recorded("https://a.test/a", job: "a", at: 1, attempt: 2, status: 429, [.retry: 1, .wait: 1]),
      recorded("https://a.test/a", job: "a", at: 2, attempt: 3, [.retry: 2, .wait: 1]),
      refused, recorded("https://a.test/c", job: "a", at: 4),
    ]
    #expect(Trouble.all(of: requests).map(\.attempts) == ["timeout", "503, 429, 200"])
    #expect(Trouble.all(of: requests).map(\.number) == [4, 1])
    #expect(Trouble.all(of: requests).last?.seconds == 6)
    let page = try page(requests)
    let table = try #require(page.firstRange(of: "<h2>Failed and repeated requests</h2>"))
    let rest = try #require(page.firstRange(of: "<h2>Over time</h2>"))
    #expect(table.upperBound < rest.lowerBound)
    #expect(page.contains("timeout <b class=\"bad\">failed</b></td>"))
    #expect(page.contains("<td class=\"o url\">no &lt;route&gt;</td></tr>"))
    #expect(!page.contains("No request failed"))
    #expect(try self.page([recorded(at: 0)]).contains("<p>No request failed, and none was repeated.</p>"))
  }

  @Test("lists the slowest requests only if one takes a second, and twice the median")
  func slowest() throws {
    func times(_ seconds: [Double]) -> [RecordedRequest] {
      seconds.enumerated().map { recorded(at: Double($0.offset) * 10, [.wait: $0.element]) }
    }
    #expect(RunReport.slow(among: times([0.1, 0.1, 0.9])).isEmpty)
    #expect(RunReport.slow(among: times([1, 1, 1.9])).isEmpty)
    #expect(RunReport.slow(among: times([5])).isEmpty)
    #expect(RunReport.slow(among: times([1, 2, 1, 3, 0.5])).map(\.offset) == [3, 1])
    #expect(try page(times([1, 1, 1.9])).contains("Slowest requests") == false)
    #expect(try page(times([1, 1, 2])).contains("<h2>Slowest requests</h2>"))
  }

  @Test("shows the verdict of each stream, and adds up the figures of steps with one name")
  func streams() throws {
    let run = #"""
      {"verdict":"short","name":"many","streams":[{"name":"x","verdict":"complete","reason":"","records":3,"pages":1},
      {"name":"y","verdict":"short","reason":"y: <less>","records":4,"pages":2},1],
      "jobs":[{"name":"a","pages":1,"records":3},{"name":"a","pages":2,"records":4}]}
      """#
    let page = try page([recorded(job: "a", at: 0)], run: run)
    #expect(page.contains("<th scope=\"row\" class=\"o\">x</th><td class=\"complete\">✓ complete</td>"))
    #expect(page.contains("<td class=\"short\">▲ short</td><td class=\"n\">4</td><td class=\"n\">2</td>"))
    #expect(page.contains("<td class=\"o url\">y: &lt;less&gt;</td></tr>"))
    #expect(page.contains("<td class=\"n\">7</td><td class=\"n\">3</td><td class=\"n\">1</td>"))
    #expect(try self.page([recorded(at: 0)], run: #"{"verdict":"short"}"#).contains("Streams") == false)
  }

  @Test("says that another program's recording has no verdict", arguments: [nil, "1", "{}", #"{"verdict":"great"}"#])
  func noVerdict(_ run: String?) throws {
    let page = try page([recorded()], run: run)
    #expect(page.contains("This recording does not say how its run ended."))
    #expect(!page.contains("<dt>Records</dt>"))
    #expect(page.contains("<figcaption>Responses: 1</figcaption>"))
  }

  @Test("of 10,000 requests is smaller than 5 MB, and of a million not much larger")
  func size() throws {
    let url = "https://a.test/" + String(repeating: "<", count: 400)
    func requests(_ count: Int) -> [RecordedRequest] {
      (0..<count).map {
        recorded(url, job: url + "\($0 % 150)", at: Double($0), attempt: 2, status: 500, [.retry: 1, .wait: 1])
      }
    }
    #expect(try page(requests(1_000)).utf8.count < 5_000_000)
    #expect(try page(requests(10_000)).utf8.count < 2_000_000)
    #expect(try page(requests(50_000)).utf8.count < 2_000_000)
  }

  @Test("without requests says so")
  func empty() throws {
    let page = try page([])
    #expect(page.contains("<p>The recording has no requests by http or https.</p>"))
    #expect(!page.contains("<svg"))
    #expect(page.contains("<html lang=\"en\">") && page.contains("<title>run.har: report of a run</title>"))
  }

  @Test("has no script, and nothing from elsewhere, whatever a recording says")
  func hostile() throws {
    let bad = "</script></title><script src='https://e.test/x'>alert(1)</script>\u{202E}\u{0}\u{1B}[31m\"' onload=\"x"
    var request = recorded("https://a.test/" + bad, job: bad, status: 0)
    (request.method, request.error, request.errorKind) = (bad, bad, bad)
    let name = JSONValue(bad).text
    let run = #"{"verdict":"failed","reason":\#(name),"jobs":[{"name":\#(name)}],"started":\#(name)}"#
    let value = try JSONValue(parsing: Array(run.utf8))
    let report = RunReport(name: bad, [request], run: value, creator: JSONValue(members: [("name", JSONValue(bad))]))
    let page = String(decoding: report.html, as: UTF8.self)
    for part in ["<script", "</script", "\u{202E}", "\u{0}", "\u{1B}", " onload=\"", "='https", "url("] {
      #expect(!page.contains(part), "\(part)")
    }
    #expect(page.contains("&lt;script src=&#39;https:"))
    #expect(page.contains("⟨U+202E⟩⟨U+0000⟩⟨U+001B⟩[31m&quot;&#39; onload=&quot;x"))
  }

  @Test("writes text so that it is only text, and cuts a long one")
  func markup() {
    var markup = Markup()
    markup.element("p", [("title", "a\"b")], "a<b>&'\n\u{2066}\u{FEFF}\u{AD}\u{FFFF}é🙂")
    markup.text(String(repeating: "n", count: 10_000_000))
    let expected =
      "<p title=\"a&quot;b\">a&lt;b&gt;&amp;&#39;⟨U+000A⟩⟨U+2066⟩⟨U+FEFF⟩⟨U+00AD⟩⟨U+FFFF⟩é🙂</p>"
      + String(repeating: "n", count: Markup.textLimit) + "…"
    #expect(String(decoding: markup.bytes, as: UTF8.self) == expected)
  }

  @Test("spells numbers for people")
  func numbers() {
    #expect([0, 999, 1_000, 1_234_567].map(Numbers.grouped) == ["0", "999", "1,000", "1,234,567"])
    let times: [(Double, String)] = [
      (0, "0"), (0.000_4, "0.4 ms"), (0.084, "84 ms"), (0.999_7, "1 s"), (1.236, "1.24 s"), (59.996, "1 min"),
      (200, "3 min 20 s"), (3_599.9, "1 h"), (7_500, "2 h 5 min"), (273_600, "3 d 4 h"), (.infinity, "?"), (1e300, "?"),
    ]
    for (seconds, expected) in times { #expect(Numbers.time(seconds) == expected) }
    #expect(Numbers.percent(1, of: 3) == "33.33%")
    #expect(
      [Numbers.percent(-1, of: 3), Numbers.percent(5, of: 3), Numbers.percent(1, of: 0)] == ["0%", "100%", "0%"])
  }

  @Test("reads a file in pieces; a mistake in it is one of the command line")
  func reading() throws {
    let folder = try TemporaryFolder()
    let entry = #"{"request":{"method":"GET","url":"https://a.test/"},"response":{"content":{"text":"TEXT"}}}"#
    let text = entry.replacing("TEXT", with: String(repeating: "x", count: 300_000))
    let path = try folder.write(#"{"log":{"entries":["# + text + "," + entry + "]}}", to: "a.har")
    #expect(try RunReport(reading: Input(path: path)).requests.count == 2)
    let cut = try folder.write(#"{"log":{"entries":["# + text, to: "b.har")
    let error = #expect(throws: SpecError.self) { try RunReport(reading: Input(path: cut)) }
    #expect(error?.shown.first?.contains("b.har' is not a HAR file: at line 1, column ") == true)
  }
}
