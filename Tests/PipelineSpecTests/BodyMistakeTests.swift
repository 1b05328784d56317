// Bodies that contradict each other, their Content-Type, or their pager.

import PipelineSpec
import Testing

@Suite("Mistakes in bodies") struct BodyMistakeTests {
  @Test(
    "a body is of one kind, and of the type that is sent",
    arguments: [
      Wrong.job("body: {}\n«form»: {}", "'form' beside 'body' | leave one of them out: a request has one body"),
      Wrong.job("«text»: a\n«form»: {}\nbody: {}", "'text' beside 'body'", "'form' beside 'body'"),
      Wrong.job("form: «5»", "expected a map of items, found 5"),
      Wrong.job("form: { a: «{ b: 1 }» }", "expected a value or a list of values, found a map"),
      Wrong.job("text: «{}»", "expected a text, found an empty map"),
      Wrong.job(
        "body: {}\nheaders: { content-type: «application/x-www-form-urlencoded» }",
        "'body' is not sent as 'application/x-www-form-urlencoded' | write 'form' in place of 'body'"),
      Wrong.job(
        "body: {}\nheaders: { Content-Type: «text/xml; charset=utf-8» }",
        "'body' is not sent as 'text/xml' | leave the header out: 'body' is sent as JSON; other texts are 'text'"),
      Wrong.job(
        "form: {}\nheaders: { Content-Type: «application/json» }",
        "'form' is not sent as 'application/json' | leave the header out: 'form' is sent as "
          + "'application/x-www-form-urlencoded'"),
      Wrong.job(
        "form: {}\npages: { number: «{ body: a.b }» }",
        "'body' of a pager in a step with 'form' | write '{ form: a }'"),
      Wrong.job(
        "text: a\npages: { number: «{ body: a }» }",
        "'a' points into a text, which has no places | write 'body' or 'form' in place of 'text'"),
      Wrong.job("pages: { number: «{ body: a }» }", "'a' points into a body, and there is none | add 'body' or 'form'"),
    ])
  func bodies(wrong: Wrong) { wrong.check() }

  @Test(
    "types that don't contradict",
    arguments: [
      "body: {}\nheaders: { Content-Type: application/vnd.api+json }",
      "body: {}\nheaders: { Content-Type: text/plain }", "body: {}\nheaders: { Content-Type: '${param.p}' }",
      "form: {}\nheaders: { Content-Type: 'application/x-www-form-urlencoded; charset=UTF-8' }",
      "text: a\nheaders: { Content-Type: application/xml }", "form: {}\npages: { offset: { form: from } }",
      "text: ''\nheaders: { Content-Type: application/json }",
    ])
  func right(line: String) throws {
    _ = try job("params: { p: a }\nendpoint: https://h/x\n\(line)")
  }

  @Test("a file's Content-Type that contradicts a step's form is marked where it stands")
  func inherited() {
    Wrong(
      "headers: { Content-Type: «application/json» }\nsteps:\n- { endpoint: 'https://h/', form: { a: 1 } }",
      "'form' is not sent as 'application/json'"
    ).check()
  }
}
