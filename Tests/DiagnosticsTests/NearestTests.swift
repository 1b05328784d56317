import Testing

@testable import Diagnostics

@Suite("Did you mean …?")
struct NearestTests {
  private static let keys = ["name", "base", "endpoint", "query", "pages", "set", "each", "onError"]

  @Test(
    "at most two edits, one for short names, and fewer than the name has letters",
    arguments: [
      ("pagse", "pages"), ("page", "pages"), ("Pages", "pages"), ("endpont", "endpoint"), ("endpiont", "endpoint"),
      ("on_error", "onError"), ("quer", "query"), ("st", "set"), ("s", nil), ("", nil), ("xx", nil), ("retry", nil),
      ("eahc", "each"), ("ahec", nil), ("eeee", nil), ("data", nil), ("nmae", "name"), ("endpoint", "endpoint"),
      ("qqueeryy", nil),
    ] as [(String, String?)])
  func table(name: String, expected: String?) {
    #expect(nearest(to: name, in: Self.keys) == expected)
  }

  @Test("the beginning of one, and of no other, is that one")
  func beginnings() {
    #expect(nearest(to: "endp", in: Self.keys) == "endpoint")
    #expect(nearest(to: "--max-r", in: ["--dir", "--max-records", "--log"]) == "--max-records")
    #expect(nearest(to: "int", in: ["any", "integer"]) == "integer")
    #expect(nearest(to: "--max", in: ["--max-records", "--max-pages"]) == nil)
    #expect(nearest(to: "en", in: Self.keys) == nil)
  }

  @Test("of several as near, the first")
  func ties() {
    #expect(nearest(to: "cat", in: ["bat", "rat"]) == "bat")
    #expect(nearest(to: "cat", in: ["bats", "rat"]) == "rat")
    #expect(nearest(to: "cat", in: []) == nil)
  }

  @Test("a very long name has no neighbour")
  func longNames() {
    let long = String(repeating: "a", count: 100_000)
    #expect(nearest(to: long, in: [long]) == nil)
    #expect(nearest(to: "abc", in: [long]) == nil)
  }
}

@Suite("Safe to print")
struct PrintableTests {
  @Test(
    "control and bidirectional characters are escaped, everything else stays",
    arguments: [
      ("", ""), ("plain é 日 🎉", "plain é 日 🎉"), ("\u{1b}[31m", "\\u{1b}[31m"), ("a\nb\tc\0", "a\\u{a}b\\u{9}c\\u{0}"),
      ("\r\n", "\\u{d}\\u{a}"), ("\u{7f}\u{80}\u{9f}\u{a0}", "\\u{7f}\\u{80}\\u{9f}\u{a0}"),
      ("\u{202a}\u{202e}\u{2066}\u{2069}", "\\u{202a}\\u{202e}\\u{2066}\\u{2069}"),
      ("\u{200e}\u{200f}\u{61c}", "\\u{200e}\\u{200f}\\u{61c}"), ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
      ("e\u{301}\u{200d}", "e\u{301}\u{200d}"),
    ])
  func table(text: String, expected: String) {
    #expect(text.printable == expected)
  }

  static let misspelt: [(name: String, names: [String], found: String?)] = [
    ("next_cursor", ["items", "nextCursor"], "nextCursor"), ("nextCursor", ["next_cursor"], "next_cursor"),
    ("NextToken", ["nextToken"], "nextToken"), ("curser", ["cursor"], "cursor"), ("cusror", ["cursor"], "cursor"),
    ("next_curser", ["nextCursor", "next_cursors"], "nextCursor"), ("nxt", ["next"], "next"),
    ("mroe", ["more"], "more"),
    ("next", ["text", "prev", "next_page", "nextStep", "last", "self"], nil), ("after", ["before"], nil),
    ("has_more", ["has_more"], nil), ("x", ["X"], nil), ("done", ["code", "none"], nil), ("cursor", [], nil),
  ]

  @Test(
    "A misspelling differs in case and marks, or in a letter or two; a longer name is another one", arguments: misspelt)
  func misspellings(name: String, names: [String], found: String?) {
    #expect(misspelling(of: name, in: names) == found)
  }
}
