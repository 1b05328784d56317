import Testing

@Suite struct SpecPagesMistakeTests {
  private static let list = "'pages' has one of number, offset, cursor, next, link"

  @Test(
    "One kind of pages, and what belongs to it",
    arguments: [
      Wrong.job("pages: { number: p, «offset»: o }", "'offset' beside 'number' | \(list)"),
      Wrong.job(
        "pages: { link: next, «next»: body.next, «number»: p }", "'next' beside 'link' | \(list)",
        "'number' beside 'link' | \(list)"),
      Wrong.job("pages: { «from»: body.c }", "'pages' does not say how to get the next page"),
      Wrong.job(
        "pages: { number: p, «from»: body.c }",
        "'from' means nothing with 'number' | leave it out: it belongs to 'cursor'"),
      Wrong.job(
        "pages: { next: body.n, «in»: link }",
        "'in' stands in 'link' | write 'link: { in: link, rel: next }'"),
      Wrong.job(
        "pages: { cursor: c, from: body.c, «start»: 2, until: short }",
        "'pages' has no key 'start' | give the item its first value in the request, such as 'query: { page: 2 }'"),
      Wrong.job(
        "pages: { «cursor»: c }",
        "'cursor' without 'from' | add 'from' with where a page has the cursor, such as 'from: body.next_cursor'"
      ),
      Wrong.job("pages: { cursor: c, from: «$.next» }", "'$.next' is JSONPath | write 'body.next'"),
      Wrong.job(
        "pages: { cursor: c, from: «next» }",
        "'next' begins with no root | write 'body.next', or 'last.next' for the last record's"),
      Wrong.job("pages: { cursor: c, «fron»: '${body.c}' }", "unknown key 'fron' | did you mean 'from'?"),
      Wrong.job(
        "pages: { cursor: c, «next»: body.c }",
        "'next' beside 'cursor' | where a page has the cursor says 'from'"),
      Wrong.job(
        "pages: { cursor: c, from: body.c, «next»: body.n }", "'next' beside 'cursor' | \(list)"),
      Wrong.job(
        "pages: «number»", "expected 'auto', 'link', 'one' or a map, found the text 'number' | write '{ number: page }'"
      ),
      Wrong.job("pages: { «limit»: 2 }", "'pages' has no key 'limit'"),
    ])
  func kinds(wrong: Wrong) { wrong.check() }

  @Test(
    "Values of the kinds",
    arguments: [
      Wrong.job("pages: { next: «/meta/next» }", "'/meta/next' is a JSON Pointer | write 'body.meta.next'"),
      Wrong.job("pages: { next: «x-next» }", "'x-next' begins with no root | write 'headers.x-next'"),
      Wrong.job("pages: { next: «'body.a[0]'» }", "'body.a[0]' has brackets without quotes | write 'body.a.0'"),
      Wrong.job("pages: { next: «body.a.*.b» }", "'*' names several values, and a template reads one"),
      Wrong.job(
        "pages: { next: «'${body.next}'» }",
        "'${body.next}' alone is a path | write 'body.next': '${…}' is for a value inside a text"),
      Wrong.job("pages: { next: '${«boddy».next}' }", "unknown template root 'boddy' | did you mean 'body'?"),
      Wrong.job(
        "pages: { next: «'https://h/?c=${param.p}'» }",
        "it would be the same on every page | read the page: begin with 'body.', 'headers.' or 'last.'"),
      Wrong.job("pages: { cursor: c, from: «'${now}'» }", "it would be the same on every page"),
      Wrong.job("pages: { cursor: «'${body.c}'», from: body.c }", "no template can stand here"),
      Wrong.job("pages: { link: «true» }", "expected a relation such as next, found true"),
      Wrong.job("pages: { link: «'next prev'» }", "'next prev' is not a relation | write one of them, such as 'next'"),
      Wrong.job("pages: { link: { in: «/links» } }", "'/links' is a JSON Pointer | write 'links'"),
      Wrong.job("pages: { link: { in: «a/b» } }", "'a/b' has a slash | write 'a.b', or '[\"a/b\"]' for one name"),
      Wrong.job(
        "pages: { link: next, «in»: links }", "'in' stands in 'link' | write 'link: { in: links, rel: next }'"),
      Wrong.job("pages: { link: «{ rel: next }» }", "no 'in' | add 'in: ', a path"),
      Wrong.job(
        "pages: { «nested»: ignore }\nmaxPages: 1",
        "unknown key 'nested' | write 'ignore: nested' in the step, beside 'pages'"),
      Wrong.job("pages: { link: { in: «a.*» } }", "'*' in 'in'"),
      Wrong.job("pages: { link: { in: «/a~2» } }", "'/a~2' is a JSON Pointer"),
      Wrong.job(
        "pages: { offset: «{ body: from }» }", "'from' points into a body, and there is none | add 'body' or 'form'"),
      Wrong.job(
        "body: { q: 1 }\npages: { cursor: «{ body: v.after }», from: body.c }",
        "'v.after' leads nowhere in 'body' | add 'v: {}' to 'body'"),
    ])
  func values(wrong: Wrong) { wrong.check() }
}
