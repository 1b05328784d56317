// Conditions as specs write them, and what is wrong with them.

import JSONText
import PipelineSpec
import Testing

@Suite("Conditions in specs") struct ConditionTests {
  @Test("a condition is a path, a map of paths and tests, a status, or a list of these")
  func right() throws {
    let written =
      "[body.ok, 409, {status: [404, 410], body.a: [1, null, true], body.d.0: {above: 0, below: 1.50}, "
      + "'body[\"e.f\"]': {not: {has: y}}, last.at: {above: 2024-01-31}}]"
    let condition = try #require(try job("endpoint: https://h/\nfailure: \(written)").failure)
    #expect(condition.alternatives.count == 3)
    #expect(condition.alternatives[0].map(\.path) == [["body", "ok"]])
    #expect(condition.alternatives[0][0].tests == [.truthy(readsTexts: false)])
    #expect(condition.alternatives[1][0].statuses == [409])
    let clauses = condition.alternatives[2]
    #expect(
      clauses.map(\.path) == [["status"], ["body", "a"], ["body", "d", "0"], ["body", "e.f"], ["last", "at"]])
    #expect(
      clauses.dropFirst().map(\.tests) == [
        [.among([JSONValue(1), .null, JSONValue(true)])],
        [.above(JSONValue(0)), .below(JSONValue(validated: Array("1.50".utf8)[...]))],
        [.not([.has(JSONValue("y"))])], [.above(JSONValue("2024-01-31"))],
      ])
  }

  @Test("each key has conditions about its own subject")
  func places() throws {
    let job = try job(
      """
      endpoint: https://h/
      where: [{ a.b: 1 }, c]
      empty: [404, missing, { status: 410, body.b: x }]
      retry: { when: [409, { body.c: null }] }
      contentIdentifier: data
      pages: { number: page, more: body.more, until: [short, { body.end: true }] }
      """)
    #expect(job.filter?.paths == [["a", "b"], ["c"]])
    #expect(job.empty?.isMissing == true)
    #expect(job.empty?.readsAnswer == true)
    #expect(job.empty?.condition?.paths == [["status"], ["status"], ["body", "b"]])
    #expect(job.retry.statuses == [409])
    #expect(job.retry.condition?.paths == [["body", "c"]])
    #expect(job.pages?.more?.statement == ["body", "more"])
    #expect(job.pages?.until.count == 2)
  }

  @Test("a condition is asked of answers with a status of success, of others only if it names the status")
  func statuses() throws {
    let condition = try #require(try job("endpoint: https://h/\nfailure: [body.a, { status: 404, body.a: 1 }]").failure)
    let one: (JSONPath) -> [JSONValue] = { $0 == ["status"] ? [JSONValue(404)] : [JSONValue(1)] }
    #expect(condition.holds(forStatus: 404, one))
    #expect(condition.holds(forStatus: 200) { $0 == ["status"] ? [JSONValue(200)] : [JSONValue(5)] })
    #expect(!condition.holds(forStatus: 404) { $0 == ["status"] ? [JSONValue(404)] : [JSONValue(5)] })
    #expect(!condition.holds(forStatus: 500) { $0 == ["status"] ? [JSONValue(500)] : [JSONValue(5)] })
  }

  @Test(
    "answers that can't mean 'no records'",
    arguments: [
      Wrong.job("empty: «[]»", "an empty list of answers"), Wrong.job("empty: [«401»]", "401 always stops"),
      Wrong.job("empty: «429»", "429 is a limit"), Wrong.job("empty: [«200»]", "200 brings records"),
      Wrong.job("empty: «301»", "a redirect is followed"),
      Wrong.job(
        "empty: «missign»", "expected a status, 'missing' or a condition, found 'missign' | did you mean 'missing'?"),
      Wrong.job("empty: «missing»", "'missing' without 'contentIdentifier'"),
      Wrong.job(
        "drop: a\n«keep»: b", "'keep' beside 'drop' | leave one of them out: 'keep' drops all that it doesn't name"),
      Wrong.job("keep: «[]»", "no member in 'keep' | write '[id, name]'"),
      Wrong.job("keep: [«a.*.b»]", "'*' can't stand in 'keep' | 'keep' leads through objects only"),
      Wrong.job("keep: «a»\nmodel: { b: any }", "'keep' leaves out 'b', which 'model' needs"),
      Wrong.job("rename: «{}»", "no member in 'rename' | write '{ old_name: name }'"),
      Wrong.job("rename: { «a»: a }", "'a' has this name already | leave it out"),
      Wrong.job("rename: { a: c, b: «c» }", "two members become 'c' | give each a name of its own"),
      Wrong.job("rename: { a: «[b]» }", "expected a member's new name, found a list"),
      Wrong.job("rename: { a: b }\nunique: «a»", "'unique' by 'a', which 'rename' removes"),
      Wrong.job(
        "keep: b\nunique: «a»", "'unique' by 'a', which 'keep' removes | add it to 'keep', or write the new name"),
      Wrong("«onError»: skip", "no 'endpoint' | add 'endpoint: ' with the URL to fetch"),
      Wrong.job("empty: «{}»", "a condition without a test"),
      Wrong.job("read: lines\nfailure: «{ body.a: 1 }»", "'body' can't be read beside 'read'"),
      Wrong.job("retry: { when: «[200]» }", "200 is not a failure"),
    ])
  func wrongAnswers(wrong: Wrong) { wrong.check() }

  @Test(
    "what is wrong with a condition",
    arguments: [
      Wrong.job("failure: «{}»", "a condition without a test | write '{ body.status: done }'"),
      Wrong.job("failure: «true»", "expected a path, or a map of paths and what they must be, found true"),
      Wrong.job("failure: «error»", "a path at an answer begins with its root | write 'body.error'"),
      Wrong.job("failure: { «ok»: false }", "a path at an answer begins with its root | write 'body.ok'"),
      Wrong.job("failure: «'${body.error}'»", "a condition takes a path, not a template | write 'body.error'"),
      Wrong.job("failure: «body»", "'body' needs a name after it | write 'body.name'"),
      Wrong.job("failure: «record.error»", "'record' is a line of an answer, with 'read: lines'"),
      Wrong.job("failure: { body.a: «[]» }", "an empty list, which nothing is in"),
      Wrong.job("failure: { body.a: [«[1]»] }", "expected a text, a number, true, false or null, found a list"),
      Wrong.job("failure: { body.a: «{}» }", "no test for the value | write '{ not: null }'"),
      Wrong.job("failure: { body.a: { «abvoe»: 1 } }", "unknown key 'abvoe' | did you mean 'above'?"),
      Wrong.job("failure: { body.a: { above: «x» } }", "expected a number, a date or a time, found the text 'x'"),
      Wrong.job(
        "failure: { body.a: { «exists»: true } }",
        "conditions have no 'exists' | write 'null' for a missing value, '{ not: null }' for one that is there"),
      Wrong.job("failure: { body.a: { has: «null» } }", "expected a text, a number, true or false, found nothing"),
      Wrong.job("failure: { «and»: [{ body.a: 1 }] }", "'and' can't combine tests"),
      Wrong.job("failure: { status: «99» }", "expected an HTTP status, found 99"),
      Wrong.job(
        "empty: { status: [404, «{ above: 598 }»] }",
        "expected an HTTP status, found a map | write a list of conditions, such as "
          + "'[{ status: 404 }, { status: { above: 499 } }]'"),
      Wrong.job("retry: { when: { status: [409, «{ above: 499 }»] } }", "expected an HTTP status, found a map"),
      Wrong.job("empty: { status: «[]» }", "an empty list, which nothing is in"),
      Wrong.job("failure: { body.a: \"«${input.p}»\" }", "'input' can't be read here"),
      Wrong.job("failure: { «\"${param.p}\"»: 1 }", "a template in a name"),
      Wrong.job("where: «[]»", "a condition without a test | write '{ type: file, size.bytes: { above: 0 } }'"),
    ])
  func wrong(wrong: Wrong) { wrong.check() }

  @Test(
    "forms that people guess show the line to write",
    arguments: [
      Wrong.job("pages: { number: page, «done»: \"${body.done}\" }", "'pages' has no key 'done'"),
      Wrong.job(
        "pages: { number: page, until: «{ status: 404 }» }",
        "a status says that an answer has no records | write 'empty: 404' in the step, beside 'pages'"),
      Wrong.job("pages: { number: page, until: «{ below: 1 }» }", "'until' has no 'below'"),
      Wrong.job(
        "pages: { number: page, until: «shrot» }", "expected 'short', 'known', 'repeated' or a condition, found 'shrot'"
      ),
    ])
  func former(wrong: Wrong) { wrong.check() }
}
