// The text of a path, and what is wrong with a text that is none.

import TestSupport
import Testing

@testable import JSONText

@Suite struct JSONPathTests {
  @Test(
    "A path is read from its text, and written as that text",
    arguments: [
      ("a", ["a"]), ("data.items", ["data", "items"]), ("lines.0.sku", ["lines", "0", "sku"]), ("0", ["0"]),
      ("a-b_C.é😀", ["a-b_C", "é😀"]), (#"["@graph"]"#, ["@graph"]),
      (#"body["next.page"].href"#, ["body", "next.page", "href"]),
      (#"a[""]"#, ["a", ""]), (#"a["x/y"]["z z"]"#, ["a", "x/y", "z z"]),
      (#"a['it is "so"'].b"#, ["a", #"it is "so""#, "b"]),
      (#"["it's"]"#, ["it's"]), (#"["\\"]"#, ["\\"]),
    ] as [(String, [String])])
  func texts(text: String, names: [String]) throws {
    let path = try JSONPath(text)
    #expect(path.steps.map(\.name) == names)
    #expect(path.description == text)
    #expect(!path.hasEvery)
  }

  @Test("'*' is every element or member, and in quotes a name")
  func every() throws {
    #expect(try JSONPath("rates.*").steps.map(\.isEvery) == [false, true])
    #expect(try JSONPath("*.d.*").description == "*.d.*")
    #expect(try JSONPath(#"a["*"]"#).hasEvery == false)
    #expect(try JSONPath(#"a["*"]"#).description == #"a["*"]"#)
  }

  @Test("A number in quotes is a member's name, and no element")
  func quotedNumbers() throws {
    let list = try JSONValue(parsing: Array(#"[1,2]"#.utf8))
    #expect(list[try JSONPath("1")]?.text == "2")
    #expect(list[try JSONPath(#"["1"]"#)] == nil)
    #expect(try JSONPath(#"["1"]"#).description == #"["1"]"#)
  }

  @Test(
    "A text in another notation is refused with the path to write",
    arguments: [
      ("/data/items", "is a JSON Pointer", "data.items"), ("/a/*/b", "is a JSON Pointer", "a.*.b"),
      ("/a~1b/x.y", "is a JSON Pointer", #"["a/b"]["x.y"]"#),
      ("/members@odata.nextLink", "is a JSON Pointer", #"["members@odata.nextLink"]"#),
      ("$.a[*]", "is JSONPath", "a"), ("$.a[*].b", "is JSONPath", "a.*.b"),
      ("$['a b'].c", "is JSONPath", #"["a b"].c"#),
      ("a[0]", "has brackets without quotes", "a.0"), ("a[0].b[1]", "has brackets without quotes", "a.0.b.1"),
      ("a[]", "has brackets without quotes", "a"), (".data[]", "begins with a dot", "data"),
      (".a.b", "begins with a dot", "a.b"), ("a/b", "has a slash", #"a.b', or '["a/b"]"#),
      ("a..b", "has an empty name", "a.b"), ("a.", "has an empty name", "a"),
      ("@graph", "has characters that need quotes", #"["@graph"]"#),
      ("$filter", "has characters that need quotes", #"["$filter"]"#),
      ("@odata.nextLink", "has characters that need quotes", #"["@odata.nextLink"]"#),
      ("value.first name", "has characters that need quotes", #"value["first name"]"#),
      ("dc:title", "has characters that need quotes", #"["dc:title"]"#),
      ("#a", "has characters that need quotes", ##"["#a"]"##),
    ])
  func otherNotations(text: String, problem: String, path: String) {
    let error = #expect(throws: PathError.self) { try JSONPath(text) }
    #expect(error?.message == "'\(text)' \(problem)")
    let start = "write '\(path)'"
    #expect(error?.advice?.hasPrefix(start) == true, "\(error?.advice ?? "")")
  }

  @Test("A text without names is refused", arguments: ["/", "$", ".", "[]", "..", ""])
  func noNames(text: String) {
    #expect(throws: PathError.self) { try JSONPath(text) }
  }

  @Test("A quoted name without an end is refused", arguments: [#"a["b"#, #"a["b""#, #"["b"x"#])
  func unclosed(text: String) {
    let error = #expect(throws: PathError.self) { try JSONPath(text) }
    #expect(error?.message == "'[' is not closed")
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

/// Returns the path with this text; that of the value itself for an empty one.
func path(_ text: String) throws -> JSONPath { text.isEmpty ? [] : try JSONPath(text) }
