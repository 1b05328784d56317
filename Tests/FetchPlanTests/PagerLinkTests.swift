// Cursors, next URLs and links, stepped by hand.

import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct PagerLinkTests {
  // MARK: Cursors

  static let cursors: [(value: String, query: String)] = [
    (#""a b/&=""#, "?c=a%20b%2F%26%3D"), ("12345678901234567890", "?c=12345678901234567890"), ("1.50", "?c=1.50"),
    ("1E+2", "?c=1E%2B2"), ("true", "?c=true"), ("[1,\"x\",null]", "?c=1&c=x"), ("0", "?c=0"),
  ]

  @Test(
    "A cursor keeps its type in a body, and is text in a query, where an array repeats the item", arguments: cursors)
  func cursor(value: String, query: String) throws {
    let page = Sent(body: ["c": value])
    let queried = try turn(plan(.cursor(item: .query("c"), from: "${body.c}")), [page])
    #expect(queried.tails == ["", query])
    let kind = Pages.Kind.cursor(item: .body(["v", "after"]), from: "${body.c}")
    let sent = try turn(plan(kind, body: ["v": ["n": 2]]), [page])
    #expect(sent.tails == [#"{"v":{"n":2}}"#, #"{"v":{"n":2,"after":\#(value)}}"#])
  }

  @Test("Several cursors go into one request; a value that may be missing leaves its item as the request has it")
  func severalCursors() throws {
    let kind = Pages.Kind.cursor(
      item: .body(["pit", "id"]), from: "${body.pit?}",
      others: [
        .init(item: .query("after"), from: "${last.sort}"), .init(item: .header("X-Part"), from: "${body.part?}"),
      ])
    let turned = try turn(
      plan(kind, body: ["pit": ["id": "p0"]]),
      [
        Sent(body: ["pit": #""p1""#, "part": "12345678901234567890"], last: #"{"sort":[1,"a"]}"#),
        Sent(last: #"{"sort":2}"#), Sent(records: 0, body: ["pit": #""p1""#]),
      ])
    // A request with a body shows that, and not its query.
    #expect(turned.tails == [#"{"pit":{"id":"p0"}}"#, #"{"pit":{"id":"p1"}}"#, #"{"pit":{"id":"p0"}}"#])
    let inQuery = Pages.Kind.cursor(
      item: .query("a"), from: "${last.sort}", others: [.init(item: .query("b"), from: "${body.b?}")])
    let queried = try turn(
      plan(inQuery, "https://h/x?b=0"),
      [
        Sent(body: ["b": "12345678901234567890"], last: #"{"sort":[1,"x"]}"#), Sent(last: #"{"sort":2}"#),
        Sent(records: 0),
      ])
    #expect(queried.tails == ["?b=0", "?b=12345678901234567890&a=1&a=x", "?b=0&a=2"])
  }

  @Test("A cursor replaces its namesakes, which the first page is asked for with")
  func namesake() throws {
    let turned = try turn(
      plan(.cursor(item: .query("c"), from: "${body.c}"), "https://h/x?c=*&a=1&c=2&b=3"), [Sent(body: ["c": "[1,2]"])])
    #expect(turned.tails == ["?c=*&a=1&c=2&b=3", "?c=1&c=2&a=1&b=3"])
    let body = try turn(
      plan(.cursor(item: .body(["after"]), from: "${last.id}"), body: ["after": "old"]), [Sent(last: #"{"id":7}"#)])
    #expect(body.tails == [#"{"after":"old"}"#, #"{"after":7}"#])
  }

  @Test("A cursor is put together from the last record, the body and headers; where a part is missing, there is none")
  func parts() throws {
    let kind = Pages.Kind.cursor(item: .query("c"), from: "${last.id},${headers.x-page}")
    let page = Sent(headers: [("X-Page", "2")], last: #"{"id":"a"}"#)
    #expect(try turn(plan(kind), [page]).tails == ["", "?c=a%2C2"])
    #expect(try turn(plan(kind), [Sent(last: #"{"id":"a"}"#)]).end == .complete("no next page on page 1"))
  }

  @Test("A cursor that no query can carry is an error behind its page", arguments: ["{}", "[]", "[[1]]", #""\ud800""#])
  func badCursor(value: String) throws {
    let turned = try turn(plan(.cursor(item: .query("c"), from: "${body.c}")), [Sent(body: ["c": value])])
    #expect(turned.written == 1)
    #expect(
      turned.fault?.problem == "the cursor is \(value), which the query item 'c' can't take; see what 'from' reads")
  }

  // MARK: Bytes that are no text

  @Test("A URL from a header keeps its bytes, also where they are not UTF-8")
  func bytesOfURLs() throws {
    let link = Sent(block: Array("Link: <?q=".utf8) + [0xE9] + Array("&p=2>; rel=next".utf8))
    #expect(try turn(plan(.link(relation: "next", in: nil)), [link]).tails == ["", "?q=%E9&p=2"])
    let next = Sent(block: Array("X-Next: /x?c=".utf8) + [0xC3, 0xA9, 0xFF])
    #expect(try turn(plan(.next("${headers.x-next}")), [next]).tails == ["", "?c=%C3%A9%FF"])
  }

  @Test(
    "Other values from a header must be text, or an error names the header",
    arguments: [.cursor(item: .query("c"), from: "${headers.x-c}"), .next("/x?c=${headers.x-c}")] as [Pages.Kind])
  func bytesOfValues(kind: Pages.Kind) throws {
    let turned = try turn(plan(kind), [Sent(block: Array("X-C: ".utf8) + [0xE9, 0xFF])])
    #expect(turned.written == 1)
    let problem = "the header 'x-c' holds bytes that are not UTF-8, and only a URL can hold those"
    #expect(turned.fault?.problem.contains(problem) == true)
    let text = Sent(block: Array("X-C: é".utf8))
    #expect(try turn(plan(kind), [text]).tails == ["", "?c=%C3%A9"])
  }

  // MARK: Ends

  static let kinds: [Pages.Kind] = [
    .cursor(item: .query("c"), from: "${body.n}"), .next("${body.n}"), .link(relation: "next", in: ["links"]),
  ]

  /// A page that names a next one, however the kind does.
  private func page(_ next: String?, records: Int = 1, content: String? = nil, _ body: [String: String] = [:]) -> Sent {
    var page = Sent(records: records, body: body, content: content)
    if let next {
      page.body["n"] = "\"\(next)\""
      page.body["links"] = #"[{"rel":"next","href":"\#(next)"}]"#
    }
    return page
  }

  @Test("It ends where the next is missing, null or empty", arguments: kinds)
  func ends(kind: Pages.Kind) throws {
    #expect(try turn(plan(kind), [page("a"), page(nil)]).end == .complete("no next page on page 2"))
    #expect(
      try turn(plan(kind), [page("a", records: 0), page("b", records: 0), page(nil, records: 0)]).end
        == .complete("no next page on page 3"))
    for nothing in ["null", "\"\""] {
      let page = Sent(body: ["n": nothing, "links": "null"])
      #expect(try turn(plan(kind), [page]).end == .complete("no next page on page 1"))
    }
  }

  static let deadLinks: [(field: String, array: String)] = [
    ("<>; rel=next", #"[{"rel":"next","href":""}]"#), ("< >; rel=next", #"[{"rel":"next","href":null}]"#),
    ("</a>; rel=prev, <>; rel=next", #"[{"rel":"next"},{"rel":"prev","href":5}]"#),
  ]

  @Test("A link that leads nowhere is none", arguments: deadLinks)
  func deadLink(field: String, array: String) throws {
    let inBody = try plan(.link(relation: "next", in: ["links"]))
    #expect(try turn(inBody, [Sent(body: ["links": array])]).end == .complete("no next page on page 1"))
    let inHead = try plan(.link(relation: "next", in: nil))
    #expect(try turn(inHead, [Sent(headers: [("Link", field)])]).end == .complete("no next page on page 1"))
    let two = try turn(inHead, [Sent(headers: [("Link", field), ("Link", "</b>; rel=next")])])
    #expect(two.urls == ["https://h/x", "https://h/b"])
  }

  @Test("JSON's false is no next, and text that says so is one", arguments: kinds.prefix(2))
  func noNext(kind: Pages.Kind) throws {
    #expect(try turn(plan(kind), [Sent(body: ["n": "false"])]).end == .complete("no next page on page 1"))
    #expect(try turn(plan(kind), [Sent(body: ["n": "\"false\""])]).urls.count == 2)
  }

  @Test("A link that can't be read is an error behind its page, and no end")
  func unreadable() throws {
    let array = #"[{"rel":"prev","href":"a"},{"rel":"next","href":{"a":1}}]"#
    let inBody = try turn(plan(.link(relation: "next", in: ["links"])), [Sent(body: ["links": array])])
    #expect(inBody.written == 1)
    #expect(
      inBody.fault?.problem
        == "page 1 has a link 'next' whose target can't be read as a URL; page by 'number', 'offset' or "
        + "'cursor', if the API can")
    let field = "</a>; rel=prev; title=\"<\", <?p=2; rel=next"
    let inHead = try turn(plan(.link(relation: "next", in: nil)), [Sent(headers: [("Link", field)])])
    #expect(inHead.written == 1)
    let problem = "page 1 has a 'Link' header that can't be read: '\(field)'; page by "
    #expect(inHead.fault?.problem.hasPrefix(problem) == true)
    let read = try turn(plan(.link(relation: "prev", in: nil)), [Sent(headers: [("Link", field)])])
    #expect(read.urls == ["https://h/x", "https://h/a"])
  }

  @Test("Totals, 'more', 'until' and limit end it in all kinds", arguments: kinds)
  func otherEnds(kind: Pages.Kind) throws {
    func end(_ pages: [Sent], _ change: (inout Pages) -> Void) throws -> Pager.End? {
      try turn(plan(kind) { change(&$0.pages!) }, pages).end
    }
    #expect(try end([page("a", ["t": "\"1\""])]) { $0.totalPages = "${body.t}" } == .complete("page 1 of 1"))
    #expect(
      try end([page("a", records: 2, ["t": "3"]), page("b")]) { $0.totalRecords = "${body.t}" }
        == .complete("3 of 3 records"))
    #expect(try end([page("a", ["m": "0"])]) { $0.more = "body.m" } == .complete("no 'more' on page 1"))
    #expect(try end([page("a", ["d": "true"])]) { $0.until = ["body.d"] } == .complete("'until' on page 1"))
    #expect(try end([page("a"), page("b", records: 0)]) { $0.until = [.short] } == .complete("short page 2"))
    #expect(try end([page("a"), page("b")]) { $0.limit = 2 } == .capped(limit: 2))
    #expect(try end([page("a"), page(nil)]) { $0.limit = 2 } == .complete("no next page on page 2"))
    #expect(
      try end([page("a", ["t": "3"]), page(nil)]) { $0.totalRecords = "${body.t}" }
        == .short("2 of 3 records; no next page on page 2"))
  }

  @Test("A total that a full page just reaches may be a limit: the next page is fetched", arguments: kinds)
  func totalThatIsALimit(kind: Pages.Kind) throws {
    func end(_ pages: [Sent]) throws -> Pager.End? {
      try turn(plan(kind) { $0.pages?.totalRecords = "${body.t}" }, pages).end
    }
    let first = page("a", records: 2, ["t": "2"])
    #expect(try end([first, page("b", records: 0)]) == .complete("empty page 2"))
    #expect(try end([first, page(nil, records: 0)]) == .complete("empty page 2"))
    #expect(try end([first, page("b", records: 2), page(nil)]) == .complete("no next page on page 3"))
  }

  @Test("More without a next is an error behind its page", arguments: kinds)
  func moreWithoutNext(kind: Pages.Kind) throws {
    let turned = try turn(
      plan(kind) { $0.pages?.more = "body.m" }, [page("a", ["m": "true"]), page(nil, ["m": "1"])])
    #expect(turned.written == 2)
    #expect(
      turned.fault?.problem
        == "page 2 says by 'more' that there is more, and names no next page: correct what 'pages' reads it from")
  }

  // MARK: Circles

  @Test("A next that was used already is an error, after one page or three; its page has come out", arguments: kinds)
  func circles(kind: Pages.Kind) throws {
    for length in 1...3 {
      let names = ["a", "b", "c"].prefix(length)
      let pages = (names + ["a"]).map { page($0) }
      let turned = try turn(plan(kind), pages)
      #expect(turned.requests.count == length + 1)
      #expect(turned.written == length + 1)
      #expect(turned.fault?.page == length + 1)
      if length == 1, case .cursor = kind {
        #expect(turned.fault?.problem.contains("the server seems to keep the position itself") == true)
        continue
      }
      #expect(turned.fault?.problem.contains("in circles") == true)
      #expect(
        turned.fault?.problem.contains("page 2 was") == true || turned.fault?.problem.contains("was page 2") == true)
    }
  }

  @Test("A page that came out before does not come out again when it shows a circle", arguments: kinds)
  func ignored(kind: Pages.Kind) throws {
    let turned = try turn(plan(kind), [page("a", content: "x"), page("a", content: "x")])
    #expect(turned.written == 1)
    #expect(turned.fault?.page == 2)
  }

  @Test("An empty page that names itself ends the stream; one that names an older page does not", arguments: kinds)
  func emptyCircle(kind: Pages.Kind) throws {
    let same = try turn(plan(kind), [page("a"), page("a", records: 0)])
    #expect(same.end == .complete("page 2 is empty and names itself as the next"))
    let older = try turn(plan(kind), [page("a"), page("b", records: 0), page("a", records: 0)])
    #expect(older.end == nil && older.fault?.page == 3)
  }

  @Test("A URL that a redirect led to was used as well")
  func redirected() throws {
    let turned = try turn(
      plan(.next("${body.n}")), [Sent(body: ["n": "\"/y\""], url: "https://h/z"), Sent(body: ["n": "\"/z\""])])
    #expect(turned.urls == ["https://h/x", "https://h/y"])
    #expect(
      turned.fault?.problem
        == "page 2 leads to 'https://h/z', which was page 1 already: the pages would go in circles. See whether the server "
        + "is asked as it wants to be, or say where the pages end, by 'more' or 'until'")
  }

  @Test("A page that only looks like the one before comes out, whatever is wrong with its next")
  func sameByChance() throws {
    let turned = try turn(
      plan(.next("${body.n}")), [page("/a", content: "x"), page("https://o/y", content: "x")])
    #expect(turned.written == 2)
    #expect(turned.fault?.problem.contains("another origin") == true)
  }

  // MARK: URLs

  static let references: [(next: String, url: String)] = [
    ("?p=2", "https://h/a/b?p=2"), ("c?p=2#top", "https://h/a/c?p=2"), ("/c", "https://h/c"), ("../c", "https://h/c"),
    ("//h/c", "https://h/c"), ("https://H:443/c d", "https://h:443/c%20d"), ("?f[x]=é", "https://h/a/b?f[x]=%C3%A9"),
  ]

  @Test("A next URL is resolved against the one that answered, and nothing else changes", arguments: references)
  func resolved(next: String, url: String) throws {
    let turned = try turn(
      plan(.next("${body.n}"), body: ["a": 1]) { $0.headers = [.init(name: "X-Key", value: "${env.KEY}")] },
      [Sent(body: ["n": "\"\(next)\""], url: "https://h/a/b?old=1")])
    #expect(turned.urls.last == url)
    #expect(turned.requests[1].body == turned.requests[0].body)
    #expect(turned.requests[1].fields == turned.requests[0].fields)
    #expect(turned.requests[1].method == "POST")
  }

  @Test("In a next URL that is put together, values can't break out of their places")
  func composed() throws {
    let kind = Pages.Kind.next("/y?page=${body.p}&q=${body.q?}&r=${input.id:-1}")
    #expect(try turn(plan(kind), [Sent(body: ["p": "\"2&a=b\""])]).urls.last == "https://h/y?page=2%26a%3Db&r=1")
    #expect(try turn(plan(kind), [Sent()]).end == .complete("no next page on page 1"))
    #expect(try turn(plan(kind), [Sent(body: ["p": "2", "q": "\"\""])]).urls.last == "https://h/y?page=2&q=&r=1")
  }

  @Test(
    "A part that is missing, null, false or empty names no next page, also beside other text",
    arguments: [nil, "null", "false", "\"\""] as [String?])
  func partThatNamesNothing(value: String?) throws {
    let page = Sent(body: (value.map { ["p": $0] } ?? [:]).merging(["a": "1"]) { $1 })
    let kinds: [Pages.Kind] = [
      .next("/y?page=${body.p}&a=${body.a}"), .cursor(item: .query("c"), from: "${body.a},${body.p}"),
      .next("${body.p?}"), .cursor(item: .query("c"), from: "${body.p?}"),
    ]
    for kind in kinds { #expect(try turn(plan(kind), [page]).end == .complete("no next page on page 1")) }
  }

  @Test("A next at another origin is an error, unless it is the current one, the job's own or in hosts")
  func origins() throws {
    func problem(_ next: String, url: String? = nil, _ change: (inout Job) -> Void = { _ in }) throws -> String? {
      try turn(
        plan(.next("${body.n}"), "https://h/x", body: nil, change), [Sent(body: ["n": "\"\(next)\""], url: url)]
      ).fault?.problem
    }
    let secrets = "if it may be asked (it is sent no secrets)"
    #expect(
      try problem("https://o/y")
        == "page 1 leads to 'https://o/y', on another origin than 'https://h'; add 'o' to 'hosts' \(secrets), or write "
        + "'ignore: [origin]' if 'https://h' has that path, too")
    #expect(try problem("https://o/y") { $0.hosts = [.init(scheme: "https", host: "o", port: 443)] } == nil)
    #expect(try problem("https://o/y", url: "https://o/x") == nil)
    #expect(try problem("https://h/y", url: "https://o/x") == nil)
    #expect(try problem("https://api.example.com/y") == nil)
    #expect(
      try problem("http://o/y")
        == "page 1 leads to 'http://o/y', from https to http, where anyone could read it; page by 'number', 'offset' or "
        + "'cursor', if the API can, or write 'ignore: [origin]' if the step's own origin has that path, too")
    let plain: (inout Job) -> Void = { $0.hosts = [.init(scheme: "http", host: "o", port: 80)] }
    #expect(try problem("http://o/y", plain)?.contains("from https to http") == true)
    #expect(try problem("http://o/y", url: "http://o/x", plain) == nil)
    for bad in ["ftp://h/y", "javascript:x", "https://", "http://["] {
      #expect(
        try problem(bad)?.hasSuffix("which is not an http or https URL that can be fetched: see what 'pages' reads")
          == true
      )
    }
    #expect(
      try problem("https://u:p@h/y")
        == "page 1 leads to 'https://h/y', with a user name in the URL, which is not followed: give credentials by 'auth'"
    )
  }

  static let elsewhere: [(next: String, page: String?, ignores: Bool, url: String, named: String?)] = [
    ("http://h/y?a=1", nil, false, "https://h/y?a=1", "http://h"),
    ("https://h:8443/y", nil, false, "https://h/y", "https://h:8443"),
    ("http://h:8080", nil, false, "https://h/", "http://h:8080"),
    ("http://o:81/y", "https://o:82/x", false, "https://o:82/y", "http://o:81"),
    ("http://h/y", "https://o/x", false, "https://h/y", "http://h"),
    ("http://h/y", nil, true, "https://h/y", nil), ("http://o/y?a=1", nil, true, "https://h/y?a=1", nil),
    ("https://o:1/y", "https://o/x", true, "https://o/y", nil),
    ("https://p/y", "https://o/x", true, "https://h/y", nil),
  ]

  @Test(
    "A next with another scheme or port is requested at the page's or the job's own; one on another host, if that is meant",
    arguments: elsewhere)
  func sameHost(next: String, page: String?, ignores: Bool, url: String, named: String?) throws {
    let turned = try turn(
      plan(.next("${body.n}"), "https://h/x", body: nil) { if ignores { $0.ignored = [.origin] } },
      [Sent(body: ["n": "\"\(next)\""], url: page)])
    #expect(turned.fault == nil)
    #expect(turned.urls.last == url)
    #expect(turned.requests.last?.replacedOrigin?.description == named)
  }

  @Test("Secrets stay at the job's own origin, in whatever form, and are sent again there")
  func secrets() throws {
    let secrets = SecretStore(["s3cr et/1"])
    func turned(_ nexts: [String], _ change: (inout Job) -> Void = { _ in }) throws -> Turned {
      try turn(
        plan(.next("${body.n}")) { job in
          job.hosts = [.init(scheme: "https", host: "o", port: 443)]
          job.headers = [
            .init(name: "X-Key", value: "k ${env.KEY}"), .init(name: "Authorization", value: "Basic abc"),
            .init(name: "X-Plain", value: "p"), .init(name: "X-Stray", value: "${param.stray:-s3cr et/1}"),
          ]
          change(&job)
        }, nexts.map { Sent(body: ["n": "\"\($0)\""]) }, secrets: secrets)
    }
    let there = try turned(["https://o/y", "https://h/z"])
    let names = there.requests.map { $0.fields.all.map(\.name).filter { $0.hasPrefix("X") || $0.hasPrefix("Auth") } }
    #expect(
      names == [
        ["X-Key", "Authorization", "X-Plain", "X-Stray"], ["X-Plain"],
        ["X-Key", "Authorization", "X-Plain", "X-Stray"],
      ])
    #expect(
      try turned(["https://o/y?key=s3cr%20et%2F1"]).fault?.problem.hasSuffix(
        "another origin, and it holds a secret, which is not sent there") == true)
    #expect(
      try turned(["https://o/y"]) { $0.body = ["k": "${env.KEY}"] }.fault?.problem
        == "page 1 leads to 'https://o/y', another origin, and the body holds a secret, which is not sent there")
    #expect(try turned(["https://h/y?key=s3cr%20et%2F1"]).fault == nil)
  }

  // MARK: Links

  @Test("What stands where links should be, and is no array, is an error and not an end")
  func noArray() throws {
    let page = Sent(body: ["links": #"{"next":{"href":"/y"}}"#])
    let turned = try turn(plan(.link(relation: "next", in: ["links"])), [page])
    #expect(turned.written == 1)
    #expect(
      turned.fault?.problem
        == "'links' is not an array of links with 'rel' and 'href': it is of the kind object; a URL that has its own place is "
        + "read by 'next: body.…'")
  }

  @Test("A secret in a cursor is not shown, not even the half of it where the message cuts")
  func secretCursor() throws {
    let cursor = String(repeating: "x", count: 54) + "token-1234567"
    let turned = try turn(
      plan(.cursor(item: .query("c"), from: "${body.c}")),
      [Sent(body: ["c": "\"\(cursor)\""]), Sent(body: ["c": "\"\(cursor)\""])],
      secrets: SecretStore(["token-1234567"]))
    #expect(turned.fault?.problem.contains("xxx***") == true)
    #expect(turned.fault?.problem.contains("toke") == false)
  }

  @Test("Links of other relations and of other resources are not followed; targets may be relative")
  func links() throws {
    let kind = Pages.Kind.link(relation: "Next", in: nil)
    let page = Sent(headers: [
      ("Link", "</first>; rel=first, </other>; rel=next; anchor=\"/elsewhere\""),
      ("link", "</part>; rel=next; anchor=\"#part\""), ("LINK", "<?page=2>; rel=\"prev NEXT\"; anchor=\"/x\""),
    ])
    #expect(try turn(plan(kind), [page]).urls == ["https://h/x", "https://h/x?page=2"])
    let relation = Pages.Kind.link(relation: "https://r/Later", in: ["links"])
    let body = Sent(body: ["links": #"[1,{"rel":"next"},{"relation":["a","HTTPS://R/later"],"url":"/y"}]"#])
    #expect(try turn(plan(relation), [body]).urls.last == "https://h/y")
  }
}
