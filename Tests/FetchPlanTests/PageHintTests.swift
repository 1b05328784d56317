// The signs of more, as real APIs send them, and what only looks like one.

import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite("Signs of more") struct PageHintTests {
  @Test(
    "of the usual shapes none is missed, and the line to paste is a spec's",
    arguments: try FirstPage.all(of: "more.txt"))
  func more(page: FirstPage) throws {
    let signs = PageHints(try page.pageFacts(), contentName: try page.job().contentName)
    let vote = try #require(signs.strongest())
    let line = try #require(signs.proposal(for: vote, of: page.job())?.line)
    #expect(line == page.line)
    _ = try makePlan(page.job(with: line)).request(for: nil)
  }

  @Test("what looks like a sign is none", arguments: try FirstPage.all(of: "no-more.txt"))
  func noMore(page: FirstPage) throws {
    let vote = PageHints(try page.pageFacts(), contentName: try page.job().contentName).strongest()
    #expect(vote == nil, "\(vote?.text(received: nil) ?? "")")
  }

  @Test("the files have the shapes that are promised")
  func counts() throws {
    #expect(try FirstPage.all(of: "more.txt").count >= 36)
    #expect(try FirstPage.all(of: "no-more.txt").count >= 20)
  }

  @Test(
    "every name of the table says that there is more, and that there is not",
    arguments: PageHint.all.filter { $0.weight != .none })
  func everyName(sign: PageHint) throws {
    let (yes, no): (String, String) =
      switch sign.meaning {
      case .next, .textOffset: ("\"x\"", "\"\"")
      case .more: ("true", "false")
      case .end: ("false", "true")
      case .pages, .records: ("5", "1")
      case .partial: ("", "")
      }
    func vote(_ value: String) throws -> HintReading? {
      let beside = ["after": "\"before\":null,", "last": "\"page\":1,", "of": "\"page\":1,"]
      let before = beside[sign.name] ?? ""
      let body = "{\(before)\"\(sign.name)\":\(value),\"items\":[{}]}"
      return PageHints(try FirstPage("", body, keys: "contentIdentifier: items\n").pageFacts()).strongest()
    }
    #expect(try vote(yes) != nil)
    #expect(try vote(no) == nil)
  }

  @Test(
    "every name of the table says that the response is partial, and that it is not",
    arguments: PageHint.all.filter { $0.weight == .none })
  func everyPartialName(row: PageHint) throws {
    guard case .partial(let values) = row.meaning else { return }
    let (yes, no): (String, String) =
      switch values {
      case .yes: ("true", "false")
      case .filled, .some: (#"["x"]"#, "[]")
      case .positive: ("2", "0")
      case .words: (#""incomplete""#, #""ok""#)
      }
    func evidence(_ value: String) throws -> Evidence? {
      let name = row.form == .whole ? row.name : row.form == .start ? "\(row.name)Set" : "rows_\(row.name)"
      let member = "\"\(name)\":\(value)"
      let report = row.containers.first.map { "\"\($0)\":{\(member)}" } ?? member
      let page = FirstPage("", "{\(report),\"items\":[{}]}", keys: "contentIdentifier: items\n")
      return try makePlan(page.job()).partialAnswer(page.pageFacts(), afterNothing: nil)
    }
    let found = try #require(try evidence(yes))
    #expect(found.sign == .partial)
    #expect(found.advice.last?.hasPrefix("failure: ") == true)
    _ = try makePlan(FirstPage("", "", keys: "contentIdentifier: items\n").job(with: found.advice.last ?? ""))
    #expect(try evidence(no) == nil)
  }

  @Test("names are compared by their letters and digits")
  func names() {
    #expect(PageHint.normalized("@odata.next-Link_2") == "odatanextlink2")
    #expect(Set(PageHint.all.map(\.name)).allSatisfy { PageHint.normalized($0) == $0 })
  }

  @Test("a name that can't stand in a template has no line to paste")
  func strangeNames() throws {
    let page = FirstPage("", #"{"a'b":{"next_url":"/2"},"items":[{}]}"#, keys: "contentIdentifier: items\n")
    let signs = PageHints(try page.pageFacts(), contentName: try page.job().contentName)
    let vote = try #require(signs.strongest())
    #expect(try signs.proposal(for: vote, of: page.job()) == nil)
  }

  @Test("a query of several items has no line to paste: one cursor can't carry them")
  func severalItems() throws {
    let page = FirstPage(
      "", #"{"items":[{}],"next_page_params":{"block":7,"index":40}}"#, keys: "contentIdentifier: items\n")
    let signs = PageHints(try page.pageFacts())
    let vote = try #require(signs.strongest())
    #expect(try signs.proposal(for: vote, of: page.job()) == nil)
  }

  @Test("what an envelope holds besides is bounded: a member that is too large, and too many of them")
  func bounds() throws {
    let keys = "contentIdentifier: items\n"
    let large = String(repeating: "x", count: 270_000)
    let page = try FirstPage("", #"{"a":"\#(large)","items":[{}],"next":"/2"}"#, keys: keys).pageFacts()
    #expect(page.body.outline.map(\.isWhole) == [false, true])
    #expect(page.body.outline[0].text.count == 2)
    let many = (0..<3_000).map { "\"m\($0)\":{\"a\":\($0),\"b\":1}" }.joined(separator: ",")
    let beside = FirstPage(
      "", #"{"items":[{}],"stats":{\#(many)},"pagination":{"next_cursor":"x"}}"#, keys: keys)
    #expect(PageHints(try beside.pageFacts()).strongest() != nil)
    let members = (0..<400).map { "\"m\($0)\":1" }.joined(separator: ",")
    #expect(try FirstPage("", "{\(members),\"items\":[]}", keys: keys).pageFacts().body.outline.count == 256)
  }
}
