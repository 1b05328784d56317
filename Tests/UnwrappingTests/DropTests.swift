// Members are taken off records, and nothing else of them changes.

import Files
import JSONText
import Testing
import Wire

@testable import Unwrapping

@Suite("Members that are dropped") struct DropTests {
  @Test("records that are known are left out after 'where', and what is left is counted")
  func known() throws {
    let filter = RecordFilter(Condition([.init(path: ["keep"], tests: [.among([JSONValue(true)])])]))
    let mark = try MarkReading(path: ["at"], known: JSONValue(3), leavesOut: true)
    var options = UnwrapOptions(content: [])
    options.filter = filter
    options.mark = mark
    var unwrapper = Unwrapper(options) { Spool() }
    try unwrapper.take(
      Array(#"[{"keep":true,"at":3},{"keep":true,"at":5},{"keep":false,"at":9},{"keep":true}]"#.utf8))
    let page = try unwrapper.finish()
    #expect(
      page.body.recordCount == 4 && page.body.leftOutCount == 2 && page.body.hasKnown && page.highest.value?.text == "5"
    )
    #expect(try text(of: page.lines) == "{\"keep\":true,\"at\":5}\n{\"keep\":true}\n")
  }

  @Test(
    "the members of an object stand one level up, in its place, byte for byte",
    arguments: [
      (#"{"a":1,"f":{"b":1.50,"c":"\u00e9"},"d":[]}"#, ["f"], #"{"a":1,"b":1.50,"c":"\u00e9","d":[]}"#),
      (#"{"f":{}}"#, ["f"], "{}"), (#"{"f":null,"a":1}"#, ["f"], #"{"a":1}"#), (#"{"f":[]}"#, ["f"], "{}"),
      (#"{"a":1}"#, ["f"], #"{"a":1}"#), ("7", ["f"], "7"), ("null", ["f"], "null"),
      (#"{"a":{"b":{"c":1},"d":2}}"#, ["a.b"], #"{"a":{"c":1,"d":2}}"#),
      (#"{"a":{"b":{"c":1},"d":2}}"#, ["a", "a.b"], #"{"c":1,"d":2}"#),
      (#"{"a":null,"x":1}"#, ["a.b"], #"{"a":null,"x":1}"#),
      (#"{"a":1,"a":2,"f":{"b":3}}"#, ["f"], #"{"a":1,"a":2,"b":3}"#),
      (#"{"\u0066":{"b":3}}"#, ["f"], #"{"b":3}"#),
    ] as [(String, [String], String)])
  func flattened(record: String, paths: [String], expected: String) throws {
    let shape = Shape(flatten: try paths.map { try JSONPath($0) }, keys: nil, model: nil)
    #expect(try Reshaper(shape).apply(to: JSONValue(parsing: Array(record.utf8))).text == expected)
  }

  @Test("what is flattened has its names rewritten and its members read after that")
  func flattenedFirst() throws {
    let shape = Shape(
      drop: [["f", "x"]], flatten: [["f"]], keys: .snakeCase, rename: [(["Its Name"], "name")],
      members: [(["n"], .type(.integer))], nulls: [(["n"], [JSONValue("")]), (["name"], [JSONValue("-")])], model: nil)
    let reshaper = Reshaper(shape)
    func shaped(_ record: String) throws -> String {
      try reshaper.apply(to: JSONValue(parsing: Array(record.utf8))).text
    }
    #expect(try shaped(#"{"f":{"Its Name":"a","x":1,"n":"7"}}"#) == #"{"name":"a","n":7}"#)
    #expect(try shaped(#"{"f":{"Its Name":"-","n":""}}"#) == #"{"name":null,"n":null}"#)
  }

  @Test(
    "two members of one name, and a value without members, are errors",
    arguments: [
      (#"{"a":1,"f":{"a":2}}"#, "a"), (#"{"f":{"a":2},"g":{"a":3}}"#, "a"), (#"{"f":{"\u0061":2},"a":1}"#, "a"),
      (#"{"f":1}"#, "f"), (#"{"f":[1]}"#, "f"), (#"{"h":{"b":1,"i":{"b":1}}}"#, "h.b"), (#"{"h":{"i":""}}"#, "h.i"),
    ])
  func clashes(record: String, keyPath: String) throws {
    let shape = Shape(flatten: [["f"], ["g"], ["h", "i"]], keys: nil, model: nil)
    let record = try JSONValue(parsing: Array(record.utf8))
    let error = #expect(throws: ModelError.self) { try Reshaper(shape).apply(to: record) }
    #expect(error?.keyPath == keyPath)
  }

  private static func dropped(
    _ record: String, _ paths: [String], keys: Shape.Keys? = nil, model: [Shape.Member]? = nil
  ) throws -> String {
    let drop = try paths.map { try JSONPath($0) }
    let shape = Shape(drop: drop, keys: keys, model: model)
    return try Reshaper(shape).apply(to: JSONValue(parsing: Array(record.utf8))).text
  }

  @Test(
    "wherever they are in their object",
    arguments: [
      (#"{"a":1,"b":2,"c":3}"#, ["a"], #"{"b":2,"c":3}"#), (#"{"a":1,"b":2,"c":3}"#, ["b"], #"{"a":1,"c":3}"#),
      (#"{"a":1,"b":2,"c":3}"#, ["c"], #"{"a":1,"b":2}"#), (#"{"a":1,"b":2,"c":3}"#, ["b", "c"], #"{"a":1}"#),
      (#"{"a":1,"b":2,"c":3}"#, ["c", "a"], #"{"b":2}"#), (#"{"a":1,"b":2,"c":3}"#, ["a", "b", "c"], "{}"),
      (#"{"a":1,"a":2,"b":3,"a":4}"#, ["a"], #"{"b":3}"#), (#"{"\u0061":1,"b":2}"#, ["a"], #"{"b":2}"#),
      (#"{"a":{"x":1,"y":[{"x":2}]},"x":3}"#, ["a.x"], #"{"a":{"y":[{"x":2}]},"x":3}"#),
      (#"{"a":{"x":1},"b":{"x":1,"y":2}}"#, ["a.x", "b.y", "b"], #"{"a":{}}"#),
      (#"{"a":{"x":1},"b":{"x":1,"y":2}}"#, ["a.x", "b.y"], #"{"a":{},"b":{"x":1}}"#),
      (#"{"a":{"x":{"y":1,"z":2},"w":3},"b":4}"#, ["a.x.z", "a.w", "b"], #"{"a":{"x":{"y":1}}}"#),
      (#"{"a":[1],"b":"x"}"#, ["a.0", "b.c"], #"{"a":[1],"b":"x"}"#), ("[{\"a\":1}]", ["a"], "[{\"a\":1}]"),
      ("7", ["a"], "7"), ("{}", ["a"], "{}"), (#"{"a":"}","b":"a"}"#, ["b"], #"{"a":"}"}"#),
    ])
  func places(_ record: String, _ paths: [String], _ result: String) throws {
    #expect(try Self.dropped(record, paths) == result)
  }

  @Test("before names are rewritten, and before the model looks, also in lists")
  func before() throws {
    let record = #"{"a_b":{"c_d":1,"e_f":[{"g_h":2}]},"i_j":3}"#
    #expect(try Self.dropped(record, ["i_j", "a_b.c_d"], keys: .camelCase) == #"{"aB":{"eF":[{"gH":2}]}}"#)
    #expect(try Self.dropped(#"[{"a_b":1}]"#, ["x"], keys: .camelCase) == #"[{"aB":1}]"#)
    let model = members(("a_b", .map(members(("c_d?", .integer)))), ("i_j", .integer))
    #expect(try Self.dropped(record, ["a_b.c_d"], model: model) == #"{"a_b":{},"i_j":3}"#)
  }

  @Test("counts of a page are the server's, the lines those that are kept")
  func filtered() throws {
    let filter = RecordFilter(Condition([.init(path: ["keep"], tests: [.among([JSONValue(true)])])]))
    var options = UnwrapOptions(content: [])
    options.filter = filter
    options.lastPaths = [["id"]]
    options.mark = try MarkReading(path: ["at"])
    var unwrapper = Unwrapper(options) { Spool() }
    try unwrapper.take(
      Array(#"[{"id":1,"keep":true,"at":3},{"id":2,"keep":true,"at":5},{"id":3,"keep":false,"at":9}]"#.utf8))
    let page = try unwrapper.finish()
    #expect(page.body.recordCount == 3 && page.body.leftOutCount == 1 && page.highest.value?.text == "5")
    #expect(page.body.last["id"] == Array("3".utf8))
    #expect(try text(of: page.lines) == "{\"id\":1,\"keep\":true,\"at\":3}\n{\"id\":2,\"keep\":true,\"at\":5}\n")
  }
}
