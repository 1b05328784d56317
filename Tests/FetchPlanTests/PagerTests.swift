// Pagers, stepped by hand.

import Diagnostics
import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct PagerTests {
  /// Turns pages until the end; what was requested beside how it ended.
  private func turn(
    _ sent: [Sent], url: String = "https://h/x", start: Int = 1, _ change: (inout Pages) -> Void = { _ in }
  ) throws -> (requested: [String], end: Pager.End?) {
    let (plan, _) = try planned(url, start, change)
    let turned = try FetchPlanTests.turn(plan, sent)
    if let fault = turned.fault { throw fault }
    #expect(turned.end == nil || turned.written == sent.count)
    return (turned.urls, turned.end)
  }

  func planned(_ url: String, _ start: Int, _ change: (inout Pages) -> Void) throws -> (JobPlan, Request) {
    let plan = try plan(.number(item: .query("page"), start: start), Template(url)) { change(&$0.pages!) }
    return (plan, try plan.request(for: nil))
  }

  private func pageFacts(_ page: Sent, number: Int) -> PageFacts { page.pageFacts(number: number, of: nil) }

  @Test("A page that was redirected to one that had come does not come out again")
  func redirectedBack() throws {
    let (plan, _) = try planned("https://h/x", 1) { _ in }
    let turned = try FetchPlanTests.turn(
      plan, [Sent(), Sent(), Sent(content: "page 1", url: "https://h/x?page=1"), Sent(records: 0)])
    #expect(turned.written == 2)
    #expect(turned.fault?.problem.contains("redirected to 'https://h/x?page=1'") == true)
    // Another place for the same pages is none of them.
    let moved = try FetchPlanTests.turn(
      plan, [Sent(url: "https://h/y?page=1"), Sent(url: "https://h/y?page=2"), Sent(records: 0)])
    #expect(moved.end == .complete("empty page 3"))
  }

  @Test("A thousand empty pages in a row are an error, unless a limit says how many there may be")
  func onlyEmptyPages() throws {
    let endless = (1...1_100).map { Sent(records: $0 == 1 ? 1 : 0, body: ["next": "\"/p\($0)\""]) }
    let next: (inout Pages) -> Void = { $0.kind = .next("${body.next}") }
    let turned = try FetchPlanTests.turn(try planned("https://h/x", 1, next).0, endless)
    #expect(turned.requests.count == 1_001)
    #expect(
      turned.fault?.problem
        == "the last 1000 pages are empty, and there is always a next one; say where the pages end, by "
        + "'more: last' (a page without records is the last), or how many there may be, by 'maxPages'")
    let limited = try turn(endless) {
      next(&$0)
      $0.limit = 1_100
    }
    #expect(limited.end == .capped(limit: 1_100))
    // So does a total, up to the page that it names.
    func numbered(_ total: String) throws -> Pager.End? {
      let empty = (1...1_100).map { Sent(records: $0 == 1 ? 1 : 0, body: ["pages": total]) }
      return try turn(empty) { $0.totalPages = "${body.pages}" }.end
    }
    #expect(try numbered("1100") == .complete("page 1100 of 1100"))
  }

  @Test("A page that was redirected is as good as any where its content is its own, whatever it names as the next")
  func redirectedOn() throws {
    let (plan, _) = try planned("https://h/x", 1) { $0.kind = .next("${body.n}") }
    // A server that answers all pages at one URL.
    let moved = try FetchPlanTests.turn(
      plan,
      [Sent(body: ["n": "\"?p=2\""]), Sent(body: ["n": "\"?p=3\""], url: "https://h/x"), Sent(url: "https://h/x")])
    #expect(moved.written == 3 && moved.end == .complete("no next page on page 3"))
    // One whose next page is a circle comes out before the fault.
    let circling = try FetchPlanTests.turn(
      plan, [Sent(body: ["n": "\"?p=2\""]), Sent(body: ["n": "\"?p=2\""], url: "https://h/y?p=2")])
    #expect(circling.written == 2)
    // The first one's content at the first one's URL is the first one.
    let again = try FetchPlanTests.turn(
      plan, [Sent(body: ["n": "\"?p=2\""]), Sent(content: "page 1", url: "https://h/x")])
    #expect(again.written == 1 && again.fault?.isSamePage == true)
  }

  // MARK: Requests

  @Test("The item goes up by one from what the request has, and replaces its namesake where it stands")
  func numbers() throws {
    let turned = try turn(
      [Sent(records: 2), Sent(records: 1), Sent(records: 0)], url: "https://h/x?a=1&p%61ge=9&b=2&page=7")
    #expect(turned.requested == (9...11).map { "https://h/x?a=1&page=\($0)&b=2" })
    #expect(turned.end == .complete("empty page 3"))
    let fromZero = try turn([Sent(records: 1), Sent(records: 0)], start: 0)
    #expect(fromZero.requested == ["https://h/x?page=0", "https://h/x?page=1"])
    let named = try turn([Sent(records: 0)]) { $0.kind = .number(item: .query("page[number]"), start: 1) }
    #expect(named.requested == ["https://h/x?page%5Bnumber%5D=1"])
  }

  @Test("An item in the body takes its place there, as a number")
  func body() throws {
    let job = makeJob("x") { job in
      job.body = ["query": "q", "variables": ["key": "${env.ab}", "list": [["page": "3"]]]]
      job.pages = Pages(kind: .number(item: .body(["variables", "list", "0", "page"])), position: job.position)
    }
    let plan = try makePlan(job)
    let first = try plan.request(for: nil)
    #expect(first.body?.bytes == Array(#"{"query":"q","variables":{"key":"x","list":[{"page":3}]}}"#.utf8))
    #expect(first.body?.redacted == #"{"query":"q","variables":{"key":"***","list":[{"page":3}]}}"#)
    var pager = plan.pager(first: first, record: nil)
    guard case .next(let second) = try pager.next(after: pageFacts(Sent(records: 1), number: 1)) else {
      Issue.record("it ended")
      return
    }
    #expect(second.body?.bytes == Array(#"{"query":"q","variables":{"key":"x","list":[{"page":4}]}}"#.utf8))
    #expect(second.url == first.url)
  }

  @Test("A body without a place for the item is a fault, of the spec or of the record")
  func noPlace() throws {
    let paths: [JSONPath] = [["variables", "page"], ["list", "1"], ["text", "page"]]
    for path in paths {
      let job = makeJob("x") { job in
        job.body = ["list": [1], "text": "t"]
        job.pages = Pages(kind: .number(item: .body(path), start: 1), position: job.position)
      }
      #expect(faultOf { () throws(ParameterError) in try makePlan(job) }?.isConfiguration == true)
    }
    let job = makeJob("x") { job in
      job.body = ["variables": "${input.v}"]
      job.pages = Pages(kind: .number(item: .body(["variables", "page"]), start: 1), position: job.position)
    }
    let plan = try makePlan(job)
    #expect(try plan.request(for: .record(#"{"v":{"a":1}}"#)).body?.redacted == #"{"variables":{"a":1,"page":1}}"#)
    let fault = faultOf { () throws(ParameterError) in try plan.request(for: .record(#"{"v":1}"#)) }
    #expect(fault?.isConfiguration == false)
    #expect(fault?.template == "${input.v}")
  }

  @Test("Without pages one request is all there is to make; so it is when the limit is one page and nothing else")
  func single() throws {
    var single = Pages(kind: .single, position: makeJob("x").position)
    single.limit = 1
    for pages in [nil, single] {
      let plan = try makePlan(makeJob("x") { $0.pages = pages })
      let first = try plan.request(for: nil)
      var pager = plan.pager(first: first, record: nil)
      #expect(pager.step == .next(first))
      #expect(pager.request(ofPage: 2) == nil)
      #expect(try pager.next(after: pageFacts(Sent(records: 5), number: 1)) == .end(.single))
    }
  }

  // MARK: Ends

  @Test("An empty page ends the stream, as do null content and status 204")
  func empty() throws {
    #expect(try turn([Sent(records: 0)]).end == .complete("empty page 1"))
    #expect(try turn([Sent(records: 3), Sent(records: 0, status: 204)]).end == .complete("empty page 2"))
  }

  @Test(
    "Total pages count pages fetched whatever the start, and an empty page before them is no end", arguments: [0, 1, 7])
  func totalPages(start: Int) throws {
    let body = ["pages": "3"]
    let turned = try turn(
      [Sent(records: 2, body: body), Sent(records: 0, body: body), Sent(records: 1, body: body)], start: start
    ) {
      $0.totalPages = "${body.pages}"
    }
    #expect(turned.end == .complete("page 3 of 3"))
    #expect(turned.requested.last == "https://h/x?page=\(start + 2)")
  }

  @Test("Totals may be text, in headers, and may be known only once")
  func totalForms() throws {
    #expect(
      try turn([Sent(records: 2, headers: [("X-Total-Pages", "2")]), Sent(records: 2)]) {
        $0.totalPages = "${headers.x-total-pages}"
      }.end
        == .complete("page 2 of 2"))
    #expect(
      try turn([Sent(records: 2, body: ["total": "\"4\""]), Sent(records: 2)]) { $0.totalRecords = "${body.total}" }
        .end
        == .complete("4 of 4 records"))
    #expect(
      try turn([Sent(records: 4, body: ["total": "4.0"])]) { $0.totalRecords = "${body.total}" }.end
        == .complete("4 of 4 records"))
    #expect(
      try turn([Sent(records: 0, body: ["total": "0"])]) { $0.totalPages = "${body.total}" }.end
        == .complete("page 1 of 0"))
    // Not known: missing, null, or less than nothing.
    for body in [[:], ["total": "null"], ["total": "-1"]] {
      #expect(
        try turn([Sent(records: 2, body: body), Sent(records: 0, body: body)]) { $0.totalRecords = "${body.total}" }.end
          == .complete("empty page 2"))
    }
    // Larger than any number of pages.
    #expect(
      try turn([Sent(records: 2, body: ["total": "1e300"]), Sent(records: 0)]) { $0.totalRecords = "${body.total}" }
        .end
        == .short("2 of 9223372036854775807 records; empty page 2"))
  }

  @Test("A total of 0 where there are records is one that the server does not know; where there are none, it is 0")
  func totalOfZero() throws {
    let totals: [(inout Pages) -> Void] = [{ $0.totalPages = "${body.t}" }, { $0.totalRecords = "${body.t}" }]
    let zero = ["t": "0"]
    for total in totals {
      let pages = [Sent(records: 2, body: zero), Sent(records: 2, body: zero), Sent(records: 0, body: zero)]
      #expect(try turn(pages, total).end == .complete("empty page 3"))
      let learned = [Sent(records: 2, body: zero), Sent(records: 1, body: ["t": "2"])]
      #expect(try turn(learned, total).end?.isComplete == true)
      // A page beyond the last one says 0 of itself, and takes nothing back.
      let outOfRange = [Sent(records: 2, body: ["t": "3"]), Sent(records: 0, body: zero)]
      #expect(try turn(outOfRange, total).end?.isComplete != true)
      #expect(try turn([Sent(records: 0, body: zero)], total).end?.isComplete == true)
    }
    // By cursors, an empty page in the middle is no end.
    let linked = try plan(.cursor(item: .query("c"), from: "${body.n}")) { $0.pages?.totalRecords = "${body.t}" }
    let pages = [Sent(records: 2, body: ["t": "0", "n": "1"]), Sent(records: 0, body: ["t": "0", "n": "2"])]
    #expect(try FetchPlanTests.turn(linked, pages).urls.last == "https://h/x?c=2")
  }

  @Test("A total that is not a whole number is a fault", arguments: ["\"many\"", "2.5", "true", "{}", "[1]", "\"\""])
  func badTotal(total: String) {
    #expect(throws: PagingError.self) {
      try turn([Sent(records: 2, body: ["total": total])]) { $0.totalRecords = "${body.total}" }
    }
  }

  static let moreValues: [(value: String?, goesOn: Bool)] = [
    ("true", true), ("\"true\"", true), ("1", true), ("\"abc\"", true), ("{}", true), ("[]", true), ("-1", true),
    ("\"no\"", true), ("false", false), ("\"false\"", false), ("0", false), ("0.0", false), ("\"0\"", false),
    ("\"\"", false), ("null", false), (nil, false),
  ]

  @Test(
    "more ends on false, \"false\", 0, \"0\", \"\", null and missing, and goes on for everything else, on any page",
    arguments: moreValues)
  func more(value: String?, goesOn: Bool) throws {
    let body = value.map { ["more": $0] } ?? [:]
    let full = try turn([Sent(records: 2, body: body)]) { $0.more = "body.more" }
    #expect(full.end == (goesOn ? nil : .complete("no 'more' on page 1")))
    let empty = try turn([Sent(records: 0, body: body)]) { $0.more = "body.more" }
    #expect(empty.end == (goesOn ? nil : .complete("empty page 1")))
  }

  @Test("Behind an empty page pages go on where 'more' says so; an offset has nowhere to go")
  func moreBehindNothing() throws {
    func turned(_ more: String, offset: Bool = false) throws -> Turned {
      let pages = [Sent(records: 2, body: ["more": more]), Sent(records: 0, body: ["more": more])]
      let kind = offset ? Pages.Kind.offset(item: .query("p"), start: 0) : .number(item: .query("p"), start: 1)
      return try FetchPlanTests.turn(plan(kind) { $0.pages?.more = "body.more" }, pages)
    }
    for more in ["true", "\"true\"", "1", "\"abc\"", "{}"] {
      #expect(try turned(more).tails == ["?p=1", "?p=2", "?p=3"])
      let stuck = try turned(more, offset: true)
      #expect(stuck.written == 2)
      #expect(stuck.fault?.problem.hasPrefix("page 2 is empty, but 'more' or 'until' says that there is more") == true)
    }
    for more in ["\"\"", "0", "null"] {
      #expect(try turned(more).end == .complete("no 'more' on page 1"))
      #expect(try turned(more, offset: true).end == .complete("no 'more' on page 1"))
    }
  }

  @Test("until, limit and totals bound empty pages whose 'more' or 'until' says that others follow")
  func boundedEmptyPages() throws {
    let signs: [([String: String], (inout Pages) -> Void)] = [
      (["m": "\"token\""], { $0.more = "body.m" }), (["m": "false"], { $0.until = ["body.m"] }),
    ]
    for (body, sign) in signs {
      let pages = [Sent(records: 2, body: body), Sent(records: 0, body: body), Sent(records: 0, body: body)]
      func end(_ change: (inout Pages) -> Void) throws -> Pager.End? {
        try turn(pages) {
          sign(&$0)
          change(&$0)
        }.end
      }
      #expect(try end { _ in } == nil)
      #expect(
        try turn(Array(pages[..<2])) {
          sign(&$0); $0.until.append(.short)
        }.end == .complete("short page 2"))
      #expect(try end { $0.limit = 3 } == .capped(limit: 3))
      let counted = pages[..<2].map { Sent(records: $0.records, body: body.merging(["t": "2"]) { $1 }) }
      #expect(
        try turn(counted) {
          sign(&$0)
          $0.totalRecords = "${body.t}"
        }.end == .complete("empty page 2"))
    }
  }

  static let doneValues: [(value: String?, ends: Bool)] = [
    ("true", true), ("\"true\"", true), ("1", true), ("1.0", true), ("\"1\"", true), ("false", false),
    ("\"false\"", false), ("0", false), ("\"0\"", false), ("\"\"", false), ("null", false), (nil, false),
  ]

  @Test(
    "a bare path in 'until' ends on true, \"true\", 1 and \"1\", and goes on for their opposites, \"\", null and missing",
    arguments: doneValues)
  func done(value: String?, ends: Bool) throws {
    let turned = try turn([Sent(records: 2, body: value.map { ["done": $0] } ?? [:])]) { $0.until = ["body.done"] }
    #expect(turned.end == (ends ? .complete("'until' on page 1") : nil))
  }

  @Test(
    "a bare path in 'until' that is neither true nor false is an error behind its page, which names the value",
    arguments: ["\"PROCESSING\"", "2", "-1", "0.5", "{}", "[]", "\"yes\""])
  func doneIsNeither(value: String) throws {
    for records in [0, 2] {
      let plan = try plan(.number(item: .query("page"), start: 1)) { $0.pages?.until = ["body.done"] }
      let turned = try FetchPlanTests.turn(plan, [Sent(records: records, body: ["done": value])])
      #expect(turned.written == 1)
      #expect(turned.fault?.problem.hasPrefix("'body.done' is \(value), and a bare path in 'until' takes true") == true)
      #expect(turned.fault?.isCircle == false)
    }
  }

  @Test("An empty page without the path of 'until' is the end, unless a page before it had the path")
  func doneIsSilent() throws {
    let isLast: (inout Pages) -> Void = { $0.until = ["body.d"] }
    #expect(try turn([Sent(records: 2), Sent(records: 0)], isLast).end == .complete("empty page 2"))
    let known = [Sent(records: 2, body: ["d": "false"]), Sent(records: 0), Sent(records: 0, body: ["d": "\"\""])]
    #expect(try turn(known, isLast).end == nil)
    let over = known + [Sent(records: 1, body: ["d": "true"])]
    #expect(try turn(over, isLast).end == .complete("'until' on page 4"))
    #expect(try turn([known[0], Sent(records: 0, status: 204)], isLast).end == .complete("empty page 2"))
    // By cursors, no next page is the end.
    let linked = try plan(.cursor(item: .query("c"), from: "${body.n}")) { isLast(&$0.pages!) }
    let pages = [Sent(body: ["d": "false", "n": "1"]), Sent()]
    #expect(try FetchPlanTests.turn(linked, pages).end == .complete("no next page on page 2"))
  }

  static let kinds: [(first: String?, second: String?, isWhole: Bool, fits: Bool)] = [
    ("array", "array", true, true), ("array", nil, true, true), (nil, "object", true, true),
    ("array", "object", true, false), ("array", "object", false, true), ("object", "array", true, true),
    ("array", "string", false, false), ("array", "boolean", true, false), ("object", "number", false, false),
    ("string", "number", true, true), ("array", "object with numbers for names", false, false),
    ("object", "object with numbers for names", true, true),
  ]

  @Test("A page whose content is of another kind than that of the pages before does not come out", arguments: kinds)
  func contentKinds(first: String?, second: String?, isWhole: Bool, fits: Bool) throws {
    let plan = try plan(.number(item: .query("page"), start: 1)) {
      $0.contentIdentifier = isWhole ? nil : "items"
      $0.pages?.until = [.short]
    }
    let turned = try FetchPlanTests.turn(plan, [Sent(records: 2, kind: first), Sent(records: 1, kind: second)])
    #expect(turned.written == (fits ? 2 : 1))
    #expect(turned.end == (fits ? .complete("short page 2") : nil))
    #expect(turned.fault?.problem.hasPrefix("the content of page 2 is a") == (fits ? nil : true))
  }

  @Test("null content between full pages is not the end while a total says that more follow")
  func gap() throws {
    let gap = Sent(records: 0, body: ["t": "4"], isNull: true)
    func pages(_ between: [Sent], records: Int = 2) -> [Sent] {
      [Sent(records: 2, body: ["t": "4"])] + between + [Sent(records: records, body: ["t": "4"])]
    }
    let total: (inout Pages) -> Void = { $0.totalRecords = "${body.t}" }
    #expect(try turn(pages([gap]), total).end == .complete("4 of 4 records"))
    #expect(try turn(pages([gap], records: 0), total).end == .short("2 of 4 records; empty page 3"))
    #expect(try turn([pages([])[0], gap, gap], total).end == .short("2 of 4 records; empty page 3"))
    let offset = try plan(.offset(item: .query("o"), start: 0)) { total(&$0.pages!) }
    let turned = try FetchPlanTests.turn(offset, pages([gap]))
    #expect(turned.tails == ["?o=0", "?o=2", "?o=4"])
    #expect(turned.end == .complete("4 of 4 records"))
    // Nothing says that more follow.
    #expect(try turn([Sent(records: 2), gap]).end == .complete("empty page 2"))
    let more = try plan(.offset(item: .query("o"), start: 0)) { $0.pages?.more = "body.m" }
    let between = [Sent(records: 2, body: ["m": "1"]), Sent(records: 0, body: ["m": "1"], isNull: true)]
    #expect(try FetchPlanTests.turn(more, between).tails == ["?o=0", "?o=2", "?o=4"])
  }

  @Test("'until' ends on a short page or by a condition, and a status of 'empty' ends the pages")
  func until() throws {
    #expect(
      try turn([Sent(records: 3), Sent(records: 3), Sent(records: 2)]) { $0.until = [.short] }.end
        == .complete("short page 3"))
    #expect(try turn([Sent(records: 3), Sent(records: 4)]) { $0.until = [.short] }.end == nil)
    #expect(
      try turn([Sent(records: 1), Sent(records: 0, status: 404)]) { _ in }.end == .complete("status 404 on page 2"))
    let both = [Sent(records: 3, body: ["s": "1"]), Sent(records: 3, body: ["s": "2"])]
    let isTwo = Condition([.init(path: try! JSONPath("body.s"), tests: [.among([JSONValue(2)])])])
    #expect(try turn(both) { $0.until = [.short, .condition(isTwo)] }.end == .complete("'until' on page 2"))
    #expect(try turn([both[0]]) { $0.more = isTwo }.end == .complete("no 'more' on page 1"))
  }

  @Test("A limit caps the stream, unless everything is there just then")
  func limit() throws {
    #expect(try turn([Sent(records: 3), Sent(records: 3)]) { $0.limit = 2 }.end == .capped(limit: 2))
    #expect(try turn([Sent(records: 3)]) { $0.limit = 1 }.end == .capped(limit: 1))
    #expect(try turn([Sent(records: 3), Sent(records: 0)]) { $0.limit = 2 }.end == .complete("empty page 2"))
    #expect(
      try turn([Sent(records: 3, body: ["n": "1"])]) {
        $0.limit = 1; $0.totalPages = "${body.n}"
      }.end == .complete("page 1 of 1"))
    #expect(
      try turn([Sent(records: 3, body: ["n": "2"])]) {
        $0.limit = 1; $0.totalPages = "${body.n}"
      }.end == .capped(limit: 1))
  }

  @Test("A normal end with fewer records or pages than the totals say is short")
  func short() throws {
    let body = ["n": "5"]
    #expect(
      try turn([Sent(records: 3, body: body), Sent(records: 0)]) { $0.totalRecords = "${body.n}" }.end
        == .short("3 of 5 records; empty page 2"))
    #expect(
      try turn([Sent(records: 3, body: body), Sent(records: 2, body: ["n": "5", "d": "true"])]) {
        $0.totalPages = "${body.n}"
        $0.until = ["body.d"]
      }.end == .short("2 of 5 pages; 'until' on page 2"))
    #expect(
      try turn([Sent(records: 3, body: body), Sent(records: 0, status: 404)]) {
        $0.totalPages = "${body.n}"
      }.end == .short("1 of 5 pages; status 404 on page 2"))
    #expect(
      try turn([Sent(records: 3, body: ["p": "1", "n": "5"])]) {
        $0.totalPages = "${body.p}"
        $0.totalRecords = "${body.n}"
      }.end == .short("3 of 5 records; page 1 of 1"))
  }

  @Test("Records may be complete while the server says that pages follow: they are fetched")
  func recordsBeforePages() throws {
    let body = ["p": "2", "n": "3"]
    #expect(
      try turn([Sent(records: 3, body: body), Sent(records: 1, body: body)]) {
        $0.totalPages = "${body.p}"
        $0.totalRecords = "${body.n}"
      }.end == .complete("page 2 of 2"))
  }

  @Test("A total that shrinks is no end before as much has come as was said at first")
  func shrinkingTotals() throws {
    func pages(_ totals: [Int], records: [Int]) -> [Sent] {
      zip(totals, records).map { Sent(records: $1, body: ["t": "\($0)"]) }
    }
    let byRecords: (inout Pages) -> Void = { $0.totalRecords = "${body.t}" }
    #expect(try turn(pages([5, 3], records: [2, 2]), byRecords).end == nil)
    #expect(try turn(pages([5, 3, 1], records: [2, 2, 1]), byRecords).end == .complete("5 of 5 records"))
    #expect(try turn(pages([5, 4, 4], records: [2, 2, 0]), byRecords).end == .complete("empty page 3"))
    #expect(try turn(pages([5, 0], records: [2, 0]), byRecords).end == .short("2 of 5 records; empty page 2"))
    let byPages: (inout Pages) -> Void = { $0.totalPages = "${body.t}" }
    #expect(try turn(pages([3, 2], records: [2, 2]), byPages).end == nil)
    #expect(try turn(pages([3, 2, 1], records: [2, 2, 2]), byPages).end == .complete("page 3 of 3"))
    #expect(try turn(pages([3, 2, 2], records: [2, 2, 0]), byPages).end == .complete("page 3 of 3"))
  }

  // MARK: Circles

  @Test("A page with the content of the one before it is a fault that names the item")
  func circle() throws {
    let fault = #expect(throws: PagingError.self) {
      try turn([Sent(records: 2, content: "a"), Sent(records: 2, content: "b"), Sent(records: 2, content: "b")])
    }
    #expect(fault?.page == 3)
    #expect(
      fault?.problem
        == "page 3 has the same content as page 2: earlier pages differ, so the server may repeat its last page; write "
        + "'until: repeated' in 'pages', or say where the pages end, by 'until: short', 'more', 'totalPages' or "
        + "'totalRecords'; or, if pages may be the same, write 'ignore: repeats' in the step")
    #expect(throws: PagingError.self) {
      try turn([Sent(records: 2, content: "a"), Sent(records: 2, content: "a")]) {
        $0.until = [.short]
      }
    }
  }

  @Test("By 'until: repeated', the last page that comes again is the end, and does not come out")
  func lastPageAgain() throws {
    let pages = [
      Sent(records: 2, content: "a", hashes: [1, 2]), Sent(records: 2, content: "b", hashes: [3, 4]),
      Sent(records: 2, content: "b", hashes: [3, 4]), Sent(records: 2, content: "c"),
    ]
    func turned(_ pages: [Sent], _ kind: Pages.Kind = .number(item: .query("page"), start: 1)) throws -> Turned {
      try FetchPlanTests.turn(try plan(kind) { $0.pages?.until = [.repeated] }, pages)
    }
    let turned1 = try turned(pages)
    #expect(turned1.end == .complete("page 3 repeats page 2"))
    #expect(turned1.written == 2)
    // The same records in another order, and fewer of them.
    let within = try turned([pages[0], pages[1], Sent(records: 1, content: "d", hashes: [4])])
    #expect(within.end == .complete("page 3 repeats page 2"))
    let linked = pages.map { page in
      var page = page
      page.body = ["n": "\"\(page.content ?? "")\""]
      return page
    }
    let itself = try turned(Array(linked.prefix(2)) + [linked[1]], .cursor(item: .query("c"), from: "${body.n}"))
    #expect(itself.end == .complete("page 3 repeats page 2"))
    let short = try FetchPlanTests.turn(
      try plan(.number(item: .query("page"), start: 1)) {
        $0.pages?.until = [.repeated]
        $0.pages?.totalRecords = "${body.t}"
      },
      pages.map { page in
        var page = page
        page.body = ["t": "9"]
        return page
      })
    #expect(short.end == .short("4 of 9 records; page 3 repeats page 2"))
  }

  @Test("Pages may repeat where the spec says so, and empty ones always")
  func repeats() throws {
    let same = [Sent(records: 2, content: "a"), Sent(records: 2, content: "a"), Sent(records: 0, content: "a")]
    let ignoring = try plan(.number(item: .query("page"), start: 1)) { $0.ignored = [.repeats] }
    #expect(try FetchPlanTests.turn(ignoring, same).end == .complete("empty page 3"))
    let endless = (1...1_100).map { _ in Sent(records: 2, content: "a") }
    let fault = try FetchPlanTests.turn(ignoring, endless).fault
    #expect(fault?.page == 1_001 && fault?.isCircle == true)
    let bounded = try plan(.number(item: .query("page"), start: 1)) { job in
      job.ignored = [.repeats]
      job.pages?.limit = 1_050
    }
    #expect(try FetchPlanTests.turn(bounded, endless).end == .capped(limit: 1_050))
    #expect(
      try turn([Sent(records: 2, content: "a"), Sent(records: 2, content: "b"), Sent(records: 2, content: "a")]).end
        == nil)
    let empty = (1...3).map { _ in Sent(records: 0, body: ["n": "3"], content: "a") }
    #expect(try turn(empty) { $0.totalPages = "${body.n}" }.end == .complete("page 3 of 3"))
  }

  // MARK: Edges

  @Test("Page numbers end where numbers end")
  func overflow() throws {
    let (plan, first) = try planned("https://h/x", .max) { _ in }
    #expect(first.url.text == "https://h/x?page=9223372036854775807")
    var pager = plan.pager(first: first, record: nil)
    #expect(pager.request(ofPage: 2) == nil)
    guard case .fault(let fault) = try pager.next(after: pageFacts(Sent(records: 1), number: 1)) else {
      Issue.record("it went on")
      return
    }
    #expect(fault.problem == "there is no page number after 9223372036854775807")
  }

  @Test("Look-ahead asks for no page beyond the limit or the total")
  func lookAhead() throws {
    let (plan, first) = try planned("https://h/x", 0) {
      $0.limit = 3; $0.totalPages = "${body.n}"
    }
    var pager = plan.pager(first: first, record: nil)
    #expect(pager.request(ofPage: 3)?.url.text == "https://h/x?page=2")
    #expect(pager.request(ofPage: 4) == nil)
    #expect(pager.request(ofPage: 0) == nil)
    _ = try pager.next(after: pageFacts(Sent(records: 1, body: ["n": "2"]), number: 1))
    #expect(pager.request(ofPage: 2)?.url.text == "https://h/x?page=1")
    #expect(pager.request(ofPage: 3) == nil)
  }

  @Test("Templates in pages read the last record, the input record and parameters")
  func roots() throws {
    let job = makeJob("x") { job in
      job.pages = Pages(kind: .number(item: .query("page"), start: 1), position: job.position)
      job.pages?.until = ["last.done"]
      job.pages?.totalPages = "${input.pages}"
      job.pages?.totalRecords = "${param.n}"
    }
    let plan = try makePlan(job)
    let record = JSONValue.record(#"{"pages":9}"#)
    var pager = plan.pager(first: try plan.request(for: record), record: record)
    let step = try pager.next(after: pageFacts(Sent(records: 5, last: #"{"done":true}"#), number: 1))
    #expect(step == .end(.short("1 of 9 pages; 'until' on page 1")))
    #expect(throws: ParameterError.self) { try plan.request(for: .record("{}")) }
  }

  @Test("Templates that are missing on the first page are known")
  func missing() throws {
    let (plan, first) = try planned("https://h/x", 1) {
      $0.totalPages = "${body.n}"; $0.more = "body.a.more"
    }
    #expect(plan.captures == [["n"], ["a", "more"]])
    var pager = plan.pager(first: first, record: nil)
    _ = try pager.next(after: pageFacts(Sent(records: 1, body: ["n": "2"]), number: 1))
    #expect(pager.missingOnFirstPage == ["body.a.more"])
  }
}

extension Pager.End {
  fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
}
