// Specs that are right, and the values that they are.

import Diagnostics
import JSONText
import PipelineSpec
import Primitives
import Testing

@Suite("Specs") struct SpecTests {
  @Test("The smallest spec has an endpoint, and the defaults of the contract")
  func smallest() throws {
    let spec = try spec("endpoint: https://h/list")
    #expect(spec.name == "dir/file.yaml")
    #expect(spec.parameters == [])
    let job = try #require(spec.jobs.first)
    #expect(spec.jobs.count == 1)
    #expect(job.name == "file.yaml")
    #expect(job.position == SourcePosition(line: 1, column: 1))
    #expect(job.endpoint?.written == "https://h/list")
    #expect(job.base == nil && job.method == nil && job.body == nil && job.each == nil && job.contentIdentifier == nil)
    #expect(job.model == nil && job.decode.keys == nil && job.decode.members == [] && job.pages == nil)
    #expect(job.attach == nil && job.match == [] && job.count == nil && job.set == [] && job.hosts == [])
    #expect(job.query == [] && job.headers == [] && job.removedHeaders == [])
    #expect(job.concurrency == 1 && job.onError == .stop && job.timeout == .seconds(30))
    #expect(job.bodyLimit == 4_000_000_000)
    #expect(!job.readsRecords)
  }

  @Test("JSON is read as well, and '$schema' and 'description' say nothing")
  func json() throws {
    let job = try job(#"{"$schema": ["any"], "description": "of ${x", "endpoint": "https://h/", "query": {"a": 1e2}}"#)
    #expect(job.query.first?.values.first?.written == "1e2")
  }

  @Test("The contract's example")
  func cocktails() throws {
    let spec = try spec(
      """
      # every cocktail category, with its drinks.
      base: https://www.thecocktaildb.com/api/json/v1/1/
      steps:
        - name: categories
          endpoint: list.php
          query: { c: list }
          contentIdentifier: drinks
        - name: drinks
          endpoint: filter.php
          query:
            c: ${input.strCategory}
          contentIdentifier: drinks
          attach: items
          concurrency: 2
          onError: empty
      """)
    #expect(spec.jobs.map(\.name) == ["categories", "drinks"])
    #expect(spec.jobs.map(\.readsRecords) == [false, true])
    #expect(
      spec.jobs.map { $0.base?.literal } == Array(repeating: "https://www.thecocktaildb.com/api/json/v1/1/", count: 2))
    #expect(spec.jobs[1].attach == .list("items"))
    #expect(spec.jobs[1].concurrency == 2)
    #expect(spec.jobs[1].onError == .empty)
    #expect(spec.jobs[1].contentIdentifier?.templates.first?.literal == "drinks")
    #expect(spec.jobs[1].templates.map(\.written).contains("${input.strCategory}"))
    #expect(spec.jobs[1].position == SourcePosition(line: 8, column: 5))
  }

  @Test("Unnamed steps are FILE#1, FILE#2")
  func stepNames() throws {
    let spec = try spec(
      "steps:\n- endpoint: https://h/\n- endpoint: https://h/${input.a}\n- {name: c, endpoint: 'https://h/${input.b}'}"
    )
    #expect(spec.jobs.map(\.name) == ["file.yaml#1", "file.yaml#2", "c"])
  }

  // MARK: Parameters

  @Test("Parameters are text, numbers, booleans or required, spelled as in the spec")
  func parameters() throws {
    let spec = try spec(
      "endpoint: https://h/\nparams: { a: usd, b: 1.50, c: True, d: null, e: '', f: 0x1F, a-b_1: \"x\\ny\" }")
    #expect(spec.parameters.map(\.name) == ["a", "b", "c", "d", "e", "f", "a-b_1"])
    #expect(spec.parameters.map(\.standard?.text) == ["\"usd\"", "1.50", "true", nil, "\"\"", "31", "\"x\\ny\""])
    #expect(spec.parameters.map(\.spelling) == ["usd", "1.50", "True", "", "", "0x1F", "x\ny"])
  }

  @Test("Parameters may be declared after the templates that name them")
  func parametersLast() throws {
    #expect(try job("endpoint: https://h/${param.a}\nparams: { a: 1 }").endpoint?.names(.param) == true)
  }

  @Test(
    "A value of the command line is text, unless it is none or the default is a number or a boolean",
    arguments: [
      ("text", "5", "\"5\""), ("text", "", "\"\""), ("text", "a\"b", "\"a\\\"b\""), ("needed", "x", "\"x\""),
      ("number", "1.50", "1.50"), ("number", "-0", "-0"),
      ("number", "123456789012345678901234567890", "123456789012345678901234567890"),
      ("flag", "true", "true"), ("flag", "false", "false"), ("number", "x", nil), ("number", "", "\"\""),
      ("number", " 1", nil),
      ("number", "01", nil), ("number", "true", nil), ("flag", "yes", nil), ("flag", "True", nil), ("flag", "", "\"\""),
    ] as [(String, String, String?)])
  func commandLine(name: String, text: String, json: String?) throws {
    let spec = try spec("endpoint: https://h/\nparams: { text: a, number: 1, flag: false, needed: null }")
    let parameter = try #require(spec.parameters.first { $0.name == name })
    guard let json else {
      #expect(throws: CommandLineParameterError.self) { try parameter.value(of: [text]) }
      return
    }
    #expect(try parameter.value(of: [text]).text == json)
  }

  // MARK: Requests

  @Test(
    "Bases and endpoints that are right",
    arguments: [
      ("https://h/", "x"), ("HTTP://h:8080/v1/", "''"), ("http://[::1]:80/", "x"), ("https://h/", "/x?a=b#c"),
      ("https://h/", "https://other/${input.x}"), ("https://h/", "//other/x"), ("https://h/", "?a=${input.b}"),
      ("https://${param.p}.h.com/", "x"), ("https://h:${param.p}/v/", "${input.a}/x"),
      ("https://h/${env.A}/", "${input.url}"),
      ("https://h/", "./a:b"), ("https://h/", "a/b:c"), ("https://h/", "${param.p}"), ("https://h/", "x y"),
    ])
  func urls(base: String, endpoint: String) throws {
    let quoted = endpoint == "''" ? endpoint : "'\(endpoint)'"
    let job = try job("params: { p: a }\nbase: '\(base)'\nendpoint: \(quoted)")
    #expect(job.base?.written == base)
    #expect(job.endpoint?.written == (endpoint == "''" ? "" : endpoint))
  }

  @Test("A whole endpoint from a record needs a base or hosts")
  func endpointFromRecord() throws {
    #expect(try job("endpoint: ${input.url}\nhosts: [a.com]").readsRecords)
  }

  @Test("Query values keep their spelling; null leaves an item out; a list repeats it")
  func query() throws {
    let job = try job(
      """
      endpoint: https://h/
      query: { a: 1.50, b: 007, c: True, d: null, e: '~', f: [1, null, x, '${input.a}'], g: [], h: 2024-01-01, i: '', j: [null] }
      """)
    let written = job.query.map { "\($0.name)=\($0.values.map(\.written).joined(separator: "&"))" }
    #expect(
      written == ["a=1.50", "b=7=007", "c=true=True", "e='~'", "f=1&'x'&'${input.a}'", "h='2024-01-01'", "i=''"])
  }

  @Test("A body is any value, with templates in its strings and not in its names")
  func body() throws {
    let job = try job(
      "endpoint: https://h/\nbody: { a: [null, true, 1.0, '${input.x}'], $b: { c: '$${d}' }, e: {}, f: [] }")
    #expect(job.body?.written == "{a:[null,true,1.0,'${input.x}'],$b:{c:'${d}'},e:{},f:[]}")
    #expect(try body(of: "null") == "null")
    #expect(try body(of: "[]") == "[]")
  }

  private func body(of written: String) throws -> String? {
    try job("endpoint: https://h/\nbody: \(written)").body?.written
  }

  @Test("A step's headers merge with the file's without regard to case, and null removes")
  func headers() throws {
    let spec = try spec(
      """
      headers: { X-A: file, X-B: file, accept: null, X-C: 1.50, X-D: null }
      steps:
      - endpoint: https://h/
        headers: { x-a: step, X-b: null, X-D: '${env.D}', User-Agent: null }
      - endpoint: https://h/${input.a}
        headers: { ACCEPT: text/csv }
      """)
    let written = spec.jobs.map { job in job.headers.map { "\($0.name): \($0.value.written)" } }
    #expect(
      written == [
        ["x-a: step", "X-C: 1.50", "X-D: ${env.D}"], ["X-A: file", "X-B: file", "X-C: 1.50", "ACCEPT: text/csv"],
      ])
    #expect(spec.jobs[0].removedHeaders == ["accept", "x-b", "user-agent"])
    #expect(spec.jobs[1].removedHeaders == ["x-d"])
  }

  @Test("A step's own value replaces the file's whole")
  func defaults() throws {
    let spec = try spec(
      """
      steps:
      - endpoint: x
      - { endpoint: '${input.a}/y', base: http://b/, timeout: 1s, concurrency: 2, onError: stop, hosts: [b], bodyLimit: 1 }
      base: https://a/
      timeout: 500ms
      concurrency: 256
      onError: skip
      hosts: [a, A.b]
      bodyLimit: 64KiB
      """)
    let (first, second) = (spec.jobs[0], spec.jobs[1])
    #expect(first.base?.literal == "https://a/" && second.base?.literal == "http://b/")
    #expect(first.timeout == .milliseconds(500) && second.timeout == .seconds(1))
    #expect(first.concurrency == 256 && second.concurrency == 2)
    #expect(first.hosts.map(\.host) == ["a", "a.b"] && second.hosts.map(\.host) == ["b"])
    #expect(first.bodyLimit == 65_536 && second.bodyLimit == 1)
    #expect(first.onError == .stop, "without input records there is only 'stop'")
    #expect(second.onError == .stop)
  }

  @Test("A file's onError holds for the steps that read records")
  func defaultOnError() throws {
    let spec = try spec("onError: skip\nsteps:\n- endpoint: https://h/\n- endpoint: https://h/${input.a}")
    #expect(spec.jobs.map(\.onError) == [.stop, .skip])
  }

  @Test(
    "Durations",
    arguments: [("1ms", 1), ("500ms", 500), ("30s", 30_000), ("2m", 120_000), ("24h", 86_400_000), ("007s", 7_000)])
  func durations(text: String, milliseconds: Int) throws {
    #expect(try job("endpoint: https://h/\ntimeout: \(text)").timeout == .milliseconds(milliseconds))
  }

  @Test(
    "Sizes",
    arguments: [
      ("1", 1), ("100B", 100), ("64KB", 64_000), ("512MB", 512_000_000), ("4GB", 4_000_000_000),
      ("1TB", 1_000_000_000_000),
      ("1KiB", 1_024), ("2MiB", 2_097_152), ("1GiB", 1_073_741_824), ("9223372036854775807", Int.max),
    ])
  func sizes(text: String, bytes: Int) throws {
    #expect(try job("endpoint: https://h/\nbodyLimit: \(text)").bodyLimit == bytes)
  }

  @Test("Hosts are https on 443 unless an origin is written")
  func hosts() throws {
    let job = try job(
      "endpoint: https://h/\nhosts: [Files.Example.com, 'http://h:8080', 'https://h', 'http://h', 'http://[::1]:9']")
    let written = job.hosts.map { "\($0.scheme) \($0.host) \($0.port)" }
    #expect(written == ["https files.example.com 443", "http h 8080", "https h 443", "http h 80", "http [::1] 9"])
  }

  @Test("Methods are as written", arguments: ["GET", "POST", "DELETE", "M-SEARCH"])
  func methods(method: String) throws {
    #expect(try job("endpoint: https://h/\nmethod: \(method)\nbody: 1").method == method)
  }

  // MARK: Content

  @Test(
    "Content identifiers are paths, in which a template is a piece of a name",
    arguments: [
      "drinks", "a.b", "'*'", "data.0.a", "'[\"@graph\"].x'", "data.*.x", "'data.${param.p}.x'", "'${param.p}'",
      "'a[\"${param.p} b\"]'", "0",
    ])
  func contentIdentifiers(written: String) throws {
    let job = try job("params: { p: a }\nendpoint: https://h/\ncontentIdentifier: \(written)")
    #expect(job.contentIdentifier?.templates.first?.written == written.replacing("'", with: ""))
  }

  @Test("A '?' behind the path of the content says that it may be missing")
  func optionalContent() throws {
    let job = try job("endpoint: https://h/\ncontentIdentifier: data.items?")
    #expect(
      job.contentIdentifier?.templates.map(\.written) == ["data.items"] && job.contentIdentifier?.isOptional == true)
  }

  @Test("A poll has defaults, and conditions on the body")
  func poll() throws {
    #expect(try job("endpoint: https://h/\npoll: {}").poll == Poll())
    let poll = try job(
      "endpoint: https://h/\npoll: { until: { body.s: [A] }, failure: { body.e.c: 1 }, every: 1s, within: 1m }"
    )
    .poll
    #expect(poll?.every == .seconds(1) && poll?.within == .seconds(60))
    #expect(poll?.until?.paths == [["body", "s"]])
    #expect(poll?.failure?.paths == [["body", "e", "c"]])
  }

  @Test(
    "A body is JSON, lines or CSV",
    arguments: [
      ("json", BodyFormat.json), ("lines", .lines), ("csv", .csv(CSVDialect())), ("{ csv: {} }", .csv(CSVDialect())),
      (#"{ csv: { delimiter: "\t", header: true } }"#, .csv(CSVDialect(delimiter: 9))),
      ("{ csv: { header: false } }", .csv(CSVDialect(header: .none))),
      ("{ csv: { header: [a, ''] } }", .csv(CSVDialect(header: .names(["a", ""])))),
    ])
  func formats(written: String, format: BodyFormat) throws {
    #expect(try job("endpoint: https://h/\nread: \(written)").read == format)
  }

  @Test("A model has types, lists and maps; '?' makes a member optional")
  func model() throws {
    let job = try job(
      """
      endpoint: https://h/
      model: { a: string, b?: [integer], c: { d: number, e?: boolean }, f: date, g: url, h: any, i: [[{ j: string }]] }
      """)
    let members = try #require(job.model?.members)
    #expect(members.map(\.name) == ["a", "b", "c", "f", "g", "h", "i"])
    #expect(members.map(\.isOptional) == [false, true, false, false, false, false, false])
    let inner = Model(members: [
      .init(name: "d", kind: .number, isOptional: false), .init(name: "e", kind: .boolean, isOptional: true),
    ])
    let innermost = Model(members: [.init(name: "j", kind: .string, isOptional: false)])
    #expect(
      members.map(\.kind) == [.string, .list(.integer), .map(inner), .date, .url, .any, .list(.list(.map(innermost)))])
  }

  @Test("decode has key and date strategies")
  func decode() throws {
    let job = try job("endpoint: https://h/\ndecode: { keys: snake_case, dates: { a: seconds, b: rfc3339 } }")
    #expect(job.decode.keys == .snakeCase)
    #expect(
      job.decode.members == [
        .init(path: ["a"], reading: .date(.seconds)), .init(path: ["b"], reading: .date(.rfc3339)),
      ])
  }

  // MARK: Pages

  @Test("pages: number, with everything")
  func pages() throws {
    let pages = try #require(
      try job(
        """
        endpoint: https://h/
        query: { page: 0 }
        pages:
          number: page
          totalPages: headers.X-Pages
          totalRecords: body.total
          more: body.more?
          until: [short, last.done]
        maxPages: 3
        """
      ).pages)
    #expect(pages.kind == .number(item: .query("page")))
    #expect(pages.until.first == .short)
    #expect(pages.conditions.map(\.statement) == [["body", "more"], ["last", "done"]])
    #expect(pages.templates.map(\.written) == ["headers.X-Pages", "body.total"])
    #expect(pages.position == SourcePosition(line: 4, column: 3))
  }

  @Test("pages by cursor and by URL")
  func linkedPages() throws {
    let cursor = try job("endpoint: https://h/\npages: { cursor: after, from: last.id, more: body.more }")
      .pages
    #expect(cursor?.kind.items == [.query("after")])
    #expect(cursor?.templates.map(\.written) == ["last.id"])
    #expect(cursor?.more?.statement == ["body", "more"])
    let next = try job("endpoint: https://h/\npages: { next: body.links.next }").pages
    #expect(next?.templates.map(\.written) == ["body.links.next"])
  }

  @Test(
    "pages in short",
    arguments: [
      ("one", .single, nil), ("link", .link(relation: "next", in: nil), nil),
      ("{ number: p }", .number(item: .query("p"), start: 1), nil),
      ("{ number: p, until: short }", .number(item: .query("p"), start: 1), .short),
      ("{ offset: o }", .offset(item: .query("o"), start: 0), nil),
      ("{ offset: { body: v.from } }", .offset(item: .body(["v", "from"])), nil),
      ("{ link: next }", .link(relation: "next", in: nil), nil),
      ("{ link: { in: a.link, rel: 'https://r/Next' } }", .link(relation: "https://r/Next", in: ["a", "link"]), nil),
      ("{ number: { body: v.page } }", .number(item: .body(["v", "page"]), start: 1), nil),
      ("{ number: { body: l.0 } }", .number(item: .body(["l", "0"]), start: 1), nil),
      ("{ number: { body: t.x.page } }", .number(item: .body(["t", "x", "page"]), start: 1), nil),
    ] as [(String, Pages.Kind, Pages.Until?)])
  func pagesInShort(written: String, kind: Pages.Kind, until: Pages.Until?) throws {
    let pages = try job(
      "params: { p: a }\nendpoint: https://h/\nbody: { v: {}, l: [1], t: '${param.p}' }\npages: \(written)"
    ).pages
    #expect(pages?.kind == kind)
    #expect(pages?.until.first == until)
  }

  // MARK: Joins

  @Test("attach, match, count and set")
  func joins() throws {
    let one = try job("endpoint: https://h/${input.a}\nattach: { one: post }\nonError: empty")
    #expect(one.attach == .one("post"))
    let match = try job(
      "endpoint: https://h/\nmatch: { userId: id, b: c }\ncount: n\nset: { d: '${record.x}', e: 1, f: [null] }")
    #expect(match.match == [.init(fetched: ["userId"], input: ["id"]), .init(fetched: ["b"], input: ["c"])])
    #expect(match.count == "n" && match.attach == nil)
    #expect(match.set.map { "\($0.name)=\($0.value.written)" } == ["d='${record.x}'", "e=1", "f=[null]"])
    #expect(match.readsRecords)
  }

  @Test(
    "A job reads records if any template names them",
    arguments: [
      "query: { a: '${input}' }", "headers: { A: '${input.a}' }", "body: [['${input.a?}']]",
      "contentIdentifier: '${input.k}'", "set: { a: '${input.b}' }",
      "pages: { number: p, totalPages: input.n }",
    ])
  func readsRecords(line: String) throws {
    #expect(try job("endpoint: https://h/\n\(line)").readsRecords)
  }

  @Test("each makes records from lists and spans")
  func each() throws {
    let job = try job(
      """
      endpoint: https://h/${input.date}/${input.t}/${input.n}/${input.other:-x}
      each:
        date: [2024-01-01, '${today}', { a: 1 }]
        t: { from: 2024-02-29T23:59:60Z, to: "${now}", step: 15m }
        n: { from: 1, to: 10 }
        m: { from: '${param.p}', to: 2024-01-01, window: 1w }
      params: { p: 2023-12-31 }
      """)
    let axes = try #require(job.each?.axes)
    #expect(axes.map(\.name) == ["date", "t", "n", "m"])
    #expect(axes.map(\.position.line) == [3, 4, 5, 6])
    let written = axes.map { axis in
      switch axis.values {
      case .list(let values): values.map(\.written).joined(separator: " ")
      case .elements(let template): template.spelling
      case .span(let span):
        "\(span.from.written)…\(span.to.written) \(span.step?.spelling ?? "-")\(span.isWindow ? " window" : "")"
      }
    }
    #expect(
      written == [
        "'2024-01-01' '${today}' {a:1}", "'2024-02-29T23:59:60Z'…'${now}' 15m", "1…10 -",
        "'${param.p}'…'2024-01-01' 1w window",
      ])
  }

  @Test(
    "Spans over what dates and times there are",
    arguments: [
      ("2000-02-29", "2024-12-31", nil), ("2024-01-01T00:00:00.123+05:30", "'2024-01-01t00:00:00z'", "1h"),
      ("-5", "5", "2"), ("'${epoch}'", "5", "60"), ("'${param.p}'", "'${param.p}'", "1h"),
    ] as [(String, String, String?)])
  func spans(from: String, to: String, step: String?) throws {
    let stepText = step.map { ", step: \($0)" } ?? ""
    let job = try job(
      "params: { p: a }\nendpoint: https://h/${input.a}\neach: { a: { from: \(from), to: \(to)\(stepText) } }")
    guard case .span(let found)? = job.each?.axes.first?.values else {
      Issue.record("no span")
      return
    }
    #expect(found.step?.spelling == step)
  }

  // MARK: Table

  @Test("Every key has a value in words and one line of help, and stands once")
  func table() {
    for keys in [
      SpecKeys.file, SpecKeys.job, SpecKeys.pages, SpecKeys.link, SpecKeys.span, SpecKeys.decode, SpecKeys.attach,
      SpecKeys.condition, SpecKeys.retry, SpecKeys.auth, SpecKeys.basic, SpecKeys.oauth2, SpecKeys.login,
      SpecKeys.use, SpecKeys.aws, SpecKeys.tls, SpecKeys.download, SpecKeys.csv, SpecKeys.poll,
    ] {
      #expect(Set(keys.map(\.name)).count == keys.count)
      #expect(keys.allSatisfy { !$0.value.isEmpty && !$0.summary.isEmpty && !$0.summary.contains("\n") })
    }
    #expect(
      SpecKeys.job.filter { !$0.isDefault }.map(\.name) == [
        "name", "endpoint", "each", "when", "attach", "match", "count", "download",
      ])
    #expect(SpecKeys.download.filter(\.isRequired).map(\.name) == ["url", "to"])
  }
}
