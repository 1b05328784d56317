import Diagnostics
import PipelineSpec
import Testing

@Suite("Keys beside 'steps'")
struct StepDefaultsTests {
  private func jobs(_ text: String) throws -> [Job] {
    try Spec(reading: SourceText(name: "a.yaml", bytes: Array(("base: https://h/\n" + text).utf8))).jobs
  }

  /// A default, a step, and what the step comes to have.
  struct Step: Sendable, CustomTestStringConvertible {
    let defaults: String
    let step: String
    let wanted: String
    var testDescription: String { "\(defaults) | \(step)" }
  }

  @Test(
    "A default is as if it stood in the step, and a step's own key replaces it, or merges its members",
    arguments: [
      Step(defaults: "query: { a: 1, b: 2 }", step: "endpoint: x", wanted: "{ endpoint: x, query: { a: 1, b: 2 } }"),
      Step(
        defaults: "query: { a: 1, b: 2 }", step: "endpoint: x, query: { c: 3 }",
        wanted: "{ endpoint: x, query: { a: 1, b: 2, c: 3 } }"),
      Step(
        defaults: "query: { a: 1, b: 2 }", step: "endpoint: x, query: { a: null, b: 3 }",
        wanted: "{ endpoint: x, query: { b: 3 } }"),
      Step(defaults: "query: { a: 1 }", step: "endpoint: x, query: null", wanted: "{ endpoint: x }"),
      Step(
        defaults: "retry: { attempts: 2, wait: 1s }", step: "endpoint: x, retry: 3",
        wanted: "{ endpoint: x, retry: { attempts: 3, wait: 1s } }"),
      Step(
        defaults: "contentIdentifier: d\nempty: missing", step: "endpoint: x",
        wanted: "{ endpoint: x, contentIdentifier: d, empty: missing }"),
      Step(
        defaults:
          "pages: { number: p }\nmodel: { id: integer }\nwhere: { id: 1 }\ndrop: [a]\ndecode: { keys: camelCase }",
        step: "endpoint: x",
        wanted:
          "{ endpoint: x, pages: { number: p }, model: { id: integer }, where: { id: 1 }, drop: [a], decode: { keys: camelCase } }"
      ),
      Step(
        defaults: "method: PUT\nbody: { a: 1 }\nfailure: { body.path: e }\nunpack: gzip\nset: { s: 1 }",
        step: "endpoint: x",
        wanted:
          "{ endpoint: x, method: PUT, body: { a: 1 }, failure: { body.path: e }, unpack: gzip, set: { s: 1 } }"
      ),
      // What contradicts a step's own key does not apply to it.
      Step(defaults: "body: { a: 1 }", step: "endpoint: x, form: { b: 2 }", wanted: "{ endpoint: x, form: { b: 2 } }"),
      Step(
        defaults: "contentIdentifier: d\nempty: missing", step: "endpoint: x, read: lines",
        wanted: "{ endpoint: x, read: lines }"),
      Step(
        defaults: "contentIdentifier: d", step: "endpoint: x, read: json",
        wanted: "{ endpoint: x, contentIdentifier: d }"),
      Step(defaults: "empty: missing", step: "endpoint: x", wanted: "{ endpoint: x }"),
      Step(
        defaults: "contentIdentifier: d.*\nkey: id", step: "endpoint: x, contentIdentifier: e",
        wanted: "{ endpoint: x, contentIdentifier: e }"),
      Step(
        defaults: "contentIdentifier: d.*\nkey: id", step: "endpoint: x",
        wanted: "{ endpoint: x, contentIdentifier: d.*, key: id }"),
      Step(defaults: "batch: 5", step: "endpoint: x", wanted: "{ endpoint: x }"),
    ])
  func applies(_ step: Step) throws {
    let found = try jobs("\(step.defaults)\nsteps:\n  - { \(step.step) }")[0]
    let wanted = try jobs("steps:\n  - \(step.wanted)")[0]
    #expect(Self.values(found) == Self.values(wanted))
  }

  @Test("A step without a request, and a download, take what they can use")
  func others() throws {
    let defaults = "query: { a: 1 }\npages: { number: p }\nset: { s: 1 }\nbatch: 5\nmethod: POST\n"
    let jobs = try jobs(
      """
      \(defaults)steps:
        - { endpoint: x }
        - { set: { t: "${input.a}" } }
        - { endpoint: y, query: { ids: "${inputs.id:,}" } }
        - { download: { url: "${input.u}", to: f/ } }
      """)
    #expect(jobs.map { $0.set.map(\.name) } == [["s"], ["t"], ["s"], ["s"]])
    #expect(jobs.map { $0.pages == nil } == [false, true, false, true])
    #expect(jobs.map { $0.query.map(\.name) } == [["a"], [], ["a", "ids"], []])
    #expect(jobs.map(\.batch) == [nil, nil, 5, nil])
    #expect(jobs.map(\.method) == ["POST", nil, "POST", nil])
  }

  /// All values of a job, without their places.
  private static func values(_ job: Job) -> String {
    var text = ""
    var job = job
    job.keyPositions = []
    dump(job, to: &text)
    return text.replacing(#/\d+:\d+|- (line|column): \d+/#, with: "")
  }
}
