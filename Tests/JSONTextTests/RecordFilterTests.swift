// A filter keeps what its condition holds for, record by record, and its token index stays right.

import Foundation
import TestSupport
import Testing

@testable import JSONText

@Suite(.limitedConcurrency) struct RecordFilterTests {
  private static let conditions: [Condition] = {
    let one: Condition.Test = .among([JSONValue(1)])
    return [
      Condition([.init(path: ["id"], tests: [one])]),
      Condition([.init(path: ["id"], tests: [.not([one])]), .init(path: ["a"], tests: [.not([.among([.null])])])]),
      Condition([.init(path: ["a name of more than sixteen bytes"], tests: [.among([.null, JSONValue(true)])])]),
      Condition([.init(path: ["x", "id"], tests: [.not([.among([.null])])])]),
      Condition([.init(path: ["copy"], tests: [.above(JSONValue(0))])]),
      Condition([.init(path: ["id"], tests: [.has(JSONValue("x,"))])]),
      Condition([.init(path: ["none"], tests: [.not([.among([.null])])])]),
      Condition([.init(path: ["none"], tests: [.among([.null])])]),
      Condition([.init(path: try! JSONPath("copy.*"), tests: [.above(JSONValue(0))])]),
      Condition(anyOf: [
        [.init(path: ["id"], tests: [one])], [.init(path: ["a"], tests: [.truthy(readsTexts: false)])],
      ]),
    ]
  }()

  @Test("what is kept is what the condition holds for, with and without an index", arguments: 0..<12)
  func kept(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let text = Array((0..<80).map { _ in dice.line() }.joined().utf8)
    for (condition, kernel) in Self.conditions.flatMap({ one in Kernel.all.map { (one, $0.kernel) } }) {
      let filter = RecordFilter(condition, kernel)
      for depth in [0, max(filter.depth, 1), 3] {
        var scanner = LineScanner(tokenIndexDepth: depth)
        try scanner.append(text)
        try scanner.finish()
        let (lines, tokenIndex) = scanner.takeLines()
        let wanted = TokenIndexedRecords(lines).filter { condition.holds(for: $0) }
        let kept = filter.kept(of: lines, tokenIndex)
        #expect(TokenIndexedRecords(kept.lines).map(\.text) == wanted.map(\.text))
        #expect(kept.count == wanted.count)
        #expect(kept.count + kept.leftOutCount == TokenIndexedRecords(lines).reduce(0) { count, _ in count + 1 })
        // Each record that had an index still has it.
        let had = TokenIndexedRecords(lines, tokenIndex).filter { condition.holds(for: $0) }.map { $0.tokens != nil }
        #expect(TokenIndexedRecords(kept.lines, kept.tokenIndex).map { $0.tokens != nil } == had)
        for (record, own) in zip(TokenIndexedRecords(kept.lines, kept.tokenIndex), wanted) {
          #expect(record["id"]?.text == own["id"]?.text && record[["x", "id"]]?.text == own[["x", "id"]]?.text)
        }
      }
    }
  }

  private static let values = [
    "0", "-0", "0.0", "-0.0", "1", "1.0", "1.50", "1.5", "-1.5", "-2", "15e-1", "1E0", "123456789012345678",
    "1234567890123456789", "-123456789012345678.000000000000000001", "0.123456789012345678", "0.1234567890123456789",
    "99999999999999999999", "true", "false", "null", "\"\"", "\"a\"", "\"\\u0061\"", "\"1\"", "\"null\"", "[]", "[1]",
    "{}", "{\"a\":1}", "\"ab\"", "\"a\\\"b\"",
  ]

  @Test("each value is tried as the condition tries it", arguments: values)
  func eachValue(bound: String) throws {
    let records = Self.values.map { "{\"a\":\($0)}\n{\"a\":\($0),\"b\":0}\n" }.joined() + "{}\n"
    let value = try JSONValue(parsing: Array(bound.utf8))
    let all: [Condition.Test] = [
      .among([value]), .among([value, JSONValue(1)]), .above(value), .below(value), .has(JSONValue("a")),
      .truthy(readsTexts: false), .truthy(readsTexts: true),
    ]
    for test in all + all.map({ .not([$0]) }) + all.map({ .not([.not([.among([.null])]), $0]) }) {
      testKernels(Condition([.init(path: ["a"], tests: [test])]), on: records)
    }
  }

  /// Tests that each kernel keeps those lines for which the condition holds.
  private func testKernels(_ condition: Condition, on text: String) {
    let lines = Array(text.utf8)
    let wanted = TokenIndexedRecords(lines).filter { condition.holds(for: $0) }.map(\.text)
    for (name, kernel) in Kernel.all {
      let kept = RecordFilter(condition, kernel).kept(of: lines, TokenIndex()).lines
      #expect(TokenIndexedRecords(kept).map(\.text) == wanted, "\(condition.alternatives.joined()), \(name)")
    }
  }

  /// Tests that each kernel keeps those records of which the member is 1.
  private func testKernels(_ member: String, in records: [String]) {
    let condition = Condition([.init(path: [member], tests: [.among([JSONValue(1)])])])
    testKernels(condition, on: records.map { $0 + "\n" }.joined())
  }

  @Test("a member is found at the record's own depth, wherever it is in a block, and once", arguments: 0..<130)
  func places(before: Int) {
    let fill = String(repeating: "x", count: before)
    let records = [
      #"{"fill":"\#(fill)","id":1}"#, #"{"a":{"id":1},"fill":"\#(fill)"}"#,
      #"{"a":[{"id":2}],"fill":"\#(fill)","id":1}"#,
      #"{"fill":"\#(fill)\"","id":1}"#, #"{"fill":"\#(fill)\\","id":1}"#, #"{"a":"{[\"","fill":"\#(fill)","id":1}"#,
      #"{"a":{"b":"}","\#(fill)":0},"id":1}"#, #"{"fill":"\#(fill)\\\"{","a":[],"id":1}"#, #"{"\#(fill)":",\"id\":1"}"#,
      #"{"id":1,"\#(fill)":{},"id":2}"#, #"{"\#(fill)":0,"i\u0064":1}"#, #"{"\#(fill)":"\u0026\u003c","id":1}"#,
      #"{"xid":1,"\#(fill)":"id"}"#, #"{"\#(fill)":[1,"id",{"id":1}],"id":3}"#,
      // Nearer to the record's end, where the brackets behind the member decide.
      #"{"fill":"\#(fill)","a":[{}],"id":1,"b":"}\"}"}"#, #"{"fill":"\#(fill)","a":[{"id":1}],"b":"{["}"#,
      #"{"fill":"\#(fill)","a":[[{"id":1,"b":[{}]}]]}"#, #"{"a":{"id":2},"fill":"\#(fill)","b":{"id":3},"id":1}"#,
      #"{"fill":"\#(fill)","a":{"id":1},"id":1,"id":2}"#, #"{"id":1,"fill":"\#(fill)","a":{"id":2}}"#,
    ]
    // Names are compared as words of eight bytes, up to the text's last ones.
    for member in ["id", "i", "idididi", "idididid", "ididididi"] {
      testKernels(member, in: records.map { $0.replacingOccurrences(of: "id\"", with: member + "\"") })
    }
  }

  @Test("each letter of a name may be an escape, in both cases of its digits", arguments: 0x20..<0x7F)
  func escapes(letter: Int) {
    let plain = String(UnicodeScalar(UInt8(letter)))
    let spelled = [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(UInt8(letter)) ? "\\" + plain : plain
    for escape in [String(format: #"\u%04x"#, letter), String(format: #"\u%04X"#, letter)] {
      testKernels(
        "a" + plain,
        in: [#"{"a\#(escape)":1}"#, #"{"b\#(escape)":1}"#, #"{"a\#(spelled)":1}"#, #"{"a\#(escape)b":1}"#])
    }
  }

  @Test("a name of any length is found, also at the text's end", arguments: 1..<70)
  func lengths(count: Int) {
    let name = String(String(repeating: "abcdefghijk", count: 7).prefix(count))
    for fill in ["", String(repeating: "x", count: 1_000), String(repeating: "y", count: 2_000)] {
      testKernels(
        name,
        in: [
          #"{"\#(name)":1,"fill":"\#(fill)"}"#, #"{"\#(name)a":1}"#, #"{"a\#(name)":1}"#,
          #"{"fill":"\#(fill)","\#(name)":1}"#, #"{"fill":"\#(fill)","\#(name)":0}"#, #"{"\#(name)":1}"#,
        ])
    }
  }

  @Test("lines that are all kept are not copied")
  func allKept() throws {
    let lines = Array("{\"a\":1}\n{\"a\":1.0}\n".utf8)
    let kept = RecordFilter(Condition([.init(path: ["a"], tests: [.among([JSONValue(1)])])])).kept(
      of: lines, TokenIndex())
    let isSame = kept.lines.withUnsafeBufferPointer { new in
      lines.withUnsafeBufferPointer { $0.baseAddress == new.baseAddress }
    }
    #expect(isSame && kept.leftOutCount == 0)
  }
}
