// JSON values looked at without a tree: members, elements, strings, and numbers by their exact value.

import Testing

@testable import JSONText

private func value(_ text: String) -> JSONValue {
  JSONValue(validated: Array(text.utf8)[...])
}

@Suite struct JSONValueTests {
  @Test(
    "A value's first byte tells its kind",
    arguments: [
      ("{}", JSONKind.object), ("[]", .array), (#""a""#, .string), ("-1", .number), ("0", .number), ("9e1", .number),
      ("true", .boolean), ("false", .boolean), ("null", .null),
    ])
  func kinds(text: String, kind: JSONKind) {
    #expect(value(text).kind == kind)
    #expect(value(text).isNull == (kind == .null))
    #expect(value(text).text == text)
  }

  @Test(
    "Strings are decoded, with surrogate pairs",
    arguments: [
      (#""""#, ""), (#""plain""#, "plain"), (#""Größe 暗号 😀""#, "Größe 暗号 😀"),
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
      (#""x\ud83d\ude00y""#, "x😀y"), (#""\u0000""#, "\0"), (#""\uD834\uDD1E""#, "𝄞"),
    ])
  func strings(text: String, decoded: String) {
    #expect(value(text).string == decoded)
  }

  @Test(
    "A string with a lone surrogate, and any other kind, has no text",
    arguments: [#""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\u0041""#, #""\ud800\n""#, "1", "null", "{}"])
  func noStrings(text: String) {
    #expect(value(text).string == nil)
  }

  @Test(
    "Whole numbers that fit are integers, however they are spelled",
    arguments: [
      ("0", 0), ("-0", 0), ("0.0", 0), ("0e999999999999999999999", 0), ("-0.00e-5", 0), ("7", 7), ("-12", -12),
      ("1.0", 1), ("1e3", 1_000), ("1E+2", 100), ("10e-1", 1), ("1200e-2", 12), ("12.50e2", 1_250),
      ("9223372036854775807", .max), ("-9223372036854775808", .min), ("922337203685477580.7e1", .max),
      ("0.00000000000000000001e20", 1), ("100000000000000000000e-20", 1), ("1e18", 1_000_000_000_000_000_000),
    ])
  func integers(text: String, integer: Int) {
    #expect(value(text).integer == integer)
    #expect(value(text).isWholeNumber)
  }

  @Test(
    "Numbers that are not whole, or do not fit, are not integers",
    arguments: [
      ("1.5", false), ("1e-1", false), ("1e-400", false), ("1e-99999999999999999999", false), ("15e-1", false),
      ("9223372036854775808", true), ("-9223372036854775809", true), ("1e19", true), ("1e400", true),
      ("1e99999999999999999999999", true), ("10000000000000000000000", true),
      (#""1""#, false), ("true", false), ("null", false),
    ])
  func noIntegers(text: String, isWhole: Bool) {
    #expect(value(text).integer == nil)
    #expect(value(text).isWholeNumber == isWhole)
  }

  @Test("Booleans are themselves, and nothing else is one")
  func booleans() {
    #expect(value("true").boolean == true)
    #expect(value("false").boolean == false)
    #expect(value("null").boolean == nil)
    #expect(value("1").boolean == nil)
  }

  @Test("Members come in order, duplicates too, whatever stands in their values")
  func members() {
    let object = value(#"{"a":1,"b{":"}]\"","c":{"d":[1,{"e":2}]},"a":[],"\u0066":null}"#)
    #expect(object.members.map(\.name) == ["a", "b{", "c", "a", "f"])
    #expect(object.members.map(\.value.text) == ["1", #""}]\"""#, #"{"d":[1,{"e":2}]}"#, "[]", "null"])
    #expect(object.members.map { String(decoding: $0.quotedName, as: UTF8.self) }.last == #""\u0066""#)
    #expect(value("{}").members.map(\.name).isEmpty)
    #expect(value("[1]").members.map(\.name).isEmpty)
  }

  @Test("Elements come in order, whatever stands in them")
  func elements() {
    let array = value(#"[1,"],[",[[],[2]],{"a":[3]},true,null,-4.5e6]"#)
    #expect(array.elements.map(\.text) == ["1", #""],[""#, "[[],[2]]", #"{"a":[3]}"#, "true", "null", "-4.5e6"])
    #expect(value("[]").elements.map(\.text).isEmpty)
    #expect(value(#"{"a":1}"#).elements.map(\.text).isEmpty)
  }

  @Test("Values inside values are found in slices that do not begin at 0")
  func nested() {
    let inner = value(#"{"x":{"y":["z",{"w":7}]}}"#)["x"]?["y"]
    #expect(inner?.text == #"["z",{"w":7}]"#)
    #expect(inner?.elements.map(\.text) == [#""z""#, #"{"w":7}"#])
    #expect(inner?[JSONPath(["1", "w"])]?.integer == 7)
  }

  @Test(
    "A member is found by its decoded name, the last of duplicates",
    arguments: [
      (#"{"a":1,"b":2}"#, "b", "2"), (#"{"a":1,"a":2}"#, "a", "2"), (#"{"\u0061":1}"#, "a", "1"),
      (#"{"a\"b":1}"#, "a\"b", "1"), (#"{"a\\n":1,"a\n":2}"#, "a\n", "2"), (#"{"":1}"#, "", "1"),
      (#"{"\ud83d\ude00":1}"#, "😀", "1"), (#"{"ab":1,"a":2,"abc":3}"#, "a", "2"),
    ])
  func lookup(text: String, name: String, found: String) {
    #expect(value(text)[name]?.text == found)
  }

  @Test(
    "A name that only looks alike is not found",
    arguments: [
      (#"{"a\\n":1}"#, "a\n"), (#"{"a\n":1}"#, #"a\n"#), (#"{"a":1}"#, "A"), (#"{"é":1}"#, "e\u{301}"), ("[1]", "0"),
      ("{}", ""), (#""a""#, "a"),
    ])
  func noLookup(text: String, name: String) {
    #expect(value(text)[name] == nil)
  }

  @Test(
    "A path leads through objects and arrays",
    arguments: [
      ("", #"{"a":[{"0":"x"},[5]]}"#), ("a.0.0", #""x""#), ("a.1.0", "5"), ("a.1", "[5]"), ("a.2", nil),
      ("a.01", nil), ("a.-", nil), ("a.1.0.0", nil), ("b", nil), ("a.99999999999999999999", nil),
    ] as [(String, String?)])
  func paths(keyPath: String, found: String?) throws {
    let path = try path(keyPath)
    #expect(value(#"{"a":[{"0":"x"},[5]]}"#)[path]?.text == found)
  }

  @Test(
    "Setting a member keeps the others as they are",
    arguments: [
      ("{}", #"{"n":[1]}"#), (#"{"a":1.0}"#, #"{"a":1.0,"n":[1]}"#), (#"{"n":0,"a":"\/"}"#, #"{"n":[1],"a":"\/"}"#),
      (#"{"n":0,"a":1,"n":2}"#, #"{"n":[1],"a":1}"#), (#"{"a":1,"\u006e":2,"a":3}"#, #"{"a":1,"\u006e":[1],"a":3}"#),
    ])
  func setting(text: String, result: String) {
    #expect(value(text).setting("n", to: value("[1]"))?.text == result)
  }

  @Test("Only objects can have a member set")
  func settingElsewhere() {
    for text in ["[]", "null", "1", #""{}""#] { #expect(value(text).setting("n", to: .null) == nil) }
  }

  @Test("Values are built from Swift's own")
  func building() {
    #expect(JSONValue("a\"b").text == #""a\"b""#)
    #expect(JSONValue(Int.min).text == "-9223372036854775808")
    #expect(JSONValue(true).text == "true" && JSONValue(false).text == "false" && JSONValue.null.text == "null")
    #expect(JSONValue(members: []).text == "{}" && JSONValue(elements: []).text == "[]")
    #expect(JSONValue(members: [("a", JSONValue(1)), ("\n", .null)]).text == #"{"a":1,"\n":null}"#)
    #expect(JSONValue(elements: [JSONValue(1), JSONValue("x")]).text == #"[1,"x"]"#)
  }

  @Test("A quoted string escapes only what must be escaped")
  func quoting() {
    #expect(String(decoding: "/é\u{7f}\u{2028}😀".quotedJSON, as: UTF8.self) == "\"/é\u{7f}\u{2028}😀\"")
    let escaped = #""\"\\\b\f\n\r\t\u0000\u001f\u001a""#
    #expect(String(decoding: "\"\\\u{8}\u{c}\n\r\t\0\u{1f}\u{1a}".quotedJSON, as: UTF8.self) == escaped)
  }

  @Test("Every string that was quoted decodes to itself")
  func quotingAndBack() {
    let all = String(String.UnicodeScalarView((0..<0x300).compactMap(Unicode.Scalar.init)))
    #expect(JSONValue(validated: all.quotedJSON[...]).string == all)
  }
}

@Suite struct JoinKeyTests {
  private static let classes: [[String]] = [
    ["0", "-0", "0.0", "-0e7", "0E-99999999999999999999999", "0.000"],
    ["1", "1.0", "1e0", "10e-1", "0.1e1", "1E+00", "100000000000000000000e-20", "0.00000000000000000001e20"],
    ["-1", "-1.0"],
    ["12", "1.2e1", "120e-1"],
    ["0.12", "12e-2", "1.2e-1"],
    ["12345678901234567890123", "12345678901234567890123.0", "1.2345678901234567890123e22"],
    ["12345678901234567890124"],
    ["1e99999999999999999999", "10e99999999999999999998", "0.1e100000000000000000000"],
    ["1e99999999999999999998", "0.01e0100000000000000000000"],
    ["1e-99999999999999999999", "10e-100000000000000000000", "0.1e-99999999999999999998"],
    ["1e1000000000000000000", "10e999999999999999999", "100e999999999999999998"],
    [#""1""#, #""\u0031""#],
    [#""a/b""#, #""a\/b""#],
    [#""\ud83d\ude00""#, #""😀""#],
    [#""\ud800""#, #""\uD800""#], [#""\ud801""#], [#""\ufffd""#, #""\#u{fffd}""#], [#""\udc00\ud800""#],
    [#""1e""#], [#""""#], ["true"], ["false"], [#""true""#], ["[1]"], ["[1.0]"], ["{}"],
  ]

  @Test("Numbers join by value and strings by text, never across")
  func keys() {
    let keyed = Self.classes.enumerated().flatMap { number, texts in
      texts.map { (number, $0, value($0).joinKey) }
    }
    for (number, text, key) in keyed {
      #expect(key != nil, "\(text)")
      for (other, otherText, otherKey) in keyed {
        #expect((key == otherKey) == (number == other), "\(text) and \(otherText)")
      }
    }
  }

  @Test("Null joins nothing")
  func null() {
    #expect(JSONValue.null.joinKey == nil)
  }
}
