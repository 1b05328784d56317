// The Link header of RFC 8288.

import JSONText
import Testing

@testable import FetchPlan

@Suite struct LinkHeaderTests {
  static let fields: [(field: String, links: [String])] = [
    ("</a>; rel=next", ["/a next"]),
    ("</a>;rel=\"next\"", ["/a next"]),
    ("  <  /a  >  ;  REL  =  \"Next\"  ", ["/a next"]),
    ("</a>; rel=\"prev  next\"; title=x", ["/a prev next"]),
    ("</a>; rel=prev, </b>; rel=next", ["/a prev", "/b next"]),
    ("</a?x=1,2;y=3>; rel=next,</b>;rel=last", ["/a?x=1,2;y=3 next", "/b last"]),
    ("</a>; title=\"a, <b>; rel=no\"; rel=next", ["/a next"]),
    (#"</a>; title="say \"x\", \\"; rel=next"#, ["/a next"]),
    ("</a>; title*=UTF-8''%e2%82%ac; rel=next", ["/a next"]),
    ("</a>; rel=next; rel=prev", ["/a next"]),
    ("</a>; rel", ["/a"]), ("</a>; rel=", ["/a"]), ("</a>", ["/a"]), ("</a>;;; rel=next;", ["/a next"]),
    ("<>; rel=next", [" next"]),
    (", ,</a>;rel=next,,</b>;rel=prev,", ["/a next", "/b prev"]),
    ("</a>; crossorigin; rel=next", ["/a next"]),
    ("</a>; rel=https://r/next", ["/a https://r/next"]),
    ("</a>; rel=next; anchor=\"/x\"", ["/a next @/x"]),
    ("garbage, </a>; rel=next", ["/a next"]), ("\"<no>\", </a>; rel=next", ["/a next"]),
    ("</a>; rel='next'", ["/a next"]), ("</a>; rel = 'prev Next' ;anchor='/x'", ["/a prev next @/x"]),
    ("</a>; rel='", ["/a '"]), ("</a>; rel=''", ["/a"]),
    ("</a; rel=next", []), ("", []), ("</a>; rel=\"next", ["/a next"]), ("</a>; rel=\"next\\", ["/a next"]),
  ]

  @Test("Links are read as RFC 8288 says, and what is no link is skipped", arguments: fields)
  func reads(field: String, links: [String]) {
    let found = WebLink.links(in: field).map { link in
      ([link.target ?? "?"] + link.relations + (link.anchor.map { ["@\($0)"] } ?? [])).joined(separator: " ")
    }
    #expect(found == links)
  }

  static let lostLinks = [
    "</a> rel=\"next\"", "</a>, rel=\"next\"", "https://h/a; rel=\"NEXT\"", "</a?sort=<x>>; rel=\"next\"",
    "</a>;rel=“next”", "</a>; rel=’next’", #"</a>; rel=\"next\""#, "</a>; rel='next", "</a>; rel==next",
    "</a>; rel:next", "</a>; rel: next", "</a>; “rel”=next", "</a>; \"rel\"=\"next\"", "</a>;\u{A0}rel=next",
    "\"</a>; rel=next\"", "</a>; rel=\"next,last\"", "</a>; rel=(next)", "</a>; title=x rel=\"next\"",
    "</a>; rel=\"prev\" rel=\"next\"", "</a>; title=\"x, </b>; rel=next", "</a; rel=next",
    "&lt;/a&gt;; rel=&quot;next&quot;", #"{"next":"/a"}"#, "</a>; rel=prev, next=</b>",
  ]

  @Test("What can't be read is not passed over when it names the relation", arguments: lostLinks)
  func lost(field: String) {
    #expect(WebLink.isLost("next", in: field))
    #expect(WebLink.isLost("Next", in: "</z>; rel=prev, " + field))
    #expect(!WebLink.isLost("last-page", in: field))
  }

  static let legibleFields = [
    "", "<https://h/next>; rel=\"prev\"", "</a>; rel=prev; title=\"next\"",
    "</a>; rel=prev; title=\"a <next>, rel=next\"", "</a>; rel=\"https://r/next\"", "</a>; rel=https://r/next?rel=next",
    "</a>; rel=last", "</a>; rel=prev; rel=next", "</a>; rel=next-archive", "</a>; rel=next_page",
    "</a>; rel=\"next-2 x.next\"", "</a>; rel=prev; title*=UTF-8''next", "</a>; rel=prev; next; x-next=next",
    "</a>; rel=prev; title=next", "</a>; rel=prev; title='next'", "</a>; rel=prev; title=see next page", "</next>",
    ", ,</next>; rel=prev ;, ,", "</a>; rel=prev;;", "nextpage, next-2, </a>", "</a> rel=\"prev\"",
    "</a>; rel=“prev”", "</a?x=<next>>; rel=prev",
  ]

  @Test("What was read well is no sign of a lost link, nor is what names another relation", arguments: legibleFields)
  func legible(field: String) {
    #expect(!WebLink.isLost("next", in: field))
  }

  @Test("Whatever stands before it, a link behind a comma is found, and nothing that was not sent")
  func noise() {
    var random = Steps(state: 42)
    let pieces = ["<", ">", ";", ",", "=", "\"", "\\", " ", "rel", "next", "/a", "\t", "é", "anchor"]
    for _ in 0..<5_000 {
      let noise = (0..<random.next(12)).map { _ in pieces[random.next(pieces.count)] }.joined()
      for link in WebLink.links(in: noise) { #expect(noise.contains(link.target ?? "?"), "\(noise)") }
      // What is open in the noise swallows what follows.
      guard !noise.contains("\""), !noise.contains("<") else { continue }
      let links = WebLink.links(in: noise + ", </b>; rel=next")
      #expect(links.last == WebLink(target: "/b", relations: ["next"], anchor: nil), "\(noise)")
    }
  }

  /// The same numbers in every run.
  private struct Steps {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
  }

  static let anchors: [(anchor: String?, isOurs: Bool)] = [
    (nil, true), ("", true), ("/a?x=1", true), ("https://h/a?x=1", true), ("https://h/a?x=1#", true), ("/a", false),
    ("#part", false), ("https://o/a?x=1", false), (":", false),
  ]

  @Test("A link is about the page unless its anchor is another resource, or a part of this one", arguments: anchors)
  func anchor(anchor: String?, isOurs: Bool) {
    let link = WebLink(target: "/b", relations: ["next"], anchor: anchor)
    #expect(link.isAbout("https://h/a?x=1") == isOurs)
  }
}
