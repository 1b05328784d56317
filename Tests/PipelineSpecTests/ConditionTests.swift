// Conditions as specs write them, and what is wrong with them.

import JSONText
import PipelineSpec
import Testing

@Suite("Conditions in specs") struct ConditionTests {
  @Test("members or JSON Pointers have a value, a list of values, or tests")
  func right() throws {
    let written = "{a: x, b.c: [1, null, true], /d/e~1f: {above: 0, below: 1.50}, g: {not: {has: y}}, h: {not: [1]}}"
    let condition = try #require(try job("endpoint: https://h/\nfailure: \(written)").failure?.condition)
    #expect(condition.paths == [["a"], ["b.c"], ["d", "e/f"], ["g"], ["h"]])
    let one = JSONValue(1)
    #expect(
      condition.clauses.map(\.tests) == [
        [.among([JSONValue("x")])], [.among([one, .null, JSONValue(true)])],
        [.above(JSONValue(0)), .below(JSONValue(validated: Array("1.50".utf8)[...]))], [.not([.has("y")])],
        [.not([.among([one])])],
      ])
  }

  @Test("a condition stands in 'where', 'failure', 'empty' and 'retry'; 'drop' has members or pointers")
  func places() throws {
    let job = try job(
      """
      endpoint: https://h/
      where: { a: 1 }
      empty: { status: [404, 410], when: { b: x } }
      retry: { when: { c: null } }
      drop: [d.e, /f/0]
      """)
    #expect(
      job.filter?.paths == [["a"]] && job.empty?.condition?.paths == [["b"]] && job.retry.condition?.paths == [["c"]])
    #expect(job.empty?.statuses == [404, 410] && job.drop == [["d.e"], ["f", "0"]])
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
      Wrong.job("empty: «'404'»", "expected an HTTP status, found the text '404'"),
      Wrong.job("empty: «[]»", "an empty list of statuses"), Wrong.job("empty: [«401»]", "401 always stops"),
      Wrong.job("empty: [«429»]", "429 is a limit"), Wrong.job("empty: [«200»]", "200 is no error"),
      Wrong.job("empty: [«abc»]", "expected an HTTP status, found the text 'abc'"),
      Wrong.job("empty: «{}»", "neither 'status' nor 'when' in 'empty' | write '404' for a status"),
      Wrong.job("empty: { «statuses»: [404] }", "unknown key 'statuses' | did you mean 'status'?"),
      Wrong.job("empty: { status: «401» }", "401 always stops"),
      Wrong.job("drop: «''»", "expected a member's name, or a JSON Pointer, found an empty one"),
      Wrong.job("drop: a\n«keep»: b", "'keep' beside 'drop' | leave one of them out: 'keep' drops all that it doesn't name"),
      Wrong.job("keep: «[]»", "no member in 'keep' | write '[id, name]'"),
      Wrong.job("keep: [«/a/*/b»]", "'*' can't stand in 'keep' | 'keep' leads through objects only"),
      Wrong.job("keep: «a»\nmodel: { b: any }", "'keep' leaves out 'b', which 'model' needs"),
      Wrong.job("rename: «{}»", "no member in 'rename' | write '{ old_name: name }'"),
      Wrong.job("rename: { «a»: a }", "'a' has this name already | leave it out"),
      Wrong.job("rename: { a: c, b: «c» }", "two members become 'c' | give each a name of its own"),
      Wrong.job("rename: { a: «[b]» }", "expected a member's new name, found a list"),
      Wrong.job("rename: { a: b }\nunique: «a»", "'unique' by 'a', which 'rename' removes"),
      Wrong.job("keep: b\nunique: «a»", "'unique' by 'a', which 'keep' removes | add it to 'keep', or write the new name"),
      Wrong.job("drop: [«/a~»]", "'/a~' is no JSON Pointer"),
      Wrong("«onError»: skip", "no 'endpoint' | add 'endpoint: ' with the URL to fetch"),
      Wrong.job(
        "read: lines\nfailure: «{ a: 1 }»",
        "a condition beside 'read' | leave it out: NDJSON has nothing around its records"),
      Wrong.job("read: lines\nempty: «{ when: { a: 1 } }»", "a condition beside 'read'"),
    ])
  func wrongPlaces(wrong: Wrong) { wrong.check() }

  @Test(
    "what can't be one",
    arguments: [
      Wrong.job("failure: «{}»", "a condition without members | write '{type: file, /size/bytes: {above: 0}}'"),
      Wrong.job(
        "failure: «[1]»",
        """
        expected a template, or a condition, found a list | write where an answer has its error, such as \
        '${body.errors}', or '{ status: error }'
        """),
      Wrong.job("failure: «5»", "expected a template, found 5"),
      Wrong.job("failure: { «''»: 1 }", "expected a member's name, or a JSON Pointer, found an empty one"),
      Wrong.job("failure: { «/a~b»: 1 }", "'/a~b' is no JSON Pointer | a '~' is written '~0', a '/' in a name '~1'"),
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
