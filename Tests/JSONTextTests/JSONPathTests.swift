// Paths as JSON Pointers spell them (RFC 6901).

import Testing

@testable import JSONText

@Suite struct JSONPathTests {
  @Test(
    "A pointer is a path, and a path a pointer",
    arguments: [
      ("", []), ("/", [""]), ("/a", ["a"]), ("/a/b", ["a", "b"]), ("/a//b/", ["a", "", "b", ""]), ("/a~1b", ["a/b"]),
      ("/~0~1", ["~/"]), ("/~01", ["~1"]), ("/0/-", ["0", "-"]), ("/é 😀", ["é 😀"]),
    ] as [(String, [String])])
  func pointers(pointer: String, names: [String]) {
    #expect(JSONPath(pointer: pointer)?.steps.map(\.name) == names)
    #expect(JSONPath(names).pointer == pointer)
  }

  @Test("What is no pointer is no path", arguments: ["a", "a/b", " /a", "/~", "/~2", "/a~", "#/a"])
  func noPointers(text: String) {
    #expect(JSONPath(pointer: text) == nil)
  }

  @Test(
    "A step is an index when it is spelled as one",
    arguments: [
      ("0", 0), ("7", 7), ("10", 10), ("00", nil), ("01", nil), ("-1", nil), ("+1", nil), ("", nil), ("a", nil),
      ("1 ", nil), ("٣", nil), ("99999999999999999999", nil),
    ] as [(String, Int?)])
  func indices(name: String, index: Int?) {
    #expect(JSONStep(name).index == index)
  }
}
