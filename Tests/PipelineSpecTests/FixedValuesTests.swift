// Templates in place of constants: samples without a run, its values with one.

import Diagnostics
import JSONText
import Testing

@testable import PipelineSpec

@Suite struct FixedValuesTests {
  private static let text = """
    params: { n: 5, city: "", word: camelCase }
    endpoint: https://h/${param.n}
    least: "${param.n}"
    timeout: "${param.time}"
    decode: { keys: "${param.word}" }
    where: { city: "${param.city?}", size: { above: "${param.n}" } }
    failure: { body.code: "${param.city?}" }
    """

  private func spec() throws -> Spec {
    let text = Self.text.replacing("param.time", with: "env.TIME:-3s")
    return try Spec(reading: SourceText(name: "a.yaml", bytes: Array(text.utf8)))
  }

  private func values(hidesVariables: Bool = false, n: JSONValue = JSONValue(7)) -> FixedValues {
    FixedValues(hidesVariables: hidesVariables) { template in
      switch template.holes.first?.path.steps.first?.name {
      case "n": n
      case "word": JSONValue("snake_case")
      case "TIME": JSONValue("9s")
      default: nil
      }
    }
  }

  @Test("Samples stand for the values of a run, and the job names the templates")
  func samples() throws {
    let job = try spec().jobs[0]
    #expect(job.least == 1)
    #expect(job.fixed.count == 6)
    #expect(job.fixed.filter(\.mayChange).count == 2)
  }

  @Test("A run has its own values; a test without one is left out, and so is a condition without a test")
  func ofRun() throws {
    let job = try spec().fixing(values()).jobs[0]
    #expect(job.least == 7)
    #expect(job.timeout == .seconds(9))
    #expect(job.decode.keys == .snakeCase)
    #expect(job.filter == Condition([Condition.Clause(path: ["size"], tests: [.above(JSONValue(7))])]))
    #expect(job.failure == nil)
  }

  @Test("A text of digits is a number where a number stands")
  func texts() throws {
    #expect(try spec().fixing(values(n: JSONValue("12"))).jobs[0].least == 12)
  }

  @Test("A value that the key can't take is a mistake at the template")
  func mistakes() throws {
    let spec = try spec()
    #expect(throws: DiagnosticList.self) { try spec.fixing(values(n: JSONValue("many"))) }
  }

  @Test("Without a value, a key is as if not given: the default beside 'steps' counts")
  func defaults() throws {
    let text = """
      params: { p: "", r: "" }
      rate: 1/s
      maxPages: 2
      retry: { attempts: 3, within: 1h }
      steps:
        - maxPages: "${param.p?}"
          endpoint: https://h/
          pages: link
          rate: "${param.r?}"
          retry: { attempts: "${param.p?}" }
        - { endpoint: "https://h/${input.id}", pages: link, retry: "${param.p?}" }
      """
    let spec = try Spec(reading: SourceText(name: "a.yaml", bytes: Array(text.utf8)))
    #expect(spec.jobs[0].position == SourcePosition(line: 6, column: 5))
    let without = try spec.fixing(FixedValues(hidesVariables: false) { _ in nil }).jobs
    #expect(without.map(\.maxPages) == [2, 2])
    #expect(without.map(\.rate?.interval) == [.seconds(1), .seconds(1)])
    #expect(without.map(\.retry.attempts) == [3, 3])
    #expect(without.map(\.retry.within) == [.seconds(3_600), .seconds(3_600)])
    let values = FixedValues(hidesVariables: false) { template in
      template.holes[0].path == ["p"] ? JSONValue(7) : JSONValue("2/s")
    }
    let given = try spec.fixing(values).jobs
    #expect(given.map(\.rate?.interval) == [.milliseconds(500), .seconds(1)])
    #expect(given.map(\.maxPages) == [7, 2])
    #expect(given.map(\.retry.attempts) == [7, 7])
    #expect(given.map(\.retry.within) == [.seconds(3_600), .seconds(3_600)])
  }

  @Test("Without a value, a key beside the steps of a stream leaves that beside 'streams'")
  func defaultsOfStreams() throws {
    let text = """
      params: { p: "" }
      rate: 1/s
      maxPages: 2
      streams:
        a:
          rate: "${param.p?}"
          maxPages: "${param.p?}"
          steps: [{ endpoint: "https://h/", pages: link }]
      """
    let spec = try Spec(reading: SourceText(name: "a.yaml", bytes: Array(text.utf8)))
    let without = try spec.fixing(FixedValues(hidesVariables: false) { _ in nil }).jobs[0]
    #expect(without.maxPages == 2 && without.rate?.interval == .seconds(1))
  }

  @Test("A number that a hidden variable gives counts as not given")
  func hidden() throws {
    #expect(try spec().fixing(values(hidesVariables: true)).jobs[0].timeout == .seconds(30))
  }
}
