// Content in several lists of one body: paths that differ in one name.

import TestSupport
import Testing

@testable import JSONText

private func content(_ texts: [String]) throws -> JSONPath? {
  JSONPath(
    anyOf: try texts.map { text in
      let isOptional = text.hasSuffix("?")
      return (try JSONPath(isOptional ? String(text.dropLast()) : text), isOptional)
    })
}

private func find(_ text: String, _ texts: [String]) throws -> Outcome {
  let path = try #require(try content(texts))
  expectSameAtEveryCut(Array(text.utf8), content: path, captures: [["a"], ["n"], []])
  return scanEveryWay(Array(text.utf8), content: path)
}

@Suite(.limitedConcurrency) struct SeveralPathsTests {
  static let bodies: [(text: String, paths: [String], records: [String])] = [
    (#"{"a":[1,2],"n":0,"b":[3]}"#, ["a", "b"], ["1", "2", "3"]),
    (#"{"b":[3],"a":[1]}"#, ["a", "b"], ["3", "1"]), (#"{"a":[1]}"#, ["a", "b?"], ["1"]),
    (#"{"b":[1],"c":[2]}"#, ["a?", "b"], ["1"]), (#"{"a":null,"b":{"x":1}}"#, ["a", "b"], [#"{"x":1}"#]),
    (#"{"d":{"a":[1],"b":[]},"a":[9]}"#, ["d.a", "d.b"], ["1"]),
    (#"{"a":{"i":[1]},"b":{"i":[2]}}"#, ["a.i", "b.i"], ["1", "2"]),
    (#"{"a":{"x":1,"y":2},"b":{"z":3}}"#, ["a.*", "b.*"], ["1", "2", "3"]),
    (#"[{"a":[1],"b":[2]},{"a":[3],"b":[]}]"#, ["*.a", "*.b"], ["1", "2", "3"]),
    ("[[1],[2],[3]]", ["0", "2"], ["1", "3"]), (#"{"\u0061":[1],"b":[2]}"#, ["a", "b"], ["1", "2"]),
  ]

  @Test("Each of several lists gives its records, in the order of the body", arguments: bodies)
  func found(text: String, paths: [String], records: [String]) throws {
    let outcome = try find(text, paths)
    #expect(outcome.records == records)
    #expect(outcome.finding == .found)
  }

  static let lacking:
    [(text: String, paths: [String], way: [String], available: [String], kind: JSONKind, choice: Int?)] =
      [
        (#"{"a":[1],"c":[2]}"#, ["a", "b"], [], ["a", "c"], .object, 1),
        (#"{"b":[1]}"#, ["a", "b"], [], ["b"], .object, 0), (#"{"x":1}"#, ["a?", "b?"], [], ["x"], .object, 0),
        (#"{"d":[1]}"#, ["d.a", "d.b"], ["d"], [], .array, 0),
        (#"{"a":{"i":[1]},"b":{"j":[2]}}"#, ["a.i", "b.i"], ["b"], ["j"], .object, nil),
        (#"{"d":7}"#, ["d.a", "d.b"], ["d"], [], .number, nil),
      ]

  @Test("A list that is missing is named, with the members that are there", arguments: lacking)
  func missing(text: String, paths: [String], way: [String], available: [String], kind: JSONKind, choice: Int?) throws {
    #expect(
      try find(text, paths).finding == .missing(at: JSONPath(way), available: available, kind: kind, choice: choice))
  }

  @Test("A list that comes twice is a fault at the second")
  func duplicates() throws {
    let outcome = try find(#"{"a":[1],"b":[2],"a":[3]}"#, ["a", "b"])
    #expect(outcome.fault?.hasPrefix("duplicateContent 21 ") == true, "\(outcome)")
  }

  @Test(
    "Paths that differ in more than one name are no content", arguments: [["a", "b.c"], ["a.b", "c.d"], ["a", "*"]])
  func apart(paths: [String]) throws {
    #expect(try content(paths) == nil)
  }

  @Test("The name of a record is the path that led to it; null gives no record", arguments: [1, 3, 1_000])
  func names(size: Int) throws {
    let path = try #require(try content(["d.a", "d.b", "d.c"]))
    var scanner = EnvelopeScanner(WantedPaths(content: path), nameCount: 1)
    var names: [UInt8] = []
    for chunk in chunks(Array(#"{"d":{"b":[1,2],"a":{"x":1},"c":null}}"#.utf8), of: size) {
      try scanner.append(chunk)
      names += scanner.takeNames()
    }
    try scanner.finish()
    #expect(lines(names) == [#""d.b""#, #""d.b""#, #""d.a""#])
    #expect(scanner.recordCount == 3)
  }
}
