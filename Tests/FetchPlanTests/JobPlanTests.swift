// Requests as a whole: method, headers, body, content, `set`.

import Diagnostics
import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct JobPlanTests {
  @Test("A plain job gets JSON by GET, and says who asks")
  func plain() throws {
    let request = try makePlan(
      makeJob("x") {
        $0.timeout = .seconds(5); $0.bodyLimit = 9
      }
    ).request(for: nil)
    #expect(request.method == "GET")
    #expect(
      request.fields.all.map { "\($0.name): \($0.value.text)" } == [
        "Accept: application/json", "User-Agent: pagecat/0",
      ])
    #expect(request.body == nil)
    #expect(request.timeout == .seconds(5))
    #expect(request.bodyLimit == 9)
    #expect(request.allowedOrigins == [Origin(scheme: "https", host: "api.example.com", port: 443)])
  }

  // MARK: Headers

  private func fields(_ headers: [(String, Template)], body: TemplateValue? = nil, removed: Set<String> = []) throws
    -> [String]
  {
    let job = makeJob("x") { job in
      job.headers = headers.map { .init(name: $0.0, value: $0.1) }
      job.removedHeaders = removed
      job.body = body
    }
    let record = JSONValue.record(#"{"id":7,"crlf":"a\r\nX: y","nul":"a\u0000","tab":"a\tb","uni":"é","del":"\u007f"}"#)
    return try makePlan(job).request(for: record).fields.all.map { "\($0.name): \($0.value.text)|\($0.value.redacted)" }
  }

  @Test("Headers of the spec replace the usual ones, null removes them")
  func headers() throws {
    #expect(
      try fields([("accept", "text/x"), ("X-Id", "n${input.id}"), ("X-Uni", "${input.uni}\t${input.tab}")])
        == ["User-Agent: pagecat/0|pagecat/0", "accept: text/x|text/x", "X-Id: n7|n7", "X-Uni: é\ta\tb|é\ta\tb"])
    #expect(try fields([], removed: ["accept", "user-agent"]) == [])
    #expect(
      try fields([("Authorization", "Bearer ${env.KEY}")], removed: ["accept", "user-agent"])
        == ["Authorization: Bearer s3cr et/1|Bearer ***"])
    #expect(
      try fields([("X", "${input.no?}"), ("Accept", "${param.none?}")], removed: ["user-agent"])
        == ["Accept: application/json|application/json"])
  }

  @Test(
    "A token is asked for by the name that the job's requests have; a secret in it stays at the job's origin",
    arguments: [
      (nil, "pagecat/0|pagecat/0"), ("x/${param.n}", "x/5|x/5"), ("${param.none?}", "pagecat/0|pagecat/0"),
      ("x/${input.id}", "pagecat/0|pagecat/0"), ("x/${env.KEY}", "x/s3cr et/1|x/***"),
    ] as [(Template?, String)])
  func tokenUserAgent(own: Template?, sent: String) throws {
    func userAgent(from token: Template, removed: Set<String> = []) throws -> String? {
      let job = makeJob("x") { job in
        job.auth = .init(
          kind: .oauth2(.init(tokenURL: token, clientID: "a", clientSecret: "b")), position: job.position)
        job.headers = [.init(name: "x-key", value: "${env.KEY}")]
        if let own { job.headers.append(.init(name: "user-agent", value: own)) }
        job.removedHeaders = removed
      }
      guard case .grant(let grant, _)? = try makePlan(job).credentials?.proof else { return nil }
      return grant.userAgent.map { "\($0.text)|\($0.redacted)" }
    }
    let usual = "pagecat/0|pagecat/0"
    #expect(try userAgent(from: "https://api.example.com/token") == sent)
    #expect(try userAgent(from: "/token") == sent)
    for other in ["https://login.example.com/token", "https://api.example.com:8443/token"] as [Template] {
      #expect(try userAgent(from: other) == (own?.names(.env) == true ? usual : sent))
    }
    if own == nil { #expect(try userAgent(from: "/token", removed: ["user-agent"]) == nil) }
  }

  @Test("A body is JSON unless the spec names another type")
  func contentType() throws {
    #expect(
      try fields([], body: [:], removed: ["accept", "user-agent"]) == [
        "Content-Type: application/json|application/json"
      ])
    #expect(
      try fields([("content-type", "application/vnd.api+json")], body: [:], removed: ["accept", "user-agent"])
        == ["content-type: application/vnd.api+json|application/vnd.api+json"])
    #expect(try fields([], body: [:], removed: ["accept", "user-agent", "content-type"]) == [])
    #expect(try fields([], body: "${input.no?}", removed: ["accept", "user-agent"]) == [])
  }

  @Test("No value can end a header and begin another", arguments: ["crlf", "nul", "del"])
  func controlCharacters(name: String) {
    #expect(throws: ParameterError.self) { try fields([("X", Template("a${input.\(name)}"))]) }
  }

  @Test("A line end in a variable is a fault of the environment, and its value is not shown")
  func controlCharacterInVariable() {
    let job = makeJob("x") { $0.headers = [.init(name: "X", value: "${env.LINES}")] }
    let fault = faultOf { () throws(ParameterError) in try makePlan(job) }
    #expect(fault?.isConfiguration == true)
    #expect(fault?.problem == "the value has a line end or another control character, which no header can hold")
    let literal = makeJob("x") { $0.headers = [.init(name: "X", value: "a\u{0}")] }
    #expect(faultOf { () throws(ParameterError) in try makePlan(literal) }?.isConfiguration == true)
  }

  // MARK: Body

  @Test("A body is compact JSON with its members in order, by POST unless the spec says otherwise")
  func body() throws {
    var job = makeJob("x") { $0.body = ["q": "${input.q}", "n": "${input.n}", "key": "${env.ab}"] }
    let request = try makePlan(job).request(for: .record(#"{"q":"a\"b","n":1.50}"#))
    #expect(request.method == "POST")
    #expect(request.body?.bytes == Array(#"{"q":"a\"b","n":1.50,"key":"x"}"#.utf8))
    #expect(request.body?.redacted == #"{"q":"a\"b","n":1.50,"key":"***"}"#)
    job.method = "PUT"
    #expect(try makePlan(job).request(for: .record(#"{"q":1,"n":1}"#)).method == "PUT")
  }

  // MARK: Content

  static let contents: [(identifier: String?, path: String)] = [
    (nil, "."), ("data", "data"), ("data.items", "data.items"), (#"["data.items"]"#, #"["data.items"]"#),
    ("rates.${input.code}.*", #"rates["a/b.c"].*"#), ("${input.code}", #"["a/b.c"]"#),
    ("x-${input.star}.y", #"["x-*"].y"#), ("a.${input.star}", #"a["*"]"#), (#"["a/${input.star}"].b"#, #"["a/*"].b"#),
    ("${input.star}${input.star}", #"["**"]"#), ("rows.${input.n}.0", "rows.7.0"), ("a.${input.no?}", "."),
  ]

  @Test("A value in the path of content is a piece of one name, whatever it holds", arguments: contents)
  func content(identifier: String?, path: String) throws {
    let plan = try makePlan(
      makeJob("x") { $0.contentIdentifier = identifier.map { ContentIdentifier(stringLiteral: $0) } })
    #expect(try plan.content(for: .record(#"{"code":"a/b.c","star":"*","n":7}"#)).description == path)
  }

  // MARK: The rest

  @Test("Members that set adds come in order, with their types")
  func additions() throws {
    let plan = try makePlan(
      makeJob("x") { job in
        job.set = [
          .init(name: "category", value: "${input.n}"), .init(name: "at", value: "${now}"),
          .init(name: "none", value: "${input.no?}"), .init(name: "list", value: [1, "${env.ab}"]),
        ]
      })
    let additions = try plan.additions(for: .record(#"{"n":1.0}"#)).map { "\($0.name)=\($0.value.text)" }
    #expect(additions == ["category=1.0", #"at="2026-01-01T00:00:00Z""#, #"list=[1,"x"]"#])
    #expect(throws: ParameterError.self) { try plan.additions(for: .record("{}")) }
  }

  @Test(
    "A missing variable or parameter is found wherever it stands",
    arguments: ["${env.NO}", "${param.no}", "${now+3000000d}"])
  func missing(hole: String) {
    let template = Template("a${input.x:-b}\(hole)")
    let jobs = [
      makeJob("x") { $0.set = [.init(name: "a", value: .string(template))] },
      makeJob("x") { $0.contentIdentifier = ContentIdentifier([.init(template)]) },
      makeJob("x") { $0.body = [.string(template)] }, makeJob("x") { $0.headers = [.init(name: "a", value: template)] },
      makeJob("x") { $0.query = [.init(name: "a", values: [.string(template)])] }, makeJob(template),
      makeJob("x") { job in
        job.pages = Pages(kind: .number(item: .query("p"), start: 1), position: job.position)
        job.pages?.totalPages = template
      },
      makeJob("x") {
        $0.each = Each(axes: [.init(name: "a", values: .list([.string(template)]), position: $0.position)])
      },
    ]
    for job in jobs {
      let fault = faultOf { () throws(ParameterError) in try makePlan(job) }
      #expect(fault?.template == hole)
      #expect(fault?.isConfiguration == true)
      #expect(fault?.position == "t.yaml:7:15")
    }
  }

  @Test("The secrets of a job are the values of all variables that it names")
  func secrets() {
    let job = makeJob("x/${env.KEY}") {
      $0.set = [.init(name: "a", value: "${env.ab}${env.EMPTY?}${env.NO:-d}${param.n}")]
    }
    #expect(run.secrets(of: job) == ["s3cr et/1", "x"])
  }
}
