import Foundation
import JSONText
import Primitives
import Testing
import Unwrapping

@Suite("model")
struct ModelTests {
  @Test("the model's members come out, in the model's order, byte for byte")
  func order() throws {
    let model = members(("id", .integer), ("name", .string), ("tags", .list(.string)))
    #expect(
      try shaped(#"{"x":{"id":9},"tags":["a\/b","\u00e9"],"name":"n\ud800","id":1e2,"y":[]}"#, model: model)
        == #"{"id":1e2,"name":"n\ud800","tags":["a\/b","\u00e9"]}"#)
  }

  @Test(
    "a value is accepted when it is of the model's type",
    arguments: [
      (Shape.Kind.string, [#""""#, #""x""#], ["1", "null", "true", "[]", "{}"]),
      (
        .integer, ["0", "-1", "1.0", "1e3", "10e-1", "123456789012345678901234567890"],
        ["1.5", "1e-1", #""1""#, "null"]
      ),
      (.number, ["0", "-1.5", "1e400"], [#""1""#, "null", "true"]),
      (.boolean, ["true", "false"], ["0", #""true""#, "null"]),
      (
        .date,
        [
          #""2024-02-29""#, #""2024-02-29T00:00:00Z""#, #""2024-02-29T23:59:59.123+05:30""#, #""2016-12-31T23:59:60Z""#,
          #""2000-02-29""#, #""0001-01-01""#, #""2024-\u00301-01""#,
        ],
        [
          #""2023-02-29""#, #""1900-02-29""#, #""2024-04-31""#, #""2024-06-31""#, #""2024-1-01""#, #""2024-01-01T""#,
          #""2024-01-01T00:00Z""#, #""20240101""#, #""2024-01-01x""#, #""""#, "20240101", "null", #""\ud800""#,
        ]
      ),
      (
        .url,
        [
          #""https://example.com""#, #""http:\/\/h\/p?q#f""#, #""HTTPS://h""#, #""mailto:a@b""#, #""urn:isbn:1""#,
          #""https://exämple.com/ü""#, #""https://[::1]:80/""#, #""file:///etc""#,
        ],
        [
          #""example.com""#, #""/path""#, #""//h/p""#, #""https:""#, #""https://""#, #""https:///p""#, #""http://?q""#,
          #""http:h""#, #""1http://h""#, #""ht tp://h""#, #""https://a b""#, #""https://a\n""#, #""""#, #"":x""#, "1",
          "null",
        ]
      ),
      (.any, ["null", "1", #"{"b":1,"a":[{}]}"#, "[]", #""x""#], []),
      (.list(.integer), ["[]", "[1]", "[1,2.0]"], ["{}", "1", "[1.5]", "[null]", "[[1]]", "null"]),
      (.list(.list(.boolean)), ["[]", "[[]]", "[[true],[],[false,true]]"], ["[true]", "[[1]]", "[[],{}]"]),
      (.map([]), ["{}"], ["[]", "null", "1"]),
    ])
  func types(kind: Shape.Kind, accepted: [String], refused: [String]) throws {
    for value in accepted {
      #expect(try shaped(#"{"v":\#(value)}"#, model: members(("v", kind))) == #"{"v":\#(value)}"#)
      #expect(try shaped(#"{"v":[\#(value)]}"#, model: members(("v", .list(kind)))) == #"{"v":[\#(value)]}"#)
    }
    for value in refused {
      #expect(try complaint(#"{"v":\#(value)}"#, model: members(("v", kind))) != nil, "\(value)")
      #expect(try complaint(#"{"v":[\#(value)]}"#, model: members(("v", .list(kind)))) != nil, "[\(value)]")
    }
  }

  @Test(
    "a mismatch is told by key path, what was expected and what was found",
    arguments: [
      (#"{}"#, "id: integer, nothing"),
      (#"{"id":"7"}"#, #"id: integer, string "7""#),
      (#"{"id":null}"#, "id: integer, null"),
      (#"{"id":1,"address":{"zip":1}}"#, "address.city: string, nothing"),
      (#"{"id":1,"address":{"city":["x"]}}"#, #"address.city: string, array ["x"]"#),
      (#"{"id":1,"address":7}"#, "address: object, number 7"),
      (#"{"id":1,"tags":["a","b",3]}"#, "tags[2]: string, number 3"),
      (#"{"id":1,"tags":"a"}"#, #"tags: array, string "a""#),
      (#"{"id":1,"lines":[{"odd key":true},{"odd key":0}]}"#, #"lines[1]["odd key"]: boolean, number 0"#),
      (#"{"id":1,"grid":[[],[{"x":1},{}]]}"#, "grid[1][1].x: number, nothing"),
      (#"{"id":1,"at":"today"}"#, #"at: date (RFC 3339 or yyyy-MM-dd), string "today""#),
      (#"{"id":1,"site":"example"}"#, #"site: absolute URL, string "example""#),
      ("[1]", ": object, array [1]"), ("null", ": object, null"), ("7", ": object, number 7"),
    ])
  func mismatches(record: String, expected: String) throws {
    let model = members(
      ("id", .integer), ("address?", .map(members(("city", .string)))), ("tags?", .list(.string)),
      ("lines?", .list(.map(members(("odd key", .boolean))))),
      ("grid?", .list(.list(.map(members(("x", .number)))))), ("at?", .date), ("site?", .url))
    #expect(try complaint(record, model: model) == expected)
  }

  @Test("what was found is quoted to 60 bytes and safe to print")
  func quotations() throws {
    func found(_ value: String) throws -> String? {
      try complaint(#"{"v":\#(value)}"#, model: members(("v", .boolean)))?.replacingOccurrences(
        of: "v: boolean, ", with: "")
    }
    #expect(
      try found("\"" + String(repeating: "x", count: 58) + "\"") == "string \"" + String(repeating: "x", count: 58)
        + "\"")
    #expect(
      try found("\"" + String(repeating: "x", count: 59) + "\"") == "string \"" + String(repeating: "x", count: 56)
        + "…")
    #expect(
      try found("\"" + String(repeating: "é", count: 500) + "\"") == "string \"" + String(repeating: "é", count: 28)
        + "…")
    #expect(try found("\"a\u{202E}b\u{7F}\u{85}\u{2028}\"") == #"string "a\u{202e}b\u{7f}\u{85}\u{2028}""#)
    #expect(try found(#"{"a":[1,2]}"#) == #"object {"a":[1,2]}"#)
  }

  @Test("an optional member stays out when it is missing and null when it is null")
  func optional() throws {
    let model = members(("a?", .string), ("b", .integer), ("c?", .map(members(("d?", .list(.any))))))
    #expect(try shaped(#"{"b":1}"#, model: model) == #"{"b":1}"#)
    #expect(try shaped(#"{"c":null,"b":1,"a":null}"#, model: model) == #"{"a":null,"b":1,"c":null}"#)
    #expect(try shaped(#"{"c":{"d":null},"b":1}"#, model: model) == #"{"b":1,"c":{"d":null}}"#)
    #expect(try shaped(#"{"c":{"d":[null,{}]},"b":1}"#, model: model) == #"{"b":1,"c":{"d":[null,{}]}}"#)
    #expect(try shaped(#"{"x":1}"#, model: members(("a?", .any))) == "{}")
  }

  @Test("nested maps are filtered and put in order too")
  func nested() throws {
    let point = Shape.Kind.map(members(("x", .number), ("y", .number)))
    let model = members(("points", .list(point)), ("box?", .map(members(("from", point), ("to", point)))))
    #expect(
      try shaped(
        #"{"box":{"to":{"y":4,"x":3},"note":"}","from":{"z":0,"y":2,"x":1}},"points":[{"y":2,"q":[{"x":9}],"x":1},{"y":4,"x":3}]}"#,
        model: model)
        == #"{"points":[{"x":1,"y":2},{"x":3,"y":4}],"box":{"from":{"x":1,"y":2},"to":{"x":3,"y":4}}}"#)
  }

  @Test("of duplicate members the last one counts; escaped names are the same names")
  func duplicates() throws {
    #expect(try shaped(#"{"a":"no","a":1}"#, model: members(("a", .integer))) == #"{"a":1}"#)
    #expect(try shaped(#"{"a":1,"\u0061":2}"#, model: members(("a", .integer))) == #"{"a":2}"#)
    #expect(try shaped(#"{"q\"é\u002f":1}"#, model: members(("q\"é/", .integer))) == #"{"q\"é/":1}"#)
    // Names are bytes: é as one scalar is not é as two.
    #expect(try complaint("{\"e\u{301}\":1}", model: members(("\u{e9}", .integer))) != nil)
    #expect(try complaint(#"{"\ud800":1}"#, model: members(("\u{FFFD}", .integer))) != nil)
  }

  @Test("a model with many members finds each")
  func wide() throws {
    let names = (0..<500).map { "member\($0)" }
    let model = names.map { Shape.Member(name: $0, kind: .integer, isOptional: false) }
    let record = "{" + names.reversed().map { "\"\($0)\":1,\"not_\($0)\":2" }.joined(separator: ",") + "}"
    #expect(try shaped(record, model: model) == "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}")
  }

  @Test("keys come first, then dates, then the model")
  func orderOfWork() throws {
    let record = #"{"created_at":1700000000,"user_name":"x","old_thing":{"deep_thing":1}}"#
    let model = members(
      ("createdAt", .date), ("userName", .string), ("oldThing", .map(members(("deepThing", .integer)))))
    #expect(
      try shaped(record, keys: .camelCase, dates: [("createdAt", .seconds)], model: model)
        == #"{"createdAt":"2023-11-14T22:13:20Z","userName":"x","oldThing":{"deepThing":1}}"#)
  }

  @Test("records and models as deep as JSON may be fit on a stack of 512 KB")
  func depth() async {
    let results = await withCheckedContinuation { (continuation: CheckedContinuation<[Bool], Never>) in
      let thread = Thread {
        let depth = 1_000
        var kind = Shape.Kind.integer
        for level in 0..<depth { kind = level % 2 == 0 ? .list(kind) : .map(members(("a_b", kind))) }
        let record = String(repeating: #"{"a_b":["#, count: depth / 2) + "1" + String(repeating: "]}", count: depth / 2)
        guard case .map(let model) = kind else { return continuation.resume(returning: []) }
        let results = [
          try? shaped(record, model: model) == record,
          try? shaped(record, keys: .camelCase) == record.replacingOccurrences(of: "a_b", with: "aB"),
          try? shaped(record, dates: [("x", .seconds)]) == record,
          try? complaint(record.replacingOccurrences(of: "1", with: "true"), model: model)?.hasSuffix("boolean true"),
        ]
        continuation.resume(returning: results.map { $0 == true })
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(results == [true, true, true, true])
  }
}
