// What the first page lacks, and nearly has.

import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct NearNamesTests {
  private func found(_ kind: Pages.Kind, _ page: Sent, _ change: (inout Pages) -> Void = { _ in }) throws -> String? {
    let plan = try plan(kind) { change(&$0.pages!) }
    return plan.nearName(in: page.pageFacts(number: 1, of: nil))
  }

  private let number = Pages.Kind.number(item: .query("p"), start: 1)

  @Test("A name of 'pages' that the first page lacks is told beside the near one that it has")
  func names() throws {
    let root = Sent(lacking: ["curser": (0, ["items", "cursor"])])
    let cursor = Pages.Kind.cursor(item: .query("c"), from: "${body.curser}")
    #expect(
      try found(cursor, root)
        == "'${body.curser}' in 'pages' is missing on the first page, but it has 'cursor': did you mean that? There may be more"
    )
    let inside = Sent(lacking: ["meta.next_cursor": (1, ["nextCursor"])])
    #expect(try found(.next("${body.meta.next_cursor}"), inside)?.contains("but it has 'meta.nextCursor': ") == true)
    let outside = Sent(lacking: ["Meta.next": (0, ["meta"])])
    #expect(try found(.next("${body.Meta.next}"), outside)?.contains("but it has 'meta': ") == true)
    let links = Sent(lacking: ["lnks": (0, ["links"])])
    #expect(
      try found(.link(relation: "next", in: ["lnks"]), links)?.hasPrefix("'in: lnks' in 'pages' leads nowhere") == true
    )
    let header = Sent(headers: [("X-Next-Cursor", "a")])
    #expect(
      try found(.cursor(item: .query("c"), from: "${headers.x-nextcursor}"), header)?.contains(
        "the header 'X-Next-Cursor'")
        == true)
  }

  @Test("So are totals, 'more' and 'until', on a page that has records")
  func counts() throws {
    let changes: [(inout Pages) -> Void] = [
      { $0.more = "body.hasmore" }, { $0.until = ["body.hasmore"] }, { $0.totalPages = "${body.hasmore}" },
      { $0.totalRecords = "${body.hasmore}" },
    ]
    for change in changes {
      let page = Sent(lacking: ["hasmore": (0, ["has_more"])])
      #expect(try found(number, page, change)?.contains("'has_more'") == true)
      #expect(try found(number, Sent(records: 0, lacking: page.lacking), change) == nil)
    }
  }

  @Test("So is content that may be missing, whether or not the job has pages")
  func content() throws {
    let page = Sent(records: 0, missing: ("itmes", ["total", "items"])).pageFacts(number: 1, of: nil)
    #expect(
      try makePlan(makeJob("x")).nearName(in: page)
        == "'itmes' in 'contentIdentifier' is missing on the first page, but it has 'items': did you mean that? There may be more"
    )
    let other = Sent(records: 0, missing: ("itmes", ["total"])).pageFacts(number: 1, of: nil)
    #expect(try makePlan(makeJob("x")).nearName(in: other) == nil)
  }

  @Test("A name with a default or '?' is right; so is one whose neighbour 'pages' reads as well, or that is not near")
  func none() throws {
    let lacking: [String: (depth: Int, names: [String])] = ["page": (0, ["pages", "text"]), "next": (0, ["text"])]
    let page = Sent(body: ["pages": "3"], lacking: lacking)
    #expect(try found(.cursor(item: .query("c"), from: "${body.page:-}"), page) == nil)
    #expect(try found(.cursor(item: .query("c"), from: "${body.page?}"), page) == nil)
    #expect(try found(.next("${body.next}"), page) == nil)
    #expect(try found(.cursor(item: .query("c"), from: "${body.page}"), page) != nil)
    #expect(
      try found(.cursor(item: .query("c"), from: "${body.page}"), page) { $0.totalPages = "${body.pages}" } == nil)
    #expect(try makePlan(makeJob("x")).nearName(in: page.pageFacts(number: 1, of: nil)) == nil)
  }

  @Test("A part of more (206) is a sign of more where the job has no pages and asks for no part")
  func part() throws {
    let page = Sent(status: 206).pageFacts(number: 1, of: nil)
    #expect(try makePlan(makeJob("x")).partOfMore(in: page)?.contains("(206)") == true)
    #expect(try makePlan(makeJob("x")).partOfMore(in: Sent().pageFacts(number: 1, of: nil)) == nil)
    #expect(
      try makePlan(makeJob("x") { $0.headers = [.init(name: "range", value: "id ..")] }).partOfMore(in: page) == nil)
    #expect(try plan(number).partOfMore(in: page) == nil)
  }
}
