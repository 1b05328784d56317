import JSONText
import Primitives
import Testing
import Unwrapping

@Suite("decode.types")
struct TypeTests {
  @Test(
    "a value that is or spells what it is read as is written as that, with its own bytes",
    arguments: [
      (.number, #""12.50""#, "12.50"), (.number, #""-1E+5""#, "-1E+5"), (.number, "7.0", "7.0"),
      (.number, #""123456789012345678901234567890""#, "123456789012345678901234567890"),
      (.number, #""\u0031""#, "1"), (.number, #""""#, "null"), (.number, "null", "null"), (.number, #""0""#, "0"),
      (.integer, #""42""#, "42"), (.integer, #""1e2""#, "1e2"), (.integer, "1.0", "1.0"), (.integer, #""""#, "null"),
      (.boolean, #""true""#, "true"), (.boolean, #""False""#, "false"), (.boolean, #""TRUE""#, "true"),
      (.boolean, "false", "false"), (.boolean, #""""#, "null"),
      (.string, "12.50", #""12.50""#), (.string, "true", #""true""#), (.string, #""a\/b""#, #""a\/b""#),
      (.string, #""""#, #""""#), (.string, "null", "null"),
      (.string, #"{"a":["x\"y",1]}"#, #""{\"a\":[\"x\\\"y\",1]}""#),
      (.string, "[]", #""[]""#),
    ] as [(Shape.ValueType, String, String)])
  func values(type: Shape.ValueType, value: String, written: String) throws {
    #expect(
      try shaped(#"{"a":1,"n":\#(value),"z":[2]}"#, types: [(["n"], type)]) == #"{"a":1,"n":\#(written),"z":[2]}"#)
  }

  @Test(
    "what does not spell it is named",
    arguments: [
      (.number, #""007""#), (.number, #"" 1""#), (.number, #""1,5""#), (.number, #""+1""#), (.number, #"".5""#),
      (.number, #""1.""#), (.number, #""1e""#), (.number, #""-""#), (.number, #""NaN""#), (.number, #""0x1F""#),
      (.number, #""12 EUR""#), (.number, #""--1""#), (.number, #""1.2.3""#), (.number, #""\ud800""#),
      (.number, "true"), (.number, "[1]"), (.number, #"{"a":1}"#), (.integer, #""1.5""#), (.integer, "1.5"),
      (.boolean, #""yes""#), (.boolean, "1"), (.boolean, #""truE ""#), (.boolean, "[]"),
    ] as [(Shape.ValueType, String)])
  func others(type: Shape.ValueType, value: String) throws {
    let expected = [Shape.ValueType.number: "number", .integer: "whole number", .boolean: "true or false"][type] ?? ""
    let complaint = try complaint(#"{"n":\#(value)}"#, types: [(["n"], type)])
    #expect(complaint?.hasPrefix("n: \(expected), as 'types' says, ") == true, "\(complaint ?? "none")")
  }

  @Test("members of objects are read, at every depth; a list or text on the way is an error")
  func places() throws {
    let types: [(path: JSONPath, type: Shape.ValueType)] = [
      (["a", "b", "c"], .number), (["a", "n"], .number), (["n"], .number), (["a/b"], .boolean),
    ]
    #expect(
      try shaped(
        #"{"c":"1","a":{"n":"2","b":{"n":"3","c":"4"},"x":[{"n":"5"}]},"n":"6","a":{"n":"7"},"a/b":"true"}"#,
        types: types)
        == #"{"c":"1","a":{"n":2,"b":{"n":"3","c":4},"x":[{"n":"5"}]},"n":6,"a":{"n":7},"a/b":true}"#)
    for record in ["{}", #"{"a":[],"b":{"n":"2"}}"#, #"["1"]"#, #""1""#, #"{"a":null}"#, #"{"a":{"b":[]}}"#] {
      #expect(try shaped(record, types: types) == record)
    }
    for (record, expected) in [
      (#"{"a":{"b":{"c":"x"}}}"#, "a.b.c: number, as 'types' says, string \"x\""),
      (#"{"a":[{"n":"1"}]}"#, #"a: object, as 'decode' says, array [{"n":"1"}]"#),
      (#"{"a":{"b":"1"}}"#, #"a.b: object, as 'decode' says, string "1""#),
    ] {
      #expect(try complaint(record, types: types) == expected)
    }
  }

  @Test("it comes after 'keys', beside 'dates', and before 'model'")
  func order() throws {
    let model = members(("priceNow", .number), ("at", .date))
    #expect(
      try shaped(
        #"{"price_now":"1.50","at":"0","x":1}"#, keys: .camelCase, dates: [("at", .seconds)],
        types: [(["priceNow"], .number)], model: model) == #"{"priceNow":1.50,"at":"1970-01-01T00:00:00Z"}"#)
    let complaint = try complaint(#"{"n":""}"#, types: [(["n"], .number)], model: members(("n", .number)))
    #expect(complaint == "n: number, null")
    #expect(try shaped(#"{"n":""}"#, types: [(["n"], .number)], model: members(("n?", .number))) == #"{"n":null}"#)
  }
}
