// Pages by offset, stepped by hand.

import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct PagerOffsetTests {
  private static let query = Pages.Kind.offset(item: .query("o"), start: 0)

  @Test("The item goes up by the records received, from what the request has")
  func offsets() throws {
    let sizes = [3, 2, 5, 0].map { Sent(records: $0) }
    let turned = try turn(plan(Self.query, "https://h/x?o=9&a=1"), sizes)
    #expect(turned.tails == ["?o=9&a=1", "?o=12&a=1", "?o=14&a=1", "?o=19&a=1"])
    #expect(turned.end == .complete("empty page 4"))
    let body = try turn(plan(.offset(item: .body(["from"])), body: ["from": "1", "size": 3]), sizes)
    #expect(body.tails.prefix(2) == [#"{"from":1,"size":3}"#, #"{"from":4,"size":3}"#])
  }

  @Test("An empty page ends it, and is short where the totals say that more pages follow")
  func ends() throws {
    let plan = try plan(Self.query) { $0.pages?.totalPages = "${body.t}" }
    let pages = [Sent(records: 2, body: ["t": "3"]), Sent(records: 0)]
    #expect(try turn(plan, pages).end == .short("2 of 3 pages; empty page 2"))
    #expect(try turn(plan, [Sent(records: 2, body: ["t": "1"])]).end == .complete("page 1 of 1"))
  }

  @Test("A page with the content of the one before it does not come out")
  func circle() throws {
    let turned = try turn(plan(Self.query), [Sent(content: "a"), Sent(content: "a")])
    #expect(turned.written == 1)
    #expect(turned.fault?.problem.hasPrefix("page 2 has the same content as page 1") == true)
    #expect(turned.fault?.problem.contains("see how it calls the offset") == true)
    #expect(
      try turn(plan(Self.query) { $0.ignored = [.repeats] }, [Sent(content: "a"), Sent(content: "a")]).fault == nil)
  }

  /// The items of the pages that could be fetched ahead after these.
  private func ahead(after sizes: [Int], _ change: (inout Pages) -> Void = { _ in }) throws -> [String] {
    let plan = try plan(Self.query) { change(&$0.pages!) }
    var pager = plan.pager(first: try plan.request(for: nil), record: nil)
    for (index, size) in sizes.enumerated() {
      try pager.next(after: Sent(records: size, body: ["t": "7"]).pageFacts(number: index + 1, of: nil))
    }
    let numbers = (sizes.count + 1)..<(sizes.count + 4)
    return numbers.compactMap { pager.request(ofPage: $0) }.map { String($0.url.text.drop { $0 != "?" }) }
  }

  @Test("Pages ahead step by the first page's records, as long as all have as many")
  func lookAhead() throws {
    #expect(try ahead(after: []) == ["?o=0"])
    #expect(try ahead(after: [2]) == ["?o=2", "?o=4", "?o=6"])
    #expect(try ahead(after: [2, 2]) == ["?o=4", "?o=6", "?o=8"])
    #expect(try ahead(after: [2, 1]) == [])
    #expect(try ahead(after: [2, 3]) == [])
    #expect(try ahead(after: [2, 1, 2]) == [])
    #expect(try ahead(after: [2]) { $0.totalRecords = "${body.t}" } == ["?o=2", "?o=4", "?o=6"])
    #expect(try ahead(after: [3]) { $0.totalRecords = "${body.t}" } == ["?o=3", "?o=6"])
    #expect(try ahead(after: [2]) { $0.limit = 2 } == ["?o=2"])
  }

  @Test("An offset ends where numbers end")
  func overflow() throws {
    let turned = try turn(plan(.offset(item: .query("o"), start: 1)), [Sent(records: .max)])
    #expect(turned.written == 1)
    #expect(turned.fault?.problem == "there is no page number after \(Int.max)")
  }
}
