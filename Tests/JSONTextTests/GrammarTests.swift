// RFC 8259, production by production: what is accepted and what comes out, what is refused and where.

import TestSupport
import Testing

@testable import JSONText

/// What is put around a text so that the hot loop, which needs room to the end of the chunk, reads it too.
private let padding = String(repeating: " ", count: 200)

@Suite(.limitedConcurrency) struct GrammarTests {
  static let accepted: [String] = [
    "null", "true", "false", "0", "-0", "1", "-1", "123", "1.5", "-0.25", "1e5", "1E5", "1e+5", "1e-5", "0e0", "0.0e-0",
    "123456789012345678901234567890", "0.1234567890123456789012345678901234567890", "1e1234567890123456789",
    "-9.99E+99", "10", "100", "20.0", #""""#, #""a""#, #""abcdefghijklmno""#, #""abcdefghijklmnop""#,
    #""abcdefghijklmnopq""#, #""abcdefghijklmnopqrstuvwxyz0123456789""#, #""\"\\\/\b\f\n\r\t""#,
    #""\u0000\uFFFF\uabCD""#,
    #""\ud800""#, #""\udc00\ud800""#, #""\ud83d\ude00""#, "\"\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"",
    "\"\u{d7ff}\u{e000}\u{feff}\u{2028}\"", "\"ééééééééééééééééééééééé\"", "\"暗号通貨 ビットコイン Ω é 😀😀😀😀😀😀\"",
    #""long, then an escape\n and é, and plain text again, so that all blocks are used""#, "[]", "{}", "[[]]", "[{}]",
    #"{"a":{}}"#, "[1,2,3]", "[null,true,false]", #"{"":""}"#, #"{"a":1,"a":2}"#, #"{"\u0061\n":[{"b":[[],{}]}]}"#,
    #"["]","}","{","[",",",":","\""]"#, "[0,-0,0.0,0e1]", #"{"a":0,"b":-1.5e-3,"c":[],"d":{},"e":"","f":null}"#,
  ]

  /// All of them, without marks.
  static let texts = accepted + refused.map { $0.0.replacing("◆", with: "") }

  @Test("Valid values come out as they are", arguments: accepted)
  func accepts(text: String) {
    for around in [("", ""), ("", padding), (padding, padding), (" \t\r\n", "\n")] {
      let outcome = scanEveryWay(Array((around.0 + #"{"x":"# + text + "}" + around.1).utf8))
      #expect(outcome.records == [#"{"x":"# + text + "}"] && outcome.fault == nil, "\(outcome)")
    }
    let alone = scanEveryWay(Array(text.utf8), content: ["x"], captures: [[]])
    #expect(alone.captured == [text] && alone.fault == nil)
    #expect(scanEveryWay(Array(#"[ \#(text) ]"#.utf8)).records == [text])
    expectSameAtEveryCut(Array("[\(text),\(text)]\(padding)".utf8))
  }

  @Test(
    "White space goes where it means nothing, and stays in strings",
    arguments: [
      (" [ 1 , 2 ] ", "[1,2]"), ("\t{\r\n\"a b\" : \t\" c \"\n,\"d\":[ ]}\n", #"{"a b":" c ","d":[]}"#),
      ("[  true  ,\n\n\n                      false\r\n]", "[true,false]"), (" 1 ", "1"), ("{ }", "{}"),
      ("[\(padding)1\(padding),\(padding)\"x\"\(padding)]", #"[1,"x"]"#),
    ])
  func whiteSpace(text: String, compact: String) {
    let outcome = scanEveryWay(Array((text + padding).utf8), content: ["x"], captures: [[]])
    #expect(outcome.captured == [compact])
  }

  /// A mark `◆` stands before the place of the fault.
  private static let refused: [(String, JSONError.Reason)] = [
    ("◆", .unexpectedEnd), ("  ◆", .unexpectedEnd), ("[◆", .unexpectedEnd), ("{◆", .unexpectedEnd),
    (#"{"a◆"#, .unexpectedEnd), (#"{"a"◆"#, .unexpectedEnd), (#"{"a":◆"#, .unexpectedEnd),
    (#"{"a":1◆"#, .unexpectedEnd),
    (#"{"a":1,◆"#, .unexpectedEnd), ("[1◆", .unexpectedEnd), ("[1,◆", .unexpectedEnd), (#""◆"#, .unexpectedEnd),
    (#""\◆"#, .unexpectedEnd), (#""\u12◆"#, .unexpectedEnd), ("-◆", .unexpectedEnd), ("1.◆", .unexpectedEnd),
    ("1e◆", .unexpectedEnd), ("1e+◆", .unexpectedEnd), ("tru◆", .unexpectedEnd), ("[[[]◆", .unexpectedEnd),
    ("[◆,1]", .unexpectedByte), ("[1,◆]", .unexpectedByte), ("[1 ◆2]", .unexpectedByte), ("[1,◆,2]", .unexpectedByte),
    ("[◆}", .unexpectedByte), ("{◆]", .unexpectedByte), ("[1◆}", .unexpectedByte), (#"{"a":1◆]"#, .unexpectedByte),
    ("{◆1:2}", .unexpectedByte), ("{◆a:2}", .unexpectedByte), (#"{"a"◆,1}"#, .unexpectedByte),
    (#"{"a":◆:1}"#, .unexpectedByte), (#"{"a"◆}"#, .unexpectedByte), (#"{"a":◆}"#, .unexpectedByte),
    (#"{"a":1,◆}"#, .unexpectedByte), (#"{"a":1◆"b":2}"#, .unexpectedByte), (#"{"a":1,◆2}"#, .unexpectedByte),
    (#"{◆,"a":1}"#, .unexpectedByte), ("◆'a'", .unexpectedByte), ("◆NaN", .unexpectedByte),
    ("◆Infinity", .unexpectedByte),
    ("◆+1", .unexpectedByte), ("◆.5", .unexpectedByte), ("◆,", .unexpectedByte), ("◆]", .unexpectedByte),
    ("◆}", .unexpectedByte), ("◆:", .unexpectedByte), ("◆<html>", .unexpectedByte), ("[◆/*c*/1]", .unexpectedByte),
    ("◆\u{c}1", .unexpectedByte), ("[◆\u{b}]", .unexpectedByte), ("[1◆\u{a0}]", .unexpectedByte),
    ("[◆é]", .unexpectedByte),
    ("[◆TRUE]", .unexpectedByte), ("[1◆a]", .unexpectedByte), ("[1◆-2]", .unexpectedByte),
    ("[1.5◆.5]", .unexpectedByte),
    ("[1e5◆.5]", .unexpectedByte), ("[1e5◆e5]", .unexpectedByte), ("[0◆x1]", .unexpectedByte),
    ("[true◆false]", .unexpectedByte),
    (#"["a"◆"b"]"#, .unexpectedByte), ("[nul◆]", .invalidLiteral), ("[t◆ rue]", .invalidLiteral),
    ("[nul◆L]", .invalidLiteral),
    ("[f◆]", .invalidLiteral), ("[fals◆\"\"]", .invalidLiteral), ("[true◆e]", .unexpectedByte),
    ("n◆ope", .invalidLiteral),
    ("[-◆]", .invalidNumber), ("[-◆a]", .invalidNumber), ("[0◆1]", .invalidNumber), ("[-0◆1]", .invalidNumber),
    ("[1.◆]", .invalidNumber), ("[1.◆e5]", .invalidNumber), ("[1e◆]", .invalidNumber), ("[1e+◆]", .invalidNumber),
    ("[1e◆.5]", .invalidNumber), ("[-◆-1]", .invalidNumber), ("[1e+◆-1]", .invalidNumber), ("[-◆.5]", .invalidNumber),
    ("[0◆0]", .invalidNumber), ("[1234567890123456789012345678.◆x]", .invalidNumber), ("[-◆Infinity]", .invalidNumber),
    ("[\"◆\n\"]", .controlCharacterInString), ("[\"a◆\0\"]", .controlCharacterInString),
    ("[\"0123456789abcdefghi◆\u{1f}\"]", .controlCharacterInString), ("{\"◆\t\":1}", .controlCharacterInString),
    (#"["\◆x"]"#, .invalidEscape), (#"["\◆'"]"#, .invalidEscape), (#"["\u◆"]"#, .invalidEscape),
    (#"["\u123◆g"]"#, .invalidEscape), (#"["\u00◆"]"#, .invalidEscape), (#"["\◆U0041"]"#, .invalidEscape),
    (#"["\u◆+041"]"#, .invalidEscape), (#"{"0123456789abcde\◆0":1}"#, .invalidEscape), ("[\"\\◆\n\"]", .invalidEscape),
    (#"["\ud800\◆ "]"#, .invalidEscape), ("[]◆]", .trailingContent), ("1 ◆2", .trailingContent),
    ("{}◆{}", .trailingContent),
    ("[]◆,", .trailingContent), ("null◆x", .trailingContent), ("[]\n◆#", .trailingContent),
    (#""a"◆"b""#, .trailingContent),
    ("[]◆\0", .trailingContent), ("1◆é", .trailingContent), ("0◆0", .invalidNumber),
    ("{\"é😀\":\n\"暗◆\u{1}\"}", .controlCharacterInString), ("\n\n [\r\n◆x]", .unexpectedByte),
  ]

  @Test("Invalid texts are refused at the first byte that can't be", arguments: refused.indices)
  func refuses(index: Int) {
    let (marked, reason) = Self.refused[index]
    let parts = marked.split(separator: "◆", maxSplits: 1, omittingEmptySubsequences: false)
    let before = parts[0].unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    let place = "\(reason) \(parts[0].utf8.count) \(before.count):\((before.last?.count ?? 0) + 1)"
    for tail in reason == .unexpectedEnd ? [""] : ["", padding] {
      let outcome = scanEveryWay(Array((parts[0] + parts[1] + tail).utf8))
      #expect(outcome.fault?.hasPrefix(place + " ") == true, "\(outcome) is not \(place)")
    }
    expectSameAtEveryCut(Array((parts[0] + parts[1] + padding).utf8), content: ["x"], captures: [[]])
  }

  /// The bytes of a string, and where in them the sequence begins that is wrong.
  static let malformed: [([UInt8], Int)] = [
    ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC2], 0), ([0xC2, 0x41], 0), ([0xC2, 0xC2], 0),
    ([0xE0, 0x80, 0x80], 0), ([0xE0, 0x9F, 0xBF], 0), ([0xE2, 0x82], 0), ([0xE2, 0x41, 0x41], 0),
    ([0xE2, 0x82, 0x41], 0), ([0xED, 0xA0, 0x80], 0), ([0xED, 0xBF, 0xBF], 0),
    ([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], 0),
    ([0xF0, 0x80, 0x80, 0x80], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0), ([0xF0, 0x9F, 0x98], 0),
    ([0xF0, 0x9F, 0x98, 0x41], 0),
    ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0), ([0xF8, 0x88, 0x80, 0x80, 0x80], 0), ([0xFE], 0),
    ([0xFF], 0), ([0xC3, 0xA9, 0x80], 2), ([0x41, 0xE6, 0x9A, 0x97, 0xE6, 0x9A], 4),
    (Array(repeatElement([0xC3, 0xA9], count: 40).joined()) + [0xC3, 0x43], 80),
    (Array("0123456789abcdefghijk".utf8) + [0xF0, 0x9F, 0x98, 0x80, 0xA0], 25),
  ]

  @Test("Bytes that are not UTF-8 are refused where their sequence begins", arguments: malformed.indices)
  func malformedUTF8(index: Int) {
    let (bytes, place) = Self.malformed[index]
    for isName in [false, true] {
      let head = Array(isName ? "{\"".utf8 : "[\"".utf8)
      let text = head + bytes + Array((isName ? "\":1}" : "\"]").utf8) + Array(padding.utf8)
      let outcome = scanEveryWay(text)
      #expect(outcome.fault?.hasPrefix("invalidUTF8 \(2 + place) 1:") == true, "\(outcome)")
      expectSameAtEveryCut(text)
    }
  }

  @Test("Every scalar is accepted as it is, and every two bytes are judged as Swift judges them")
  func scalars() {
    let all = String(String.UnicodeScalarView((0x20..<0x11_0000).lazy.compactMap(Unicode.Scalar.init)))
    let text = Array("[\"\(all.replacing("\\", with: "").replacing("\"", with: ""))\"]".utf8)
    for size in [text.count, 4_096] {
      let outcome = scan(chunks(text, of: size), content: [])
      #expect(outcome.fault == nil && outcome.records.first?.utf8.count == text.count - 2)
    }
    for first in UInt8(0x80)...0xFF {
      for second: UInt8 in [0x20, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xFF] {
        let bytes = [0x22, first, second, 0x22]
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        #expect((scan([bytes + Array(padding.utf8)], content: []).fault == nil) == isValid)
      }
    }
  }

  @Test("Depth is limited, and a wall of brackets is a clean error")
  func depth() {
    for limit in [1, 2, 63, 64, 65, 128, 129, 1_024] {
      let fits = Array((String(repeating: "[", count: limit) + String(repeating: "]", count: limit) + padding).utf8)
      #expect(scanEveryWay(fits, content: ["x"], captures: [[]], depthLimit: limit).fault == nil)
      let mixed = String(repeating: #"{"a":["#, count: limit / 2) + String(repeating: "]}", count: limit / 2)
      let outcome = scanEveryWay(Array("\(limit < 2 ? "0" : mixed)".utf8), content: [], depthLimit: limit)
      #expect(outcome.fault == nil && outcome.count == 1)
      let tooDeep = Array((String(repeating: "[", count: limit + 1) + padding).utf8)
      let fault = scanEveryWay(tooDeep, content: ["x"], depthLimit: limit).fault
      #expect(fault?.hasPrefix("tooDeep(limit: \(limit)) \(limit) 1:\(limit + 1) ") == true)
    }
    for opening in ["[", #"{"a":"#, #"[{"a":"#] {
      let wall = Array(String(repeating: opening, count: 200_000).utf8)
      #expect(scan(chunks(wall, of: 65_536), content: []).fault?.hasPrefix("tooDeep(limit: 1024) ") == true)
    }
  }

  @Test("One byte order mark is skipped; it counts as bytes, and is no column")
  func byteOrderMark() {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for text in ["[1]", "1", "[]", #"{"a":1}"# + padding] {
      #expect(scanEveryWay(mark + Array(text.utf8)).fault == nil)
    }
    #expect(scanEveryWay(mark + Array("[x]".utf8)).fault?.hasPrefix("unexpectedByte 4 1:2 ") == true)
    #expect(scanEveryWay(mark + mark + [0x31]).fault?.hasPrefix("unexpectedByte 3 1:1 ") == true)
    #expect(scanEveryWay(mark).fault?.hasPrefix("unexpectedEnd 3 1:1 ") == true)
    // What was cut there may have gone on.
    for count in 1...2 {
      let fault = scanEveryWay(Array(mark[..<count])).fault
      #expect(fault?.hasPrefix("unexpectedEnd \(count) ") == true, "\(fault ?? "")")
      var lines = LineScanner()
      #expect(throws: JSONError.self) {
        try lines.append(Array(mark[..<count]))
        try lines.finish()
      }
    }
    #expect(scanEveryWay([0x31] + mark).fault?.hasPrefix("trailingContent 1 1:2 ") == true)
  }

  @Test(
    "Other encodings are named",
    arguments: [
      ([0xFE, 0xFF, 0, 0x5B, 0, 0x5D], "UTF-16BE"), ([0xFF, 0xFE, 0x5B, 0, 0x5D, 0], "UTF-16LE"),
      ([0, 0x5B, 0, 0x5D], "UTF-16BE"), ([0x5B, 0, 0x5D, 0], "UTF-16LE"), ([0x31, 0], "UTF-16LE"),
      ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x5B], "UTF-32BE"), ([0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0], "UTF-32LE"),
      ([0, 0, 0, 0x5B, 0, 0, 0, 0x5D], "UTF-32BE"), ([0x5B, 0, 0, 0, 0x5D, 0, 0, 0], "UTF-32LE"),
      ([0x22, 0, 0x97, 0x66, 0x22, 0], "UTF-16LE"),
    ] as [([UInt8], String)])
  func encodings(bytes: [UInt8], name: String) {
    let outcome = scanEveryWay(bytes)
    #expect(outcome.fault?.hasPrefix("\(JSONError.Reason.wrongEncoding(name)) 0 1:1 ") == true, "\(outcome)")
  }

  @Test("After a fault the scanner says the same again, and is as new after a reset")
  func faultsStay() throws {
    var scanner = EnvelopeScanner(WantedPaths(content: ["a"], captures: [["b"]]))
    let fault = try #require(throws: JSONError.self) { try scanner.append(Array(#"{"b":7,"a":[1,2,x"#.utf8)) }
    #expect(scanner.takeRecords() == Array("1\n2\n".utf8))
    #expect(throws: fault) { try scanner.append([0x20]) }
    #expect(throws: fault) { try scanner.finish() }
    scanner.reset()
    try scanner.append(Array(#"{"a":[3]}"#.utf8))
    try scanner.finish()
    #expect(scanner.takeRecords() == Array("3\n".utf8))
    #expect(scanner.recordCount == 1 && scanner.finding == .found && scanner.metadata.captured == [nil])
  }

  @Test("A text of unknown origin becomes a value, or says why not")
  func parsing() throws {
    #expect(try JSONValue(parsing: Array(" { \"a\" : [ 1 , 2 ] } ".utf8)).text == #"{"a":[1,2]}"#)
    #expect(try JSONValue(parsing: Array(" 12 ".utf8)).integer == 12)
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array("[[1]]".utf8), depthLimit: 1) }
    let fault = #expect(throws: JSONError.self) { try JSONValue(parsing: Array("[1,]".utf8)) }
    #expect(fault?.offset == 3)
    #expect(throws: JSONError.self) { try JSONValue(parsing: []) }
  }
}
