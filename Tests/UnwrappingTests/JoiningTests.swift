import JSONText
import Testing
import Unwrapping

@Suite("Joining")
struct JoiningTests {
  private func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

  private func table(_ pairs: [(fetched: String, input: String)], _ pages: String...) -> MatchTable {
    var table = MatchTable(pairs: pairs.map { ([$0.fetched], [$0.input]) })
    for page in pages { table.add(lines: Array(page.utf8)) }
    return table
  }

  @Test("an input record gets the fetched records that match, in their order, over all pages")
  func matches() throws {
    let table = table(
      [("userId", "id")], "{\"userId\":1,\"n\":1}\n{\"userId\":2,\"n\":2}\n{\"userId\":1,\"n\":3}\n", "",
      "{\"n\":4,\"userId\":1.0}\n")
    #expect(
      try table.matches(for: value(#"{"id":1}"#)).map(\.text) == [
        #"{"userId":1,"n":1}"#, #"{"userId":1,"n":3}"#, #"{"n":4,"userId":1.0}"#,
      ])
    #expect(try table.matches(for: value(#"{"id":2e0}"#)).map(\.text) == [#"{"userId":2,"n":2}"#])
    #expect(try table.matches(for: value(#"{"id":3}"#)).isEmpty)
  }

  @Test(
    "numbers compare by value, strings by text, never across; missing and null match nothing",
    arguments: [
      ("1", "1.00", true), ("1", "10e-1", true), ("1", #""1""#, false), (#""a""#, #""\u0061""#, true),
      (#""a""#, #""A""#, false), ("null", "null", false), ("true", "true", true), ("true", #""true""#, false),
      ("123456789012345678901234567890", "123456789012345678901234567891", false), ("0", "-0", true),
    ])
  func equality(fetched: String, input: String, expected: Bool) throws {
    let table = table([("k", "k")], "{\"k\":\(fetched)}\n")
    #expect(try table.matches(for: value("{\"k\":\(input)}")).isEmpty != expected)
    #expect(try table.matches(for: value("{}")).isEmpty)
  }

  @Test("several pairs must all match")
  func pairs() throws {
    let table = table(
      [("a", "x"), ("b", "y")], "{\"a\":1,\"b\":2}\n{\"a\":12,\"b\":\"\"}\n{\"a\":1}\n{\"a\":1,\"b\":null}\n[1]\n7\n")
    #expect(try table.matches(for: value(#"{"x":1,"y":2}"#)).map(\.text) == [#"{"a":1,"b":2}"#])
    #expect(try table.matches(for: value(#"{"x":2,"y":1}"#)).isEmpty)
    #expect(try table.matches(for: value(#"{"x":1}"#)).isEmpty)
    #expect(try table.matches(for: value(#"{"x":1,"y":null}"#)).isEmpty)
    #expect(try table.matches(for: value("[1]")).isEmpty)
  }

  @Test("lines become a list without being parsed again")
  func attachList() throws {
    let record = try value(#"{"id":1,"items":0,"z":true}"#)
    let lines = ["{\"a\":\"x\\n,\"}\n[1,2]\n", "3\n"].map { Array($0.utf8) }
    #expect(
      attached(record, name: "items", elements: lines)?.text == #"{"id":1,"items":[{"a":"x\n,"},[1,2],3],"z":true}"#)
    #expect(attached(record, name: "new", elements: [])?.text == #"{"id":1,"items":0,"z":true,"new":[]}"#)
    #expect(attached(try value("{}"), name: "n", elements: [[]])?.text == #"{"n":[]}"#)
    #expect(attached(try value("[]"), name: "n", elements: lines) == nil)
    #expect(attached(try value("1"), name: "n", elements: []) == nil)
  }

  @Test("one line becomes the member itself, and none becomes null")
  func attachOne() throws {
    let record = try value(#"{"post":1,"id":2}"#)
    #expect(attached(record, name: "post", one: Array("{\"a\":1}\n".utf8))?.text == #"{"post":{"a":1},"id":2}"#)
    #expect(attached(record, name: "post", one: Array("7".utf8))?.text == #"{"post":7,"id":2}"#)
    #expect(attached(record, name: "x", one: nil)?.text == #"{"post":1,"id":2,"x":null}"#)
    #expect(attached(try value("null"), name: "x", one: nil) == nil)
  }
}
