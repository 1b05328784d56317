// What `--resume` compares: texts of decoded jobs, by key.

import Diagnostics
import FetchPlan
import PipelineSpec
import Testing

@Suite("The identity of a job")
struct JobIdentityTests {
  private func identity(_ text: String) throws -> [[String: String]] {
    try Spec(reading: SourceText(name: "a.yaml", bytes: Array(text.utf8))).jobs.map { job in
      Dictionary(uniqueKeysWithValues: job.identity.map { ($0.key, $0.text) })
    }
  }

  @Test(
    "is the same where the same is asked for",
    arguments: [
      ("endpoint: https://h/a\nmethod: GET", "endpoint: https://h/a"),
      ("endpoint: https://h/a\nmethod: POST\nbody: {}", "endpoint: https://h/a\nbody: {}"),
      (
        "base: https://h/v1/\nendpoint: a/${param.x}\nparams: { x: 1 }",
        "endpoint: https://h/v1/a/${param.x}\nparams: { x: 1 }"
      ),
      ("base: https://h/v1/\nendpoint: /a", "base: https://h/v2/\nendpoint: /a"),
      ("base: HTTPS://H/v1/\nendpoint: ../a", "endpoint: https://h/a"),
      (
        "base: ${param.u}/v1/\nendpoint: a\nparams: { u: null }",
        "base: ${param.u}/\nendpoint: v1/a\nparams: { u: null }"
      ),
      (
        "endpoint: https://h/a\nquery: { p: 2 }\npages: { number: p, until: short }",
        "pages: { until: short, number: p }\nendpoint: https://h/a\nquery: { p: 2 }"
      ),
      ("endpoint: https://h/a\npages: { number: p }", "endpoint: https://h/a\npages: { number: p }"),
      ("endpoint: https://h/a\nheaders: { A: 1, B: 2 }", "endpoint: https://h/a\nheaders: { b: \"2\", a: 1 }"),
      (
        "endpoint: https://h/a\nheaders: { Accept: null, User-Agent: null }",
        "endpoint: https://h/a\nheaders: { User-Agent: null, Accept: null }"
      ),
      ("endpoint: https://h/a\nquery: { n: 5, x: null }", "endpoint: https://h/a\nquery: { n: '5' }"),
      ("steps: [{ endpoint: https://h/a, query: { a: 1 } }]", "endpoint: https://h/a\nquery: { a: 1 }"),
      ("steps: [{ endpoint: https://h/a }]\nheaders: { A: b }", "endpoint: https://h/a\nheaders: { A: b }"),
      ("name: one\nendpoint: https://h/a", "endpoint: https://h/a"),
      ("endpoint: https://h/a\nheaders: { accept: application/json }", "endpoint: https://h/a"),
      ("params: { x: 1, y: 2 }\nendpoint: https://h/${param.x}", "endpoint: https://h/${param.x}\nparams: { x: 7 }"),
      (
        "endpoint: https://h/a\nrate: 5/s\nretry: 2\ntimeout: 1s\nconcurrency: 3\nhosts: [b]\nbodyLimit: 10\ndescription: text",
        "# comment\nendpoint: \"https://h/a\""
      ),
      (
        "endpoint: https://h/a\npoll: { until: { body.a: 1 }, every: 1s }",
        "endpoint: https://h/a\npoll: { within: 1m, until: { body.a: [1] } }"
      ),
      (
        "endpoint: https://h/a\ncontentIdentifier: '[\"a/b\"]'", "endpoint: https://h/a\ncontentIdentifier: '[\"a/b\"]'"
      ),
      ("endpoint: https://h/${input.id}", "endpoint: https://h/${input['id']}"),
      (
        "base: https://h/v1/\nendpoint: a\npages: { cursor: { body: c }, from: body.c, then: { endpoint: b, body: {} } }",
        "endpoint: https://h/v1/a\npages: { cursor: { body: c }, from: body.c, then: { endpoint: https://h/v1/b, method: POST, body: {} } }"
      ),
      ("endpoint: https://h/a\nempty: 404", "endpoint: https://h/a\nempty: 404"),
      ("endpoint: https://h/a\nbody: { n: 0x1F }", "endpoint: https://h/a\nbody: { n: 31 }"),
    ])
  func same(_ one: String, _ other: String) throws {
    #expect(try identity(one) == identity(other))
  }

  @Test(
    "differs in the keys by which something else is asked for",
    arguments: [
      ("query: { a: 1, b: 2 }", "query: { b: 2, a: 1 }", ["query"]),
      ("query: { a: \"${now}\" }", "query: { a: \"$${now}\" }", ["query"]),
      ("body: { a: 1 }", "body: { a: \"1\" }", ["body"]),
      ("body: { a: 1 }", "form: { a: 1 }", ["body", "form"]),
      ("query: { a: \"${input.b}\" }", "query: { a: \"${input.b?}\" }", ["query"]),
      ("query: { a: \"${input.b:-c}\" }", "query: { a: \"${input.b:-d}\" }", ["query"]),
      ("query: { a: \"${today-1d}\" }", "query: { a: \"${today-2d}\" }", ["query"]),
      ("query: { a: \"${today:date}\" }", "query: { a: \"${today:%Y}\" }", ["query"]),
      ("method: PUT", "", ["method"]),
      ("body: { ids: [] }", "body: { ids: {} }", ["body"]),
      ("body: { ids: [] }", "body: { ids: \"\" }", ["body"]),
      ("body: {}", "body: []", ["body"]),
      ("method: POST\ntext: \"\"", "method: POST", ["text"]),
      ("method: POST\nform: {}", "method: POST", ["form"]),
      ("set: { t: [] }", "set: { t: \"\" }", ["set"]),
      (
        "pages: { cursor: c, from: body.c, then: { endpoint: https://h/b } }",
        "pages: { cursor: c, from: body.c, then: { endpoint: https://h/c } }", ["pages"]
      ),
      ("headers: { A: 1 }", "headers: { A: 2 }", ["headers"]),
      ("headers: { Accept: null }", "", ["headers"]),
      ("pages: { number: p }", "pages: { offset: p }", ["pages"]),
      ("pages: { number: p }", "pages: { number: p }\nmaxPages: 2", ["maxPages"]),
      ("pages: { number: p }", "pages: { number: p, until: short }", ["pages"]),
      ("pages: { cursor: p, from: body.a }", "pages: { cursor: p, from: body.b }", ["pages"]),
      ("where: { a: 1 }", "where: { a: { not: 1 } }", ["where"]),
      ("drop: [a]", "drop: [b]", ["drop"]), ("keep: a", "keep: [a, b]", ["keep"]),
      ("rename: { a: b }", "rename: { a: c }", ["rename"]), ("columns: [a]", "columns: [b]", ["columns"]),
      ("unpack: gzip", "", ["unpack"]),
      (
        "each: { n: [1] }\nquery: { n: \"${input.n}\" }\nonError: skip",
        "each: { n: [1] }\nquery: { n: \"${input.n}\" }", ["onError"]
      ),
      ("decode: { keys: camelCase }", "decode: { keys: snake_case }", ["decode"]),
      ("model: { a: string }", "model: { a?: string }", ["model"]),
      ("contentIdentifier: a", "contentIdentifier: '*'", ["contentIdentifier"]),
      ("poll: { until: { body.a: 1 } }", "poll: { until: { body.a: 2 } }", ["poll"]),
      ("set: { a: 1, b: 2 }", "set: { b: 2, a: 1 }", ["set"]),
      ("incremental: { mark: id, start: 1 }", "incremental: { mark: id, start: 2 }", ["incremental"]),
      ("incremental: id\nname: a", "incremental: id\nname: b", ["name"]),
      ("auth: { bearer: \"${env.A}\" }", "auth: { bearer: \"${env.B}\" }", ["auth"]),
    ])
  func different(_ one: String, _ other: String, _ keys: [String]) throws {
    let start = "endpoint: https://h/a\n"
    let (ours, theirs) = try (identity(start + one)[0], identity(start + other)[0])
    let found = Set(ours.keys).union(theirs.keys).filter { ours[$0] != theirs[$0] }.sorted()
    #expect(found.filter { $0 != "method" || keys.contains("method") } == keys)
  }

  @Test("differs if the credentials go to another origin, and not if their base only has another path")
  func credentials() throws {
    func spec(_ base: String) -> String {
      "base: \(base)\nauth: { bearer: \"${env.T}\" }\nsteps: [{ endpoint: https://h/x }]"
    }
    #expect(try identity(spec("https://h/a/")) == identity(spec("https://h/b/")))
    #expect(try identity(spec("https://h/a/")) != identity(spec("https://i/a/")))
  }

  @Test("compares each property, but for those of keys that may change, and names keys of the language only")
  func keys() throws {
    let names = Set(SpecKeys.job.map(\.name))
    let job = Job(name: "a", position: SourcePosition(line: 1, column: 1))
    let compared = Set(job.compared.map(\.label))
    // They follow from other keys, from `--from`, from the place in a stream, or from what is compared itself.
    let derived: Set = ["name", "position", "keyPositions", "since", "eachBefore", "savesMark", "fixed", "isLater"]
    #expect(job.compared.allSatisfy { $0.value == nil }, "values that say nothing are not reflected")
    for label in Mirror(reflecting: job).children.compactMap(\.label) where !derived.contains(label) {
      let key = Job.keys[label] ?? label
      #expect(names.contains(key) && compared.contains(label) != SpecKeys.changeable.contains(key), "\(label)")
    }
  }
}
