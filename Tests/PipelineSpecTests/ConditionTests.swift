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

  @Test(
    "what can't be one",
    arguments: [
      Wrong.job("failure: «{}»", "a condition without members | write '{type: file, /size/bytes: {above: 0}}'"),
      Wrong.job("failure: «[1]»", "expected a template, found a list"),
      Wrong.job("failure: «5»", "expected a template, found 5"),
      Wrong.job("failure: { «''»: 1 }", "expected a member's name, or a JSON Pointer, found an empty one"),
      Wrong.job("failure: { «/a~b»: 1 }", "'/a~b' is no JSON Pointer | a '~' is written '~0', a '/' in a name '~1'"),
      Wrong.job("failure: { a: «[]» }", "an empty list, which nothing is in"),
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
