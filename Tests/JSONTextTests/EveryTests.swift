// `*` in the path of content: every element or member is a place of its own.

import TestSupport
import Testing

@testable import JSONText

private func find(_ text: String, _ keyPath: String, wantsNames: Bool = false) throws -> Outcome {
  let path = try JSONPath(keyPath)
  expectSameAtEveryCut(Array(text.utf8), content: path, captures: [["a"], ["a", "0"], []])
  return scanEveryWay(Array(text.utf8), content: path)
}

/// The scanner's names and last element, in chunks of that size.
private func named(_ text: String, _ keyPath: String, size: Int) throws -> (
  records: String, names: String, last: String?, finding: ContentFinding
) {
  var scanner = EnvelopeScanner(
    WantedPaths(content: try JSONPath(keyPath)), wantsElement: true, nameCount: 1)
  var (records, names): ([UInt8], [UInt8]) = ([], [])
  for chunk in chunks(Array(text.utf8), of: size) {
    try scanner.append(chunk)
    records += scanner.takeRecords()
    names += scanner.takeNames()
  }
  try scanner.finish()
  records += scanner.takeRecords()
  return (
    lines(records).joined(separator: " "), lines(names).joined(separator: " "), scanner.metadata.lastElement?.text,
    scanner.finding
  )
}

@Suite(.limitedConcurrency) struct EveryTests {
  @Test(
    "What stands at each end is content: an array's elements, an object or scalar, nothing for null",
    arguments: [
      (#"{"c":[{"k":1,"d":{"id": 1}},{"d":{"id":2}}]}"#, "c.*.d", [#"{"id":1}"#, #"{"id":2}"#]),
      (#"{"a":[ 1 , null, "x", {"y": 2}]}"#, "a.*", ["1", #""x""#, #"{"y":2}"#]),
      ("[[1, 2],[],[[3]], null]", "*", ["1", "2", "[3]"]),
      (#"[{"b":[1,2]},{"b":[]},{"b":null},{"b":{"c":[3]}},{"b":4}]"#, "*.b", ["1", "2", #"{"c":[3]}"#, "4"]),
      (#"{"r":{"usd": 1.0,"eur":{"v":2}}}"#, "r.*", ["1.0", #"{"v":2}"#]),
      (#"{"r":{"usd":1,"usd":2}}"#, "r.*", ["1", "2"]),
      (#"{"a":{"x":[{"i":1},{"i":2}],"y":[],"z":{"q":{"i":3}}}}"#, "a.*.*.i", ["1", "2", "3"]),
      (#"[{"a":[{"b":1}]},{"a":[{"b":2},{"b":3}]}]"#, "*.a.*.b", ["1", "2", "3"]),
      (#"{"a":[],"b":1}"#, "a.*", []), (#"{"a":{}}"#, "a.*.b.c", []), ("[]", "*", []), ("{}", "*", []),
      (#"{"a":1,"a":[5]}"#, "a.*", ["5"]), (#"{"a":[5],"a":1}"#, "a.*", ["5"]),
      (#"[{"a":1,"a":{"b":2}}]"#, "*.a.b", ["2"]),
      (#"{"*":[1]}"#, "*", ["1"]), (#"[[[1,2]],[[3]]]"#, "*.0", ["1", "2", "3"]),
    ])
  func found(text: String, keyPath: String, records: [String]) throws {
    let outcome = try find(text, keyPath)
    #expect(outcome.records == records && outcome.count == records.count)
    #expect(outcome.finding == .found)
  }

  @Test("A root key that is called '*' is a name like any other")
  func literal() throws {
    #expect(scanEveryWay(Array(#"{"a":[1],"*":[2]}"#.utf8), content: ["*"]).records == ["2"])
  }

  @Test(
    "The first place that misses the content is told, with the indices and names on the way",
    arguments: [
      (#"{"a":[{"d":1},{"x":1,"y":2},{}]}"#, "a.*.d", ["a", "1"], ["x", "y"], JSONKind.object),
      (#"{"a":[{"d":1},{"x":1}],"a2":0}"#, "a.*.d", ["a", "1"], ["x"], .object),
      (#"{"a":[{"d":1},5,{"d":2}]}"#, "a.*.d", ["a", "1"], [], .number),
      (#"{"a":[{"d":{"e":1}},{"d":null}]}"#, "a.*.d.e", ["a", "1", "d"], [], .null),
      (#"{"r":{"us\"d":{"v":1},"e\u0075r":{"w":2}}}"#, "r.*.v", ["r", "eur"], ["w"], .object),
      (#"{"a":null}"#, "a.*", ["a"], [], .null), (#"{"a":"x"}"#, "a.*.b", ["a"], [], .string),
      (#"{"b":1}"#, "a.*", [], ["b"], .object), ("7", "*", [], [], .number),
      (#"[{"a":[{"b":1},{"c":2}]},{"x":1}]"#, "*.a.*.b", ["0", "a", "1"], ["c"], .object),
      (#"[{"a":[]},{"x":1}]"#, "*.a.*.b", ["1"], ["x"], .object),
      (#"[{"a":{"b":{}},"a":1}]"#, "*.a.b.c", ["0", "a", "b"], [], .object),
    ])
  func missing(text: String, keyPath: String, way: [String], available: [String], kind: JSONKind) throws {
    let outcome = try find(text, keyPath)
    #expect(outcome.finding == .missing(at: JSONPath(way), available: available, kind: kind))
  }

  @Test(
    "Content that one place has twice is a fault at the second",
    arguments: [
      (#"{"a":[1],"a":[2]}"#, "a.*", 13, ["1"]), (#"[{"d":1,"d":2}]"#, "*.d", 12, ["1"]),
      (#"[{"d":1},{"d":2,"d":null}]"#, "*.d", 20, ["1", "2"]),
      (#"[{"d":[1],"d":{}}]"#, "*.d.*", 14, []),
    ])
  func duplicates(text: String, keyPath: String, offset: Int, records: [String]) throws {
    let outcome = try find(text, keyPath)
    #expect(outcome.fault?.hasPrefix("duplicateContent \(offset) 1:\(offset + 1) ") == true, "\(outcome)")
  }

  @Test("A name comes for each record, as it is spelled; null is a record then", arguments: [1, 3, 1_000])
  func names(size: Int) throws {
    let found = try named(#"{"r":{"us\u0064": 1,"eur":[{"a": 1},2],"gbp":null,"chf":[]}}"#, "r.*", size: size)
    #expect(found.records == #"1 {"a":1} 2 null"#)
    #expect(found.names == #""us\u0064" "eur" "eur" "gbp""#)
    #expect(found.last == "[]" && found.finding == .found)
    let inner = try named(#"{"g":[{"x":{"v":1}},{"y":{"v":2},"z":{"v":3}}]}"#, "g.*.*.v", size: size)
    #expect(inner.names == #""x" "y" "z""# && inner.records == "1 2 3" && inner.last == #"{"v":3}"#)
  }

  @Test("The elements of arrays have no names", arguments: [1, 1_000])
  func nameless(size: Int) throws {
    #expect(try named(#"{"a":{"b":[1,2]}}"#, "a.b.*", size: size).finding == .nameless(at: ["a", "b"], record: 1))
    #expect(try named(#"{"x":{"b":[1]}}"#, "*.b.*", size: size).finding == .nameless(at: ["x", "b"], record: 1))
    let late = try named(#"{"a":{"b":1,"c":{}},"x":[],"d":[5,6],"e":{"f":1},"g":[2]}"#, "*.*", size: size)
    #expect(late.finding == .nameless(at: ["d"], record: 3))
    #expect(try named("[]", "*", size: size).finding == .found)
  }

  @Test("The last element is whole and compact, whatever of it is content", arguments: [1, 5, 1_000])
  func lastElement(size: Int) throws {
    let found = try named(#"{"c":{"1":{"k": "t3","d":{"id":1}},"2":{"k":"t3" , "d":null}}}"#, "c.*.d", size: size)
    #expect(found.last == #"{"k":"t3","d":null}"#)
  }
}
