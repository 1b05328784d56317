// A pager that is resumed from bookmarks is the one that made them.

import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct PagerResumeTests {
  struct Stream: CustomTestStringConvertible {
    let name: String
    let kind: Pages.Kind
    var body: TemplateValue?
    let pages: [Sent]
    var testDescription: String { name }
  }

  private static func named(_ next: String?, records: Int = 1) -> Sent {
    Sent(records: records, body: next.map { ["n": $0] } ?? [:])
  }

  static let streams: [Stream] = [
    Stream(
      name: "number", kind: .number(item: .query("p"), start: 3),
      pages: [Sent(records: 2, body: ["t": "9"]), Sent(records: 2), Sent(records: 1), Sent(records: 0)]),
    Stream(
      name: "number that is ignored", kind: .number(item: .query("p"), start: 1),
      pages: [Sent(content: "a"), Sent(content: "b"), Sent(content: "b")]),
    Stream(
      name: "number that is redirected to page one", kind: .number(item: .query("p"), start: 1),
      pages: [Sent(content: "a"), Sent(content: "b"), Sent(content: "a", url: "https://h/x")]),
    Stream(
      name: "pages of another kind", kind: .number(item: .query("p"), start: 1),
      pages: [Sent(kind: "array"), Sent(kind: "array"), Sent(kind: "object")]),
    Stream(
      name: "empty pages that say nothing", kind: .number(item: .query("p"), start: 1),
      pages: [Sent(body: ["d": "false"]), Sent(records: 0), Sent(records: 0), Sent(body: ["d": "true"])]),
    Stream(
      name: "elements without records, and one with several", kind: .number(item: .query("p"), start: 1),
      pages: [
        Sent(records: 5, items: 2, body: ["t": "6"]), Sent(records: 0, items: 2), Sent(records: 0, items: 1),
        Sent(records: 3, wrapped: 3),
      ]),
    Stream(
      name: "pages that overlap", kind: .offset(item: .query("p"), start: 0),
      pages: [
        Sent(records: 2, content: "a", hashes: [1, 2]), Sent(records: 2, content: "b", hashes: [2, 3]),
        Sent(records: 2, content: "c", hashes: [4, 5]), Sent(records: 0),
      ]),
    Stream(
      name: "totals that shrink", kind: .number(item: .query("p"), start: 1),
      pages: [Sent(body: ["t": "3"]), Sent(body: ["t": "2"]), Sent(body: ["t": "1"])]),
    Stream(
      name: "null between full pages", kind: .offset(item: .query("p"), start: 0),
      pages: [
        Sent(body: ["t": "5"]), Sent(records: 0, isNull: true), Sent(content: "a"), Sent(records: 0, isNull: true),
        Sent(records: 0, isNull: true),
      ]),
    Stream(
      name: "offset in a body", kind: .offset(item: .body(["from"]), start: 0), body: ["a": "${env.KEY}"],
      pages: [Sent(records: 2), Sent(records: 2), Sent(records: 1), Sent(records: 2), Sent(records: 0)]),
    Stream(
      name: "cursor", kind: .cursor(item: .query("c"), from: "${body.n}"),
      pages: [named("1.50"), named("[\"a\",2]", records: 0), named("\"s3cr et/1\""), named(nil)]),
    Stream(
      name: "cursor in a body, in a circle", kind: .cursor(item: .body(["c"]), from: "${body.n}"), body: ["q": 1],
      pages: [named("\"a\""), named("{\"x\":\"\\u0001\"}"), named("\"b\""), named("\"a\"")]),
    Stream(
      name: "several cursors, in a circle",
      kind: .cursor(
        item: .query("c"), from: "${body.n}", others: [Pages.Cursor(item: .body(["q"]), from: "${headers.x-q?}")]),
      body: ["q": 1],
      pages: [named("\"s3cr et/1\""), named("[\"a\",2]"), named("\"b\"", records: 0), named("\"s3cr et/1\"")]),
    Stream(
      name: "next with a secret", kind: .next("${body.n}"),
      pages: [named("\"?key=s3cr%20et%2F1&p=2\""), named("\"/x/s3cr%20et%2F1\""), named("\"?p=4\""), named("null")]),
    Stream(
      name: "next in a circle", kind: .next("${body.n}"),
      pages: [named("\"/a\""), named("\"/b\""), named("\"/c\"", records: 0), named("\"/a\"")]),
    Stream(
      name: "empty next that names itself", kind: .next("${body.n}"),
      pages: [named("\"/a\""), named("\"/a\"", records: 0)]),
    Stream(
      name: "link to another origin", kind: .link(relation: "next", in: nil),
      pages: [
        Sent(headers: [("Link", "<https://o/y>;rel=next")]), Sent(headers: [("Link", "<https://h/z>;rel=next")]),
        Sent(),
      ]),
  ]

  /// Steps through pages of which some must be smaller, and resumes behind each.
  private func shrunk(
    _ kind: Pages.Kind, _ endpoint: Template, _ sent: [Sent?], _ change: (inout Job) -> Void = { _ in }
  ) throws -> [String] {
    let plan = try plan(kind, endpoint) { job in
      job.pages?.smallest = 2
      change(&job)
    }
    let fresh = plan.pager(first: try plan.request(for: nil), record: nil, secrets: SecretStore([]))
    var (pager, number) = (fresh, 0)
    var bookmarks: [PagerBookmark] = []
    var urls: [String] = []
    for page in sent {
      guard case .next(let request) = pager.step else { break }
      urls.append(String(request.url.text.drop { $0 != "?" }))
      guard let page else {
        urls[urls.count - 1] += pager.shrink() == nil ? " stays" : ""
        continue
      }
      number += 1
      try pager.next(after: page.pageFacts(number: number, of: request))
      bookmarks += [try #require(pager.bookmark().flatMap { PagerBookmark($0.json) })]
      let resumed = try #require(fresh.resumed(from: bookmarks))
      #expect(resumed.step == pager.step)
      #expect(resumed.bookmark() == pager.bookmark())
      #expect(resumed.requestBefore?.url.text == pager.requestBefore?.url.text)
    }
    if case .end(let end) = pager.step { urls.append("\(end)") }
    return urls
  }

  @Test("A page that fails is asked for with half its size, from the same record on, also after it was resumed")
  func smaller() throws {
    func full(_ count: Int, _ letter: String) -> Sent { Sent(records: count, content: letter) }
    #expect(
      try shrunk(
        .offset(item: .query("o"), start: 0), "https://h/x?limit=9", [full(9, "a"), nil, nil, full(2, "b"), nil])
        == ["?limit=9&o=0", "?limit=9&o=9", "?limit=4&o=9", "?limit=2&o=9", "?limit=2&o=11 stays"])
    #expect(
      try shrunk(
        .number(item: .query("p"), start: 1), "https://h/x?per_page=25",
        [full(25, "a"), full(25, "b"), nil, nil, full(5, "c"), full(4, "d")]
      ) { $0.pages?.until = [.short] } == [
        "?per_page=25&p=1", "?per_page=25&p=2", "?per_page=25&p=3", "?per_page=10&p=6", "?per_page=5&p=11",
        "?per_page=5&p=12", #"complete("short page 4")"#,
      ])
    // The server gives fewer than it is asked for, so that the next page may begin anywhere.
    #expect(
      try shrunk(.number(item: .query("p"), start: 1), "https://h/x?size=100", [full(50, "a"), nil])
        == ["?size=100&p=1", "?size=100&p=2 stays"])
    #expect(
      try shrunk(
        .next("${body.n}"), "https://h/x?first=8", [nil, Self.named("\"?first=4&c=2\""), nil, Self.named(nil)])
        == ["?first=8", "?first=4", "?first=4&c=2", "?first=2&c=2", #"complete("no next page on page 2")"#])
  }

  @Test(
    "Resumed behind any page, it makes the same requests, ends the same way and sees the same circles",
    arguments: streams)
  func resumes(stream: Stream) throws {
    let plan = try plan(stream.kind, body: stream.body) { job in
      job.hosts = [.init(scheme: "https", host: "o", port: 443)]
      job.headers = [.init(name: "X-Key", value: "${env.KEY}")]
      job.pages?.totalRecords = "${body.t}"
      job.pages?.until = ["body.d"]
    }
    let fresh = plan.pager(first: try plan.request(for: nil), record: nil, secrets: SecretStore(["s3cr et/1"]))
    var pager = fresh
    var bookmarks: [JSONValue] = []
    for (index, page) in stream.pages.enumerated() {
      guard case .next(let request) = pager.step else { break }
      var resumed = try #require(fresh.resumed(from: bookmarks.compactMap { PagerBookmark($0) }))
      #expect(plain(resumed.step) == plain(pager.step))
      #expect(resumed.request(ofPage: index + 2) == pager.request(ofPage: index + 2))
      let pageFacts = page.pageFacts(number: index + 1, of: request)
      #expect(outcome(&resumed, pageFacts).map(plain) == outcome(&pager, pageFacts).map(plain))
      #expect(resumed.bookmark() == pager.bookmark())
      #expect(resumed.requestBefore == pager.requestBefore)
      if let bookmark = pager.bookmark() { bookmarks.append(bookmark.json) }
    }
    #expect(!bookmarks.isEmpty && !bookmarks.contains { $0.text.contains("s3cr") })
    if case .end = pager.step {
      #expect(fresh.resumed(from: bookmarks.compactMap { PagerBookmark($0) })?.step == pager.step)
    } else {
      #expect(pager.bookmark() == nil)
    }
  }

  /// A pager that was resumed may know of secrets what only others knew before.
  private func plain(_ step: Pager.Step) -> Pager.Step {
    guard case .next(var request) = step else { return step }
    request.url.redacted = request.url.text
    return .next(request)
  }

  private func outcome(_ pager: inout Pager, _ pageFacts: PageFacts) -> Result<Pager.Step, PagingError> {
    do throws(PagingError) {
      return .success(try pager.next(after: pageFacts))
    } catch {
      return .failure(error)
    }
  }

  @Test("A resumed pager by number or offset asks for its last page again, and notices that the page has changed")
  func moved() throws {
    for (kind, before) in [
      (Pages.Kind.number(item: .query("p"), start: 1), "?p=2"), (.offset(item: .query("p"), start: 0), "?p=2"),
    ] {
      let plan = try plan(kind)
      let fresh = plan.pager(first: try plan.request(for: nil), record: nil)
      var pager = fresh
      var bookmarks: [PagerBookmark] = []
      for number in 1...2 {
        try pager.next(after: Sent(records: 2).pageFacts(number: number, of: nil))
        bookmarks.append(try #require(pager.bookmark()))
      }
      var resumed = try #require(fresh.resumed(from: bookmarks))
      #expect(resumed.requestBefore?.url.text == "https://h/x\(before)")
      let isSame = resumed.confirm(Sent(records: 2).pageFacts(number: 2, of: nil))
      #expect(isSame)
      let isOther = resumed.confirm(Sent(records: 2, content: "other").pageFacts(number: 2, of: nil))
      #expect(!isOther)
    }
    let linked = try plan(.next("${body.n}"))
    #expect(linked.pager(first: try linked.request(for: nil), record: nil).requestBefore == nil)
  }

  @Test("A total that no key reads is known behind a bookmark as well")
  func unreadTotal() throws {
    let plan = try plan(.number(item: .query("p"), start: 1))
    let fresh = plan.pager(first: try plan.request(for: nil), record: nil)
    var pager = fresh
    try pager.next(after: Sent(body: ["total": "4", "pages": "4"]).pageFacts(number: 1, of: nil))
    var resumed = try #require(fresh.resumed(from: [pager.bookmark()].compactMap { $0 }))
    try resumed.next(after: Sent(records: 0).pageFacts(number: 2, of: nil))
    #expect(resumed.doubt?.reason.contains("after 1 record, but the first page has 'total' of 4") == true)
  }

  @Test("A secret of 'auth' that the server says again has a name of its own in a bookmark")
  func ownSecret() throws {
    func plan(_ key: String) throws -> JobPlan {
      try FetchPlanTests.plan(.next("${body.n}")) { job in
        job.auth = Job.Auth(
          kind: .named(headers: [], items: [.init(name: "k", value: Template(stringLiteral: key))]),
          position: job.position)
      }
    }
    let secrets = SecretStore(["sekret/key1"])
    let first = try plan("sekret/key1")
    var pager = first.pager(first: try first.request(for: nil), record: nil, secrets: secrets)
    try pager.next(after: Self.named("\"?p=2&k=sekret%2Fkey1&l=sekret/key1\"").pageFacts(number: 1, of: nil))
    let bookmark = try #require(pager.bookmark())
    #expect(bookmark.json.text.contains("?p=2&k=${auth.0%}&l=${auth.0}"))
    // Another key by now: it is that one which is sent.
    let second = try plan("other")
    let resumed = second.pager(first: try second.request(for: nil), record: nil, secrets: SecretStore(["other"]))
      .resumed(from: [bookmark])
    guard case .next(let request)? = resumed?.step else {
      Issue.record("no request")
      return
    }
    #expect(request.url.text == "https://h/?p=2&k=other&l=other")
    #expect(!request.url.redacted.contains("other"))
  }

  @Test(
    "A server's text that looks like the name of a secret is not written down: a resumed run would send the secret",
    arguments: ["env.KEY", "auth.0", "param.host", "param.host%"])
  func namesAsText(name: String) throws {
    let plan = try plan(.next("${body.n}")) { job in
      job.hosts = [.init(scheme: "https", host: "o", port: 443)]
      job.headers = [.init(name: "X-Api-Key", value: "${param.host}"), .init(name: "X-Key", value: "${env.KEY}")]
    }
    let secrets = SecretStore(["eu-1", "s3cr et/1"])
    var pager = plan.pager(first: try plan.request(for: nil), record: nil, secrets: secrets)
    try pager.next(after: Self.named("\"https://o/p2\"").pageFacts(number: 1, of: nil))
    #expect(pager.bookmark() != nil)
    try pager.next(after: Self.named("\"https://o/p3?x=${\(name)}\"").pageFacts(number: 2, of: nil))
    #expect(pager.bookmark() == nil)
  }

  @Test("Where a secret that has no name would be written down, there is no bookmark")
  func unknownSecret() throws {
    let plan = try plan(.next("${body.n}"))
    var pager = plan.pager(first: try plan.request(for: nil), record: nil, secrets: SecretStore(["token-123"]))
    #expect(pager.bookmark() == nil)
    try pager.next(after: Self.named("\"?t=token%2D123\"").pageFacts(number: 1, of: nil))
    #expect(pager.bookmark() == nil)
    try pager.next(after: Self.named("\"?t=2\"").pageFacts(number: 2, of: nil))
    #expect(pager.bookmark()?.page == 2)
  }

  @Test("Bookmarks of another kind of stream, or none at all, are refused")
  func mismatch() throws {
    let number = try plan(.number(item: .query("p"), start: 1))
    var pager = number.pager(first: try number.request(for: nil), record: nil)
    try pager.next(after: Sent().pageFacts(number: 1, of: nil))
    let bookmark = try #require(pager.bookmark())
    let next = try plan(.next("${body.n}"))
    #expect(next.pager(first: try next.request(for: nil), record: nil).resumed(from: [bookmark]) == nil)
    for text in ["{}", "1", #"{"page":1,"records":1,"first":1,"count":1,"hash":1,"visited":[]}"#] {
      #expect(PagerBookmark(.record(text)) == nil)
    }
  }

  @Test("Fingerprints are the same in every process")
  func stable() {
    let request = Request(method: "GET", url: Redactable("https://h/x?page=2"))
    #expect(request.fingerprint == -5_253_920_617_474_724_097)
  }
}
