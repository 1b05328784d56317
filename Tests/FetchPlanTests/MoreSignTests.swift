// The signs of more, as real APIs send them, and what only looks like one.

import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite("Signs of more") struct MoreSignTests {
  @Test(
    "of the usual shapes none is missed, and the line to paste is a spec's",
    arguments: try FirstPage.all(of: "more.txt"))
  func more(page: FirstPage) throws {
    let signs = MoreSigns(try page.facts(), contentName: try page.job().contentName)
    let vote = try #require(signs.strongest())
    let line = try #require(signs.proposal(for: vote, of: page.job())?.line)
    #expect(line == page.line)
    _ = try makePlan(page.job(with: line)).request(for: nil)
  }

  @Test("what looks like a sign is none", arguments: try FirstPage.all(of: "no-more.txt"))
  func noMore(page: FirstPage) throws {
    let vote = MoreSigns(try page.facts(), contentName: try page.job().contentName).strongest()
    #expect(vote == nil, "\(vote?.text(received: nil) ?? "")")
  }

  @Test("the files have the shapes that are promised")
  func counts() throws {
    #expect(try FirstPage.all(of: "more.txt").count >= 36)
    #expect(try FirstPage.all(of: "no-more.txt").count >= 20)
  }

  @Test("every name of the table says that there is more, and that there is not", arguments: MoreSign.all)
  func everyName(sign: MoreSign) throws {
    let (yes, no): (String, String) =
      switch sign.meaning {
      case .next, .textOffset: ("\"x\"", "\"\"")
      case .more: ("true", "false")
      case .end: ("false", "true")
      case .pages, .records: ("5", "1")
      }
    func vote(_ value: String) throws -> MoreVote? {
      let beside = ["after": "\"before\":null,", "last": "\"page\":1,", "of": "\"page\":1,"]
      let before = beside[sign.name] ?? ""
      let body = "{\(before)\"\(sign.name)\":\(value),\"items\":[{}]}"
      return MoreSigns(try FirstPage("", body, keys: "contentIdentifier: items\n").facts()).strongest()
    }
    #expect(try vote(yes) != nil)
    #expect(try vote(no) == nil)
  }

  @Test("names are compared by their letters and digits")
  func names() {
    #expect(MoreSign.normalized("@odata.next-Link_2") == "odatanextlink2")
    #expect(Set(MoreSign.all.map(\.name)).allSatisfy { MoreSign.normalized($0) == $0 })
  }

  @Test("a name that can't stand in a template has no line to paste")
  func strangeNames() throws {
    let page = FirstPage("", #"{"a'b":{"next_url":"/2"},"items":[{}]}"#, keys: "contentIdentifier: items\n")
    let signs = MoreSigns(try page.facts(), contentName: try page.job().contentName)
    let vote = try #require(signs.strongest())
    #expect(try signs.proposal(for: vote, of: page.job()) == nil)
  }

  @Test("a query of several items has no line to paste: one cursor can't carry them")
  func severalItems() throws {
    let page = FirstPage(
      "", #"{"items":[{}],"next_page_params":{"block":7,"index":40}}"#, keys: "contentIdentifier: items\n")
    let signs = MoreSigns(try page.facts())
    let vote = try #require(signs.strongest())
    #expect(try signs.proposal(for: vote, of: page.job()) == nil)
  }

  @Test("what an envelope holds besides is bounded: a member that is too large, and too many of them")
  func bounds() throws {
    let keys = "contentIdentifier: items\n"
    let large = String(repeating: "x", count: 270_000)
    let page = try FirstPage("", #"{"a":"\#(large)","items":[{}],"next":"/2"}"#, keys: keys).facts()
    #expect(page.body.outline.map(\.isWhole) == [false, true])
    #expect(page.body.outline[0].text.count == 2)
    let many = (0..<3_000).map { "\"m\($0)\":{\"a\":\($0),\"b\":1}" }.joined(separator: ",")
    let beside = FirstPage(
      "", #"{"items":[{}],"stats":{\#(many)},"pagination":{"next_cursor":"x"}}"#, keys: keys)
    #expect(MoreSigns(try beside.facts()).strongest() != nil)
    let members = (0..<400).map { "\"m\($0)\":1" }.joined(separator: ",")
    #expect(try FirstPage("", "{\(members),\"items\":[]}", keys: keys).facts().body.outline.count == 256)
  }
}
