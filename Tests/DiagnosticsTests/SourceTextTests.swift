import Testing

@testable import Diagnostics

@Suite("Places in a text")
struct SourceTextTests {
  @Test(
    "lines end with LF, CR LF or CR, and columns count scalars",
    arguments: [
      ("", 0, 1, 1), ("abc", 0, 1, 1), ("abc", 3, 1, 4), ("a\nb", 1, 1, 2), ("a\nb", 2, 2, 1), ("a\n", 2, 2, 1),
      ("a\r\nb", 2, 1, 3), ("a\r\nb", 3, 2, 1), ("a\rb", 2, 2, 1), ("\r\r\n\n", 4, 4, 1), ("éé x", 5, 1, 4),
      ("日本\n語x", 10, 2, 2), ("\u{FEFF}a\nb", 3, 1, 1), ("\u{FEFF}a\nb", 4, 1, 2), ("\u{FEFF}a\nb", 0, 1, 1),
      ("\u{FEFF}", 3, 1, 1),
    ])
  func places(text: String, offset: Int, line: Int, column: Int) {
    #expect(
      SourceText(name: "t", bytes: Array(text.utf8)).position(at: offset) == SourcePosition(line: line, column: column))
  }

  @Test("an offset outside the text is its nearest end")
  func outside() {
    let source = SourceText(name: "t", bytes: Array("ab\ncd".utf8))
    #expect(source.position(at: -5).description == "1:1")
    #expect(source.position(at: 99).description == "2:3")
  }

  @Test("places far into a long line are right")
  func longLine() {
    let source = SourceText(name: "t", bytes: Array((String(repeating: "é", count: 5_000) + "\nx").utf8))
    #expect(source.position(at: 9_998) == SourcePosition(line: 1, column: 5_000))
    #expect(source.position(at: 10_001) == SourcePosition(line: 2, column: 1))
  }

  @Test("a line comes without its end, and there is none past the last")
  func lines() {
    let source = SourceText(name: "t", bytes: Array("\u{FEFF}one\r\ntwo\rthree\n".utf8))
    let lines = (1...4).map { source.lineRange($0).map { String(decoding: source.bytes[$0], as: UTF8.self) } }
    #expect(lines == ["one", "two", "three", ""])
    #expect(source.lineRange(0) == nil)
    #expect(source.lineRange(5) == nil)
  }
}
