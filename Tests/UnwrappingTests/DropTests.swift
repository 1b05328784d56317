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
