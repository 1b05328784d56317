// Where the content is, what is missing, and what is captured on the way.

import TestSupport
import Testing

@testable import JSONText

private func find(_ text: String, _ content: String, captures: [String] = []) throws -> Outcome {
  let content = try path(content)
  let captures = try captures.map { try path($0) }
  for padding in ["", String(repeating: " ", count: 100)] {
    expectSameAtEveryCut(Array((text + padding).utf8), content: content, captures: captures)
  }
  return scanEveryWay(Array(text.utf8), content: content, captures: captures)
}

@Suite(.limitedConcurrency) struct ContentTests {
  @Test(
    "Content comes out one record a line",
    arguments: [
      ("[]", "", []), ("[1]", "", ["1"]),
      (#"[ 1 , "a" , [ 2 ] , { } , null ]"#, "", ["1", #""a""#, "[2]", "{}", "null"]),
      (#"{"a" : 1}"#, "", [#"{"a":1}"#]), ("12", "", ["12"]), (#""x""#, "", [#""x""#]), ("true", "", ["true"]),
      ("{}", "", ["{}"]), (#"{"a":[1,2],"b":[3]}"#, "a", ["1", "2"]), (#"{"b":[3],"a":[1,2]}"#, "a", ["1", "2"]),
      (#"{"a":{"x": [1]}}"#, "a", [#"{"x":[1]}"#]), (#"{"a":-1.50}"#, "a", ["-1.50"]), (#"{"a":[]}"#, "a", []),
      (#"{"a":{"b":{"c":[[1,2],[3]]}}}"#, "a.b.c", ["[1,2]", "[3]"]), ("[[1],[2,3]]", "1", ["2", "3"]),
      (#"[{"a":1},{"a":[7,8]}]"#, "1.a", ["7", "8"]), (#"{"0":[1]}"#, "0", ["1"]), (#"{"":[1]}"#, "[\"\"]", ["1"]),
      (#"{"\u0061":[1]}"#, "a", ["1"]), (#"{"a\/b":[1]}"#, "[\"a/b\"]", ["1"]),
      (#"{"\ud83d\ude00":[1]}"#, "[\"😀\"]", ["1"]),
      (#"{"ab":[0],"a":[1],"aa":[2]}"#, "a", ["1"]), (#"{"a":null,"b":[1]}"#, "b", ["1"]),
      (#"{"a":1,"a":{"b":[1]}}"#, "a.b", ["1"]), (#"{"a":{"b":[1]},"a":2}"#, "a.b", ["1"]),
      (#"{"a":["\ud800", 1E400, 0.10]}"#, "a", [#""\ud800""#, "1E400", "0.10"]),
    ])
  func found(text: String, keyPath: String, records: [String]) throws {
    let outcome = try find(text, keyPath)
    #expect(outcome.records == records && outcome.count == records.count)
    #expect(outcome.finding == .found)
  }

  @Test(
    "Null content gives no records",
    arguments: [("null", ""), (#"{"a":null,"b":[1]}"#, "a"), ("[null]", "0"), (#"{"a":[{"b": null }]}"#, "a.0.b")])
  func null(text: String, keyPath: String) throws {
    let outcome = try find(text, keyPath)
    #expect(outcome.records.isEmpty && outcome.finding == .null)
  }

  @Test(
    "Content that is not there says how far the way led, and what is there",
    arguments: [
      (#"{"b":1,"c":[]}"#, "a", 0, ["b", "c"], JSONKind.object), ("{}", "a", 0, [], .object),
      (#"{"a":{"x\n":1,"\ud800":2}}"#, "a.b", 1, ["x\n", "\u{fffd}"], .object), ("[{}]", "a", 0, [], .array),
      ("[1,2]", "2", 0, [], .array), ("[1,2]", "01", 0, [], .array), ("[1]", "-", 0, [], .array),
      ("[]", "0", 0, [], .array), ("null", "a", 0, [], .null), ("1", "a", 0, [], .number),
      (#""a""#, "a", 0, [], .string), ("true", "a.b", 0, [], .boolean), (#"{"a":null}"#, "a.b", 1, [], .null),
      (#"{"a":"x"}"#, "a.b.c", 1, [], .string), (#"{"a":{"b":3}}"#, "a.b.c", 2, [], .number),
      (#"{"a":{"b":{}},"a":1}"#, "a.b.c", 2, [], .object), (#"{"a":1,"a":true}"#, "a.b", 1, [], .boolean),
      (#"{"A":[1]}"#, "a", 0, ["A"], .object), (#"{"a":{"c":1}}"#, "b", 0, ["a"], .object),
      (#"{"a":[1,[2]]}"#, "a.1.1", 2, [], .array),
    ])
  func missing(text: String, keyPath: String, depth: Int, available: [String], kind: JSONKind) throws {
    let way = try path(keyPath).steps.prefix(depth).map(\.name)
    let outcome = try find(text, keyPath)
    #expect(outcome.records.isEmpty)
    #expect(outcome.finding == .missing(at: JSONPath(way), available: available, kind: kind))
  }

  @Test("At most twenty-one names are kept, the first ones: one more than are shown")
  func manyNames() throws {
    let members = (0..<30).map { #""k\#($0)":{"deep":1}"# }.joined(separator: ",")
    let outcome = try find("{\(members)}", "a")
    #expect(outcome.finding == .missing(at: [], available: (0..<21).map { "k\($0)" }, kind: .object))
  }

  @Test(
    "Content that is there twice is a fault at the second",
    arguments: [
      (#"{"a":[1],"a":[2]}"#, "a", 13, ["1"]), (#"{"a":[1],"\u0061": null}"#, "a", 19, ["1"]),
      (#"{"a":null,"a":[2]}"#, "a", 14, []), (#"{"a":{"b":1},"a":{"b":2}}"#, "a.b", 22, ["1"]),
      (#"{"a":{"b":1,"b":2}}"#, "a.b", 16, ["1"]),
    ])
  func duplicates(text: String, keyPath: String, offset: Int, records: [String]) throws {
    let outcome = try find(text, keyPath)
    #expect(outcome.fault?.hasPrefix("duplicateContent \(offset) 1:\(offset + 1) ") == true, "\(outcome)")
    #expect(outcome.records == records)
  }

  @Test(
    "Captures are taken wherever they stand, compact, the last of duplicates",
    arguments: [
      (#"{"meta":{"page": 1},"a":[1]}"#, ["meta.page", "meta", "a.0"], ["1", #"{"page":1}"#, "1"]),
      (
        #"{"a":[{"id": 1},{"id": [ 2 ]}],"n":"x"}"#, ["a.1.id", "n", "a.2", "a.1"],
        ["[2]", #""x""#, nil, #"{"id":[2]}"#]
      ),
      (#"{ "a" : [ 1 , 2 ] }"#, ["", "a"], [#"{"a":[1,2]}"#, "[1,2]"]),
      ("[ 5 ]", ["", "0", "a"], ["[5]", "5", nil]),
      ("7", ["", "a"], ["7", nil]), (#"{"n":1,"n": 2,"a":0}"#, ["n"], ["2"]),
      (#"{"n":{"m":1},"n":2}"#, ["n.m", "n"], ["1", "2"]),
      (#"{"a":{"n":null}}"#, ["a.n", "a.n", "a"], ["null", "null", #"{"n":null}"#]),
      (#"{"a":[[1,[2,{"b":"\u0041"}]]]}"#, ["a.0.1.1.b", "a.0.1"], [#""\u0041""#, #"[2,{"b":"\u0041"}]"#]),
      (
        #"{"x":{"a":{"a":{"a":1}}}}"#, ["x.a.a.a", "x.a.a", "x.a", "x", ""],
        ["1", #"{"a":1}"#, #"{"a":{"a":1}}"#, #"{"a":{"a":{"a":1}}}"#, #"{"x":{"a":{"a":{"a":1}}}}"#]
      ),
    ] as [(String, [String], [String?])])
  func captures(text: String, keyPaths: [String], values: [String?]) throws {
    for content in ["", "a", "zz"] {
      #expect(try find(text, content, captures: keyPaths).captured == values)
    }
  }

  @Test("Captures inside the content leave the records as they are")
  func capturesInsideContent() throws {
    let text = #"{"a":[ {"id": 1, "tags": [ "x" , {"y": 2} ]} , 5, {"id":9} ],"end": true}"#
    let captures = ["a", "a.0", "a.0.tags.1.y", "a.2.id", "end", ""]
    let outcome = try find(text, "a", captures: captures)
    #expect(outcome.records == [#"{"id":1,"tags":["x",{"y":2}]}"#, "5", #"{"id":9}"#])
    #expect(outcome.records == (try find(text, "a")).records)
    let single = try find(#"{"a":{"b":{"c": 1}}}"#, "a", captures: ["a.b", "a.b.c"])
    #expect(single.records == [#"{"b":{"c":1}}"#] && single.captured == [#"{"c":1}"#, "1"])
  }

  @Test("Only whole records come out, in whatever pieces the bytes arrive")
  func incompleteRecordsStay() throws {
    var scanner = EnvelopeScanner(WantedPaths(content: []))
    try scanner.append(Array(#"[{"a":1},{"b":"#.utf8))
    #expect(scanner.takeRecords() == Array("{\"a\":1}\n".utf8))
    #expect(scanner.takeRecords().isEmpty)
    try scanner.append(Array("2".utf8))
    #expect(scanner.takeRecords().isEmpty && scanner.recordCount == 1)
    try scanner.append(Array("},3".utf8))
    #expect(scanner.takeRecords() == Array("{\"b\":2}\n".utf8))
    try scanner.append(Array("4]".utf8))
    try scanner.finish()
    #expect(scanner.takeRecords() == Array("34\n".utf8))
  }

  @Test("A record far longer than a chunk comes out whole")
  func longRecord() throws {
    let long = String(repeating: "lorem ipsum \\n é ", count: 20_000)
    let text = Array(#"{"a":[1,{"x": "\#(long)"},[\#(String(repeating: "1, ", count: 50_000))0]]}"#.utf8)
    for size in [64, 1_000, 65_536] {
      let outcome = scan(chunks(text, of: size), content: ["a"])
      #expect(outcome.records[1] == #"{"x":"\#(long)"}"# && outcome.count == 3)
      #expect(outcome.records[2].utf8.count == 100_003)
    }
  }
}
