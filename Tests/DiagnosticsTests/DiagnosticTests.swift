import Testing

@testable import Diagnostics

@Suite("Mistakes as a person sees them")
struct DiagnosticTests {
  private func rendered(
    _ text: String, at range: Range<Int>, message: String = "it is wrong", advice: String? = nil
  ) -> [String] {
    let source = SourceText(name: "a.yaml", bytes: Array(text.utf8))
    return Diagnostic(message, at: range, advice: advice).rendered(in: source).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  @Test("place, sentence, line, marks and advice")
  func layout() {
    let source = SourceText(name: "pipelines/coins.yaml", bytes: Array("a: 1\n  pagse: { number: page }\n".utf8))
    let mistake = Diagnostic("unknown key 'pagse'", at: 7..<12, advice: "did you mean 'pages'?")
    let expected = """
      pipelines/coins.yaml:2:3: error: unknown key 'pagse'
        pagse: { number: page }
        ^~~~~
        did you mean 'pages'?
      """
    #expect(mistake.rendered(in: source) == expected)
    let other = Diagnostic("unknown key 'pagse'", at: 8..<12, advice: "did you mean 'pages'?")
    let both = expected + "\n" + other.rendered(in: source)
    #expect(DiagnosticList(source: source, all: [mistake, other]).rendered == both)
    #expect(DiagnosticList(source: source, all: [mistake, other, mistake, other]).rendered == both, "each once")
  }

  @Test("an empty range is a lone caret, also past the last letter")
  func emptyRange() {
    #expect(rendered("a: [1", at: 5..<5) == ["a.yaml:1:6: error: it is wrong", "a: [1", "     ^"])
  }

  @Test("an empty line is not shown")
  func emptyLine() {
    #expect(rendered("a:\n", at: 3..<3) == ["a.yaml:2:1: error: it is wrong"])
    #expect(rendered("", at: 0..<0) == ["a.yaml:1:1: error: it is wrong"])
  }

  @Test("marks end with the line")
  func severalLines() {
    #expect(rendered("k: abc\n   def\n", at: 3..<13).last == "   ^~~")
    #expect(rendered("k: abc\r\n   def\n", at: 3..<13).suffix(2) == ["k: abc", "   ^~~"])
  }

  @Test("a tab before the place is a tab before the caret")
  func tabs() {
    #expect(rendered("\ta:\tb", at: 4..<5).suffix(2) == ["\ta:\tb", "\t  \t^"])
  }

  @Test("wide characters take two columns, combining ones none")
  func columns() {
    #expect(rendered("日本: é\u{301}x", at: 12..<13).last == "       ^")
    #expect(rendered("k: 日本", at: 3..<9).last == "   ^~~~")
  }

  @Test("control and bidirectional characters are shown escaped, and the caret moves with them")
  func escaped() {
    #expect(rendered("a\u{1b}\u{202e}b", at: 5..<6).suffix(2) == ["a\\u{1b}\\u{202e}b", "               ^"])
    #expect(
      rendered("x", at: 0..<1, message: "no \u{7}", advice: "not \u{85}") == [
        "a.yaml:1:1: error: no \\u{7}", "x", "^", "  not \\u{85}",
      ])
  }

  @Test("a long line is cut on both sides of the place")
  func longLine() {
    let text = String(repeating: "é", count: 3_000) + "HERE" + String(repeating: "z", count: 3_000)
    let lines = rendered(text, at: 6_000..<6_004)
    #expect(lines[0] == "a.yaml:1:3001: error: it is wrong")
    #expect(lines[1] == "…" + String(repeating: "é", count: 59) + "HERE" + String(repeating: "z", count: 55) + "…")
    #expect(lines[2] == String(repeating: " ", count: 60) + "^~~~")
  }

  @Test("a long range is cut too")
  func longRange() {
    let lines = rendered("k: " + String(repeating: "z", count: 3_000), at: 3..<3_003)
    #expect(lines[1] == "k: " + String(repeating: "z", count: 59) + "…")
    #expect(lines[2] == "   ^" + String(repeating: "~", count: 59))
  }

  @Test("a range outside the text, or bytes that are no UTF-8, are shown somehow")
  func neverCrashes() {
    let source = SourceText(name: "a", bytes: [0x61, 0xFF, 0xC3, 0x0A, 0x80, 0x0D, 0xF0, 0x9F])
    for lower in -2...10 {
      for upper in lower...11 {
        #expect(Diagnostic("no", at: lower..<upper).rendered(in: source).contains("error: no"))
      }
    }
  }
}
