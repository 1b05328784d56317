// Paths in specs: where they begin, and what is wrong with them.

import JSONText
import PipelineSpec
import Testing

@Suite("Paths in specs") struct PathTests {
  @Test("Each key takes the one notation")
  func everywhere() throws {
    let job = try job(
      """
      endpoint: https://h/${input.id}
      contentIdentifier: data.items
      columns: meta.columns.*.name
      where: { size.bytes: { above: 0 } }
      drop: [_links, owner.email, '["@type"]', 0]
      unique: [id, owner.id]
      decode: { dates: { meta.at: seconds }, types: { '["a b"]': number } }
      incremental: { mark: meta.at, by: [shop.id, id] }
      """)
    #expect(job.columns?.description == "meta.columns.*.name")
    #expect(job.filter?.paths.map(\.description) == ["size.bytes"])
    #expect(job.drop.map(\.description) == ["_links", "owner.email", #"["@type"]"#, "0"])
    #expect(job.uniqueMembers.map(\.description) == ["id", "owner.id"])
    #expect(job.keyMembers.isEmpty)
    #expect(job.decode.members.map(\.path.description) == [#"["a b"]"#, "meta.at"])
    #expect(job.incremental?.by.map(\.description) == ["shop.id", "id"])
  }

  @Test("Both sides of 'match' are paths")
  func match() throws {
    let job = try job("endpoint: https://h/\nmatch: { user.id: owner.id }\nattach: a")
    #expect(job.match.map { "\($0.fetched) \($0.input)" } == ["user.id owner.id"])
  }

  @Test(
    "A text that is not a path is refused with the line to write",
    arguments: [
      Wrong.job("contentIdentifier: «/data/items»", "'/data/items' is a JSON Pointer | write 'data.items'"),
      Wrong.job("contentIdentifier: «$.data.items[*]»", "'$.data.items[*]' is JSONPath | write 'data.items'"),
      Wrong.job("contentIdentifier: «'@graph'»", "'@graph' has characters that need quotes | write '[\"@graph\"]'"),
      Wrong.job("contentIdentifier: «''»", "an empty path"),
      Wrong.job("drop: [«'a[0]'»]", "'a[0]' has brackets without quotes | write 'a.0'"),
      Wrong.job("where: { «/a/b»: 1 }", "'/a/b' is a JSON Pointer | write 'a.b'"),
      Wrong.job("unique: «a.*»", "'*' in 'unique'"),
      Wrong.job("drop: [«a?»]", "a '?' behind a path | leave it out: what this path names may always be missing"),
      Wrong.job("drop: [«1.5»]", "expected a path, found 1.5"),
      Wrong.job(
        "contentIdentifier: «[\"@graph\"]»",
        "expected a path, found a list | write '[\"@graph\"]' with single quotes around it: YAML reads brackets as a list"
      ),
      Wrong.job(
        "pages: { cursor: «/variables/after», from: body.c }",
        "'/variables/after' is a JSON Pointer | write '{ body: variables.after }'"),
      Wrong.job(
        "pages: { number: «/page» }",
        "'/page' is a JSON Pointer | write '{ body: page }', or '{ form: page }' for an item of 'form'"),
      Wrong.job(
        "pages: { number: { «query»: page } }", "unknown key 'query' | a query item is written as its name alone"),
      Wrong.job("pages: { number: «{ form: page }» }", "'form' of a pager in a step without 'form'"),
    ])
  func mistakes(wrong: Wrong) { wrong.check() }

  @Test("A pager's item may be in the query, the body, the form or a header field")
  func items() throws {
    func item(_ written: String, _ others: String = "") throws -> Pages.PageItem? {
      try job("endpoint: https://h/\npages: { number: \(written) }\n\(others)").pages?.kind.items.first
    }
    #expect(try item("'page[number]'") == .query("page[number]"))
    #expect(try item("{ body: v.page }", "body: { v: {} }") == .body(["v", "page"]))
    #expect(try item("{ form: 'a.b' }", "form: { x: 1 }") == .body(JSONPath(rootKey: "a.b")))
    #expect(try item("{ header: X-Page }") == .header("X-Page"))
  }

  @Test("'record' is what a step fetches, 'input' what it reads")
  func roots() throws {
    let fetches = try job("endpoint: https://h/\nset: { a: '${record.b}', c: '${body.d}', e: '${headers.f}' }")
    #expect(!fetches.readsRecords)
    #expect(try job("endpoint: https://h/\nset: { a: '${input.b}' }").readsRecords)
    #expect(try job("set: { a: '${input.b}' }").readsRecords)
  }

  @Test(
    "A root that can't be read is refused with the one to write",
    arguments: [
      Wrong.job(
        "query: { a: '«${record.b}»' }",
        "'record' can't be read here | 'record' is what the step fetches, and only 'set' can read it; write '${input.b}' for "
          + "what the step reads"),
      Wrong.job("query: { a: '${«records».b:,}' }", "unknown template root 'records' | write '${inputs.b:,}'"),
      Wrong(
        "set: { a: '«${record.b}»' }",
        "'record' can't be read here | without 'endpoint' nothing is fetched: write '${input.b}'"),
      Wrong(
        "set: { a: '«${body.b}»' }",
        "'body' can't be read here | without 'endpoint' nothing is fetched, and there is no answer"),
      Wrong.job("query: { a: '«${input.b:path}»' }", "':path' can't stand here"),
    ])
  func wrongRoots(wrong: Wrong) { wrong.check() }
}
