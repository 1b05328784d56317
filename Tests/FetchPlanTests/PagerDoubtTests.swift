import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

/// Ends that look normal, and are doubtful.
extension PagerTests {
  @Test("A total that no key reads makes null content a gap, and an end before it doubtful")
  func unreadTotals() throws {
    func turned(_ pages: [Sent], start: Int = 1, _ change: (inout Pages) -> Void = { _ in }) throws -> Turned {
      try FetchPlanTests.turn(planned("https://h/x", start, change).0, pages)
    }
    let full = Sent(records: 2, body: ["meta.total_count": "\"4\""])
    let null = Sent(records: 0, body: full.body, isNull: true)
    let empty = Sent(records: 0, body: full.body)
    let whole = try turned([full, null, full, empty])
    #expect(whole.end == .complete("empty page 4") && whole.doubt == nil)
    for ends in [[full, null, null], [full, empty], [full, Sent(records: 0, status: 204)]] {
      let cut = try turned(ends)
      #expect(cut.end == .complete("empty page \(ends.count)"))
      #expect(
        cut.doubt
          == "the pages end after 2 records, but the first page has 'meta.total_count' of 4: there may be more")
    }
    let short = try turned([full, Sent(records: 1)]) { $0.until = [.short] }
    #expect(short.end == .complete("short page 2") && short.doubt?.contains("after 3 records") == true)
    let pages = try turned([Sent(records: 2, body: ["total_pages": "3"]), Sent(records: 0)])
    #expect(pages.doubt?.contains("after 2 pages, but the first page has 'total_pages' of 3") == true)
    // Not all pages are asked for, or something is read that knows better.
    #expect(try turned([full, empty], start: 7).doubt == nil)
    #expect(try turned([full]) { $0.more = "body.more" }.doubt == nil)
    #expect(try turned([full, Sent(records: 3, body: ["total": "{}"]), Sent(records: 0)]).doubt == nil)
  }

  @Test("The records of a single element exceed no total, and elements without records are no end, but not for ever")
  func elements() throws {
    func turned(_ pages: [Sent]) throws -> Turned {
      try FetchPlanTests.turn(planned("https://h/x", 1) { $0.totalRecords = "${body.t}" }.0, pages)
    }
    let first = Sent(records: 5, items: 2, body: ["t": "4"])
    let whole = try turned([first, Sent(records: 0, items: 1), Sent(records: 3, wrapped: 3)])
    #expect(whole.end == .complete("6 of 4 records") && whole.doubt == nil)
    let tooMany = try turned([first, Sent(records: 0, items: 1), Sent(records: 3)])
    #expect(tooMany.doubt?.hasPrefix("6 records came, and 'totalRecords' reads a total of 4") == true)
    let nulls = try turned((1...1_100).map { _ in Sent(records: 0, items: 1) })
    #expect(nulls.requests.count == 1_000)
    #expect(nulls.fault?.problem.hasPrefix("the last 1000 pages are empty") == true)
  }

  private static let byNumber = Pages.Kind.number(item: .query("page"), start: 1)
  private static let keyset = Pages.Kind.cursor(item: .query("after"), from: "${last.id}")

  private func overlap(
    _ pages: [[UInt64]], _ kind: Pages.Kind = byNumber, _ change: (inout Job) -> Void = { _ in }
  ) throws -> String? {
    let sent = pages.enumerated().map { index, hashes in
      Sent(records: hashes.count, body: ["n": "\"\(index)\""], hashes: hashes, last: #"{"id":\#(index)}"#)
    }
    return try FetchPlanTests.turn(plan(kind, "https://h/x", change), sent).overlap
  }

  @Test("By number and offset, any record of the page before shows that the list moved, or that records are counted")
  func overlaps() throws {
    let one = try overlap([[1, 2, 3, 4], [4, 5, 6, 7], []])
    #expect(one?.hasPrefix("page 2 has 1 of its 4 records from page 1: the list moved meanwhile") == true)
    #expect(try overlap([[1, 2, 3, 4], [5, 6, 2, 7], []]) != nil)
    // A record that is pinned.
    #expect(try overlap([[1, 2, 3, 4], [1, 5, 6, 7], []]) == nil)
    let most = try overlap([[1, 2, 3, 4], [2, 3, 4, 5], []])
    #expect(most?.contains("the query item 'page' seems to count records, and not pages") == true)
    #expect(try overlap([[1, 2, 3, 4], [3, 4, 5, 6]], .offset(item: .query("from"), start: 0)) != nil)
    #expect(try overlap([[1, 2], [3, 4], [1, 5]]) == nil)
    #expect(try overlap([[1, 2], [2, 3]]) { $0.ignored = [.repeats] } == nil)
    // By their keys, such records are found one by one.
    #expect(try overlap([[1, 2, 3, 4], [4, 5, 6, 7]]) { $0.uniqueMembers = [["id"]] } == nil)
    #expect(try overlap([[1, 2, 3, 4], [2, 3, 4, 5]]) { $0.uniqueMembers = [["id"]] } != nil)
  }

  @Test("Lists with equal records do not overlap, unless pages are half alike or share the record at the border")
  func equalRecords() throws {
    #expect(try overlap([[1, 2, 2], [2, 3]]) == nil)
    #expect(try overlap([[1, 2, 2, 3], [5, 1, 6, 7]]) == nil)
    #expect(try overlap([[9, 9], [1, 2, 3, 4], [5, 1, 6, 7]]) == nil)
    #expect(try overlap([[1, 2, 2, 3], [3, 5, 6, 7]]) != nil)
    #expect(try overlap([[1, 2, 2, 3, 4], [3, 4, 1, 8, 9]]) != nil)
    #expect(try overlap([[2], [2], [3]]) == nil)
  }

  @Test("By cursor, next and link a list may move: only a cursor of the last record shows that records come twice")
  func overlapsByCursor() throws {
    #expect(try overlap([[1, 2, 3], [2, 3, 4], [5]], Self.keyset)?.contains("has 2 records of page 1 again") == true)
    #expect(try overlap([[1, 2, 3], [3, 4, 5], [6]], .cursor(item: .query("c"), from: "${body.n}")) == nil)
    #expect(try overlap([[1, 2, 3], [3, 4, 5], [6]], Self.keyset) { $0.uniqueMembers = [["id"]] } == nil)
  }

  @Test(
    "What says that page 0 was left out is doubtful, by 'number' from 1 only",
    arguments: [
      ([2, 2, 0], "3", "", 1, "page 3 of 3 is empty ('more: last' says that it may be)"),
      ([2, 2, 0], "3", "6", 1, "the pages end after 4 records, but the response has a total of 6"),
      ([2, 1], "2", "5", 1, "the pages end after 3 records, but the response has a total of 5"),
      ([0], "1", "2", 1, "the pages end after 0 records, but the response has a total of 2"),
      // A page too many; nothing at all; other starts.
      ([2, 2, 0], "3", "4", 1, nil), ([0], "1", "0", 1, nil),
      ([2, 2, 0], "3", "", 0, nil), ([2, 2, 0], "3", "", 2, nil),
    ] as [([Int], String, String, Int, String?)])
  func pageZero(records: [Int], pages: String, total: String, start: Int, doubt: String?) throws {
    let body = ["pages": pages, "total": total].filter { !$0.value.isEmpty }
    let turned = try FetchPlanTests.turn(
      planned("https://h/x", start) { $0.totalPages = "${body.pages}" }.0, records.map { Sent(records: $0, body: body) }
    )
    #expect(turned.end == .complete("page \(records.count) of \(pages)"))
    #expect(turned.doubt == doubt.map { "\($0): \(Evidence.page0)" })
  }

  @Test(
    "A total of records that is not reached with the total of pages is doubtful, unless something else says the end")
  func contradictingTotals() throws {
    func doubt(_ change: (inout Pages) -> Void = { _ in }) throws -> String? {
      let body = ["pages": "2", "total": "7", "more": "false"]
      return try FetchPlanTests.turn(
        planned("https://h/x", 1) { pages in
          pages.totalPages = "${body.pages}"
          change(&pages)
        }.0, [Sent(records: 2, body: ["pages": "2", "total": "7"]), Sent(records: 1, body: body)]
      ).doubt
    }
    #expect(
      try doubt()
        == "3 records came up to the last page of 'totalPages', but the first page has 'total' of 7: there may be more"
    )
    #expect(try doubt { $0.kind = .number(item: .query("page"), start: 0) } == doubt())
    #expect(try doubt { $0.kind = .number(item: .query("page"), start: 2) } == nil)
    #expect(try doubt { $0.kind = .offset(item: .query("from"), start: 0) } == doubt())
    #expect(try doubt { $0.totalRecords = "${body.none:-0}" } == nil)
  }

  @Test("A page that was named as the next and has the same records as the one before is a fault")
  func sameContentByLink() throws {
    func turned(_ counts: [Int], repeats: Bool = false, isOfObjects: Bool = true) throws -> Turned {
      var pages = counts.enumerated().map {
        Sent(records: $1, body: ["n": "\"p\($0)\""], content: "a", isOfObjects: isOfObjects)
      }
      pages.append(Sent(records: 1, content: "b"))
      let plan = try plan(.cursor(item: .query("c"), from: "${body.n}")) { if repeats { $0.ignored = [.repeats] } }
      return try FetchPlanTests.turn(plan, pages)
    }
    let fault = try turned([2, 2]).fault
    #expect(
      fault?.problem.hasPrefix("page 2 has the same content as page 1, although it was named as the next") == true)
    #expect(fault?.isCircle == true)
    #expect(try turned([1, 1, 1]).end != nil)
    #expect(try turned([2, 2, 2], repeats: true).end != nil)
    #expect(try turned([2, 2, 2], isOfObjects: false).end != nil)
  }

  @Test(
    "More than the total that ended the pages is doubtful, unless the server itself named the next one, or said more")
  func moreThanTotal() throws {
    func doubt(_ change: (inout Pages) -> Void = { _ in }) throws -> String? {
      let pages = (1...4).map { Sent(records: 4, body: ["n": "10", "more": $0 < 4 ? "true" : "false"]) }
      let kept = pages + [Sent(records: 0)]
      return try FetchPlanTests.turn(
        planned("https://h/x", 1) { pages in
          pages.totalRecords = "${body.n}"
          change(&pages)
        }.0, kept
      ).doubt
    }
    let sentence =
      "12 records came, and 'totalRecords' reads a total of 10: the pages overlap, or that is not a total of these records; "
      + "see how the API counts its pages, and what it says of its total"
    #expect(try doubt() == sentence)
    #expect(try doubt { $0.kind = .offset(item: .query("from"), start: 0) } == sentence)
    #expect(try doubt { $0.more = "body.more" } == nil)
  }
}
