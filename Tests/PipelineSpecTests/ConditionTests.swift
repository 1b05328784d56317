// Conditions as specs write them, and what is wrong with them.

import JSONText
import PipelineSpec
import Testing

@Suite("Conditions in specs") struct ConditionTests {
  @Test("paths have a value, a list of values, or tests")
  func right() throws {
    let written =
      "{a: x, b.c: [1, null, true], 'd[\"e/f\"]': {above: 0, below: 1.50}, g: {not: {has: y}}, h: {not: [1]}}"
    let condition = try #require(try job("endpoint: https://h/\nfailure: \(written)").failure?.condition)
    #expect(condition.paths.map(\.description) == ["a", "b.c", #"d["e/f"]"#, "g", "h"])
    let one = JSONValue(1)
    #expect(
      condition.clauses.map(\.tests) == [
        [.among([JSONValue("x")])], [.among([one, .null, JSONValue(true)])],
        [.above(JSONValue(0)), .below(JSONValue(validated: Array("1.50".utf8)[...]))], [.not([.has("y")])],
        [.not([.among([one])])],
      ])
  }

  @Test("a condition stands in 'where', 'failure', 'empty' and 'retry'; 'drop' has paths")
  func places() throws {
    let job = try job(
      """
      endpoint: https://h/
      where: { a: 1 }
      empty: { status: [404, 410], when: { b: x } }
      retry: { when: { c: null } }
      drop: ['["d.e"]', f.0]
      """)
    #expect(
      job.filter?.paths == [["a"]] && job.empty?.condition?.paths == [["b"]] && job.retry.condition?.paths == [["c"]])
    #expect(job.empty?.statuses == [404, 410] && job.drop.map(\.description) == [#"["d.e"]"#, "f.0"])
    let plain = try self.empty("[403]")
    #expect(plain?.statuses == [403] && plain?.covers(403) == true && plain?.covers(200) == false)
    let said = try self.empty("{ when: { a: 1 } }")
    #expect(said?.statuses == [] && said?.covers(200) == true && said?.covers(404) == false)
  }

  private func empty(_ written: String) throws -> Job.Empty? {
    try job("endpoint: https://h/\nempty: \(written)").empty
  }

  @Test(
    "answers that can't mean 'no records', and members that can't be dropped",
    arguments: [
      Wrong.job("empty: «404»", "expected a list of statuses, found 404 | write '[403, 404]'"),
      Wrong.job("empty: «[]»", "an empty list of statuses"), Wrong.job("empty: [«401»]", "401 always stops"),
      Wrong.job("empty: [«429»]", "429 is a limit"), Wrong.job("empty: [«200»]", "200 is no error"),
      Wrong.job("empty: [«abc»]", "expected an HTTP status, found the text 'abc'"),
      Wrong.job("empty: «{}»", "neither 'status' nor 'when' in 'empty' | write '[404]' for a status"),
      Wrong.job("empty: { «statuses»: [404] }", "unknown key 'statuses' | did you mean 'status'?"),
      Wrong.job("empty: { status: «404» }", "expected a list of statuses, found 404"),
      Wrong.job("drop: «a»", "expected a list of paths, found the text 'a'"),
      Wrong.job("drop: [«/a~»]", "'/a~' is a JSON Pointer"),
      Wrong(
        "«where»: { a: 1 }",
        "no 'endpoint' | add 'endpoint: ' with the URL to fetch, or 'set: {}' if the job only changes its input records"
      ),
      Wrong.job(
        "read: lines\nfailure: «{ a: 1 }»",
        "a condition beside 'read' | leave it out: NDJSON has nothing around its records"),
      Wrong.job("read: lines\nempty: «{ when: { a: 1 } }»", "a condition beside 'read'"),
    ])
  func wrongPlaces(wrong: Wrong) { wrong.check() }

  @Test(
    "what can't be one",
    arguments: [
      Wrong.job("failure: «{}»", "a condition without members | write '{type: file, size.bytes: {above: 0}}'"),
      Wrong.job(
        "failure: «[1]»",
        """
        expected a path, or a condition, found a list | write where an answer has its error, such as \
        'body.errors', or '{ status: error }'
        """),
      Wrong.job("failure: «5»", "expected a path, found 5"),
      Wrong.job("failure: { «''»: 1 }", "an empty path"),
      Wrong.job("failure: { «/a~b»: 1 }", "'/a~b' is a JSON Pointer | write '[\"a~b\"]'"),
      Wrong.job(
        "failure: { a: «[]» }",
        """
        an empty list, which nothing is in | list the values that the member may have, or write '{ exists: false }' \
        for one that is missing
        """),
      Wrong.job("failure: { a: [«[1]»] }", "expected a text, a number, true, false or null, found a list"),
      Wrong.job("failure: { a: «{}» }", "no test for the member | write '{ exists: true }'"),
      Wrong.job("failure: { a: { «abvoe»: 1 } }", "unknown key 'abvoe' | did you mean 'above'?"),
      Wrong.job("failure: { a: { above: «x» } }", "expected a number, found the text 'x'"),
      Wrong.job("failure: { a: { exists: «1» } }", "expected true or false, found 1"),
      Wrong.job("failure: { a: { has: «''» } }", "expected a text, found an empty one"),
      Wrong.job("failure: { a: «\"${param.p}\"» }", "no template can stand here"),
      Wrong.job("failure: { «\"${param.p}\"»: 1 }", "a template in a name"),
    ])
  func wrong(wrong: Wrong) { wrong.check() }
}
