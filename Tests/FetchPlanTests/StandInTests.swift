import FetchPlan
import Testing

@Suite("Stand-ins")
struct StandInTests {
  @Test("are found again in any text, whatever they stand for")
  func found() {
    let all: [StandIn] = [.variable("KEY"), .variable("my-key=é z"), .template("${input.id:-z}"), .variable("")]
    for standIn in all {
      let text = "https://a.example/\(standIn.text)?q=pagecat/1.0&\(standIn.text)z"
      #expect(
        StandIn.pieces(of: text) == [
          .text("https://a.example/"), .standIn(standIn), .text("?q=pagecat/1.0&"), .standIn(standIn), .text("z"),
        ])
      #expect(standIn.text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
    }
  }

  @Test("of a whole URL take its scheme with them, and the path that was added")
  func wholeURL() {
    let url = StandIn.url("${input.url}")
    #expect(StandIn.pieces(of: url.text + "/?a=1") == [.standIn(url), .text("?a=1")])
  }

  @Test(
    "are nothing else",
    arguments: ["", "pagecat", "pagecatv", "pagecatv4", "pagecatv4z", "pagecatvxyz", "pagecatw41z", "pagecatvffz", "é"])
  func others(_ text: String) {
    #expect(StandIn.pieces(of: text) == (text.isEmpty ? [] : [.text(text)]))
  }
}
