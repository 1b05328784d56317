// NDJSON: lines in, records out, and the line that is wrong.

import TestSupport
import Testing

@testable import JSONText

private func scanLinesEveryWay(_ text: String, lineLimit: Int = .max) -> Outcome {
  let bytes = Array(text.utf8)
  let whole = scanLines([bytes], lineLimit: lineLimit)
  for size in [1, 2, 3, 7, 16, 63, 64, 65] {
    #expect(scanLines(chunks(bytes, of: size), lineLimit: lineLimit) == whole, "in chunks of \(size)")
  }
  for cut in 0...bytes.count {
    let halves = [Array(bytes[..<cut]), Array(bytes[cut...])]
    #expect(scanLines(halves, lineLimit: lineLimit) == whole, "cut at \(cut)")
  }
  return whole
}

private let long = #"{"name":"a value that is longer than one block","list":[1,2.5,{"x":null}]}"#

@Suite(.limitedConcurrency) struct LineScannerTests {
  @Test(
    "Each line is one record, compacted",
    arguments: [
      ("", []), ("\n", []), ("\n \n\r\n\t\n", []), ("1", ["1"]), ("1\n", ["1"]), ("1\r\n", ["1"]),
      ("1\n2\n3", ["1", "2", "3"]), (" { \"a\" : 1 } \r\n[ ]\n", [#"{"a":1}"#, "[]"]),
      ("\n\n1\n\n\n2\n\n", ["1", "2"]),
      ("\u{feff}1\n", ["1"]), ("\u{feff}\n1", ["1"]), ("\u{feff}", []), ("\"a\"\r\r\n", [#""a""#]),
      ("[1,\r2]\n", ["[1,2]"]),
      ("\(long)\n\(long)\n\(long)", [long, long, long]), ("null\ntrue\n\"\"\n", ["null", "true", #""""#]),
      ("12\n34", ["12", "34"]), ("-1.5e3 \n0\n", ["-1.5e3", "0"]),
    ])
  func lines(text: String, records: [String]) {
    let outcome = scanLinesEveryWay(text)
    #expect(outcome.records == records && outcome.count == records.count && outcome.fault == nil, "\(outcome)")
  }

  /// A mark `◆` stands before the place of the fault.
  @Test(
    "A line that is wrong is named, and the lines before it come out",
    arguments: [
      ("1\n{\"a\":◆\n1}\n", JSONError.Reason.lineFeedInsideValue, 1), ("1\n2\n[1◆\n]", .lineFeedInsideValue, 2),
      ("{\"a\":\"b◆\n{}", .lineFeedInsideValue, 0), ("tru◆\n", .lineFeedInsideValue, 0),
      ("1.◆\n", .lineFeedInsideValue, 0),
      ("-◆\n", .lineFeedInsideValue, 0), ("[\"\\◆\n\"]", .lineFeedInsideValue, 0), ("{◆\n}", .lineFeedInsideValue, 0),
      ("\n\n\n1◆ 2\n".replacing("◆ 2", with: " ◆2"), .trailingContent, 0), ("1\n{}◆{}\n", .trailingContent, 1),
      ("1\n2◆x\n", .trailingContent, 1), ("1\n\n◆x\n", .unexpectedByte, 1), ("[1,◆]\n", .unexpectedByte, 0),
      ("1\n{\"é\":0◆1}\n", .invalidNumber, 1), ("1\n[1,2◆", .unexpectedEnd, 1), ("1\n\"é◆", .unexpectedEnd, 1),
      ("1\n◆\u{feff}2", .unexpectedByte, 1), ("\(long)\n\(long)\n{\"a\":nu◆x}\n\(long)\n", .invalidLiteral, 2),
      ("\(long)\n\(long.dropLast(2))◆\n\(long)\n", .lineFeedInsideValue, 1),
    ])
  func faults(marked: String, reason: JSONError.Reason, records: Int) {
    let parts = marked.split(separator: "◆", omittingEmptySubsequences: false)
    let before = parts[0].unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    let outcome = scanLinesEveryWay(String(parts[0] + parts[1]))
    let place = "\(reason) \(parts[0].utf8.count) \(before.count):\((before.last?.count ?? 0) + 1) "
    #expect(outcome.fault?.hasPrefix(place) == true, "\(outcome) is not \(place)")
    #expect(outcome.count == records && outcome.records.count == records)
  }

  @Test("A line may be as long as the limit, and not a byte longer")
  func limit() {
    for text in ["12345", "[1,2]", "\"abc\"", "    1", "1    ", "     ", "\"é1\""] {
      #expect(scanLinesEveryWay("1\n\(text)\n\(text)\n2", lineLimit: 5).fault == nil)
      #expect(scanLinesEveryWay("1\n\(text)", lineLimit: 5).fault == nil)
      #expect(scanLinesEveryWay("1\r\n\(text)\r\n\(text)\r\n2\r", lineLimit: 5).fault == nil)
      let outcome = scanLinesEveryWay("1\n\(text) \n2", lineLimit: 5)
      #expect(outcome.fault?.hasPrefix("lineTooLong(limit: 5) 7 2:") == true, "\(outcome)")
      #expect(outcome.records == ["1"])
    }
    // What is wrong within the limit is said, what is wrong beyond it is not looked at.
    #expect(scanLinesEveryWay("[1,x,3,4,5]", lineLimit: 5).fault?.hasPrefix("unexpectedByte 3 ") == true)
    #expect(scanLinesEveryWay("[1,2,x,4,5]", lineLimit: 5).fault?.hasPrefix("lineTooLong(limit: 5) 5 ") == true)
    #expect(scanLinesEveryWay("[1,2]\r \n", lineLimit: 5).fault?.hasPrefix("lineTooLong(limit: 5) 6 ") == true)
    #expect(scanLinesEveryWay("[1,2]\r\r\n", lineLimit: 5).fault?.hasPrefix("lineTooLong(limit: 5) 6 ") == true)
    #expect(scanLinesEveryWay("[1,2]\r", lineLimit: 5).fault == nil)
    #expect(scanLinesEveryWay("[1,2\n]", lineLimit: 4).fault?.hasPrefix("lineFeedInsideValue 4 ") == true)
    #expect(scanLinesEveryWay("[1,2\n]", lineLimit: 5).fault?.hasPrefix("lineFeedInsideValue 4 ") == true)
  }

  @Test(
    "A line is there when its line feed has come, however short it is and in whatever pieces it came",
    arguments: [
      ("7\n", "7\n"), ("7\r\n", "7\n"), ("{}\n", "{}\n"), ("\u{FEFF}7\n", "7\n"), ("\n7\n", "7\n"), ("7 \n", "7\n"),
      ("\u{FEFF}\n1\n", "1\n"),
    ])
  func shortLines(text: String, records: String) throws {
    for size in 1...text.utf8.count {
      var scanner = LineScanner()
      for piece in chunks(Array(text.utf8), of: size) { try scanner.append(piece) }
      #expect(scanner.takeRecords() == Array(records.utf8), "in pieces of \(size)")
    }
  }

  @Test("Other encodings are named")
  func encodings() {
    let outcome = scanLines([[0xFF, 0xFE, 0x31, 0, 0x0A, 0]])
    #expect(outcome.fault?.hasPrefix("wrongEncoding(\"UTF-16LE\") 0 1:1 ") == true)
  }

  @Test("A wall of brackets in a line is a clean error")
  func depth() {
    let wall = Array(("1\n" + String(repeating: "[", count: 200_000)).utf8)
    let outcome = scanLines(chunks(wall, of: 4_096))
    #expect(outcome.fault?.hasPrefix("tooDeep(limit: 1024) 1026 2:1025 ") == true && outcome.records == ["1"])
  }
}

// JSON texts one after the other.

private func scanSequence(_ bytes: [UInt8], inChunksOf size: Int) -> Outcome {
  var scanner = SequenceScanner()
  var outcome = Outcome()
  var records: [UInt8] = []
  do throws(JSONError) {
    for chunk in chunks(bytes, of: size) {
      try scanner.append(chunk)
      records += scanner.takeLines().lines
    }
    try scanner.finish()
  } catch {
    outcome.fault = error.brief
  }
  records += scanner.takeLines().lines
  outcome.records = lines(records)
  outcome.count = scanner.recordCount
  return outcome
}

@Suite("JSON texts one after the other", .limitedConcurrency) struct SequenceScannerTests {
  @Test(
    "each text is one record, whatever separates it from the next",
    arguments: [
      ("", []), (" \n", []), ("\u{1e}", []), ("\u{1e}{\"a\":1}\n\u{1e}[2]\n", [#"{"a":1}"#, "[2]"]),
      ("{}{}", ["{}", "{}"]),
      ("{\n \"a\": 1\n}\n\n[1]", [#"{"a":1}"#, "[1]"]), ("1 2 \u{1e}3\n", ["1", "2", "3"]), ("\u{1e}1 2", ["1", "2"]),
      ("\"a\"\"b\"[]1", [#""a""#, #""b""#, "[]", "1"]),
      ("null\ttrue", ["null", "true"]), ("\(long)\(long) \(long)", [long, long, long]), ("\u{feff}{}", ["{}"]),
      ("\u{1e}\u{1e}1\n", ["1"]), ("[1]2", ["[1]", "2"]),
    ])
  func texts(text: String, records: [String]) {
    let bytes = Array(text.utf8)
    for size in [1, 2, 3, 7, 64, 65, bytes.count + 1] {
      let outcome = scanSequence(bytes, inChunksOf: size)
      #expect(outcome.records == records && outcome.count == records.count && outcome.fault == nil, "\(outcome)")
    }
  }

  @Test(
    "a text that is wrong or cut is an error, and the texts before it come out",
    arguments: [
      ("{}{\"a\":", "unexpectedEnd", 1), ("1 tru", "unexpectedEnd", 1), ("1\u{1e}2\n", "bareValueMayBeCut", 0),
      ("\u{1e}12\u{1e}34\n", "bareValueMayBeCut", 0), ("{}\u{1e}true\u{1e}[]", "bareValueMayBeCut", 1),
      ("\u{1e}{}\n\u{1e}null", "bareValueMayBeCut", 1), ("\u{1e} 7", "bareValueMayBeCut", 0),
      ("\u{1e}{\"a\"\u{1e}{}", "separatorInsideValue", 0),
      ("\u{1e}\"a\u{1e}1", "separatorInsideValue", 0), ("{},{}", "unexpectedByte", 1), ("1[2]", "unexpectedByte", 0),
      ("truefalse", "unexpectedByte", 0), ("2024-01", "unexpectedByte", 0), ("{}]", "unexpectedByte", 1),
    ])
  func faults(text: String, reason: String, records: Int) {
    let bytes = Array(text.utf8)
    let whole = scanSequence(bytes, inChunksOf: bytes.count)
    #expect(whole.fault?.hasPrefix(reason) == true && whole.count == records, "\(whole)")
    for size in 1...7 { #expect(scanSequence(bytes, inChunksOf: size) == whole, "in chunks of \(size)") }
  }
}

// Bodies in other charsets.

@Suite("The bytes of a body as UTF-8") struct TextDecoderTests {
  private func text(_ bytes: [UInt8], charset: String? = nil, isJSON: Bool, inChunksOf size: Int) throws -> [UInt8] {
    var decoder = TextDecoder(charset: charset, isJSON: isJSON)
    var text: [UInt8] = []
    for chunk in chunks(bytes, of: size) { text += try decoder.decode(chunk) }
    return try text + decoder.finish()
  }

  @Test(
    "the bytes decide, then the type",
    arguments: [
      ([0xFF, 0xFE, 0xAC, 0x20], nil, false, "€"), ([0xFE, 0xFF, 0x20, 0xAC], "utf-8", true, "€"),
      ([0x5B, 0, 0x5D, 0], nil, true, "[]"), ([0, 0x5B, 0, 0x5D], "iso-8859-1", true, "[]"),
      ([0x3F, 0x04, 0x0A, 0], "utf-16le", false, "п\n"), ([0x3F, 0x04, 0x3F, 0x04], nil, false, "?\u{4}?\u{4}"),
      ([0x3D, 0xD8, 0x00, 0xDE], "utf-16le", false, "😀"), ([0x5B, 0x31, 0x5D, 0x0A], "utf-16", true, "[1]\n"),
      ([0x69, 0x64, 0x0A, 0x31], "utf-16", false, "id\n1"), ([0x4B, 0xF6, 0x6C, 0x6E], "latin1", false, "Köln"),
      ([0x80, 0x20, 0x9F], "windows-1252", false, "€ Ÿ"), ([0xC3, 0xB6], "iso-8859-1", true, "ö"),
      ([0xC3, 0xB6, 0x20, 0xF6], "iso-8859-1", false, "Ã¶ ö"),
      ([0xEF, 0xBB, 0xBF, 0x61], "latin1", false, "\u{feff}a"),
      (Array(")]}'\n[1]".utf8), nil, true, "    \n[1]"), (Array(")]}'\r\n1".utf8), nil, true, "    \r\n1"),
      (Array(")]}',\n1".utf8), nil, true, ")]}',\n1"), (Array(")]}'\n1".utf8), nil, false, ")]}'\n1"),
      (Array(")]}'\n".utf8), nil, true, "    \n"), (Array(")".utf8), nil, true, ")"), ([], "utf-16", true, ""),
      ([0x37], nil, true, "7"), ([0x61, 0x62], "shift_jis", false, "ab"),
    ] as [([UInt8], String?, Bool, String)])
  func decodes(bytes: [UInt8], charset: String?, isJSON: Bool, expected: String) throws {
    for size in 1...max(1, bytes.count) {
      let found = try text(bytes, charset: charset, isJSON: isJSON, inChunksOf: size)
      #expect(String(decoding: found, as: UTF8.self).utf8.elementsEqual(expected.utf8), "in chunks of \(size)")
    }
  }

  @Test("latin1 begins at most 64 KB after the first letter beyond ASCII, and UTF-8 stays UTF-8 behind them")
  func evidence() throws {
    let late = [0x61, 0xC3, 0xB6] + [UInt8](repeating: 0x61, count: 70_000) + [0xF6]
    let found = try text(late, charset: "latin1", isJSON: false, inChunksOf: 1_000)
    #expect(found == late)
    let early = [UInt8](repeating: 0x61, count: 70_000) + [0xF6] + [UInt8](repeating: 0x61, count: 70_000)
    #expect(try text(early, charset: "latin1", isJSON: false, inChunksOf: 1_000).count == early.count + 1)
  }

  @Test("half a letter of UTF-16 at the end is a letter that was cut", arguments: [1, 2, 3, 100])
  func cutLetters(size: Int) throws {
    for bytes: [UInt8] in [[0x61, 0, 0x0A, 0, 0x62], [0x61, 0, 0x0A, 0, 0x3D, 0xD8], [0x61, 0, 0x0A, 0]] {
      var decoder = TextDecoder(isJSON: false)
      var text: [UInt8] = []
      for chunk in chunks(bytes, of: size) { text += try decoder.decode(chunk) }
      #expect(try text + decoder.finish() == [0x61, 0x0A])
      #expect(decoder.endsInsideLetter == (bytes.count > 4))
    }
  }

  @Test("lines, sequences and CSV that end inside a letter say so, and where")
  func endsInsideLetter() throws {
    let place = JSONError(reason: .endInsideLetter, offset: 9, line: 2, column: 2, before: Array("{\"a\":1}\n\"".utf8))
    #expect(throws: place) {
      var scanner = LineScanner()
      try scanner.append(place.before)
      try scanner.finish(isInsideLetter: true)
    }
    #expect(throws: place) {
      var scanner = SequenceScanner()
      try scanner.append(place.before)
      try scanner.finish(isInsideLetter: true)
    }
    let table = JSONError(reason: .endInsideLetter, offset: 3, line: 2, column: 2, before: Array("a\nb".utf8))
    #expect(throws: table) {
      var scanner = CSVScanner()
      try scanner.append(table.before)
      try scanner.finish(isInsideLetter: true)
    }
  }

  @Test("a zip archive is no text, whatever the format", arguments: [1, 2, 3, 4, 40])
  func archives(size: Int) throws {
    for start: [UInt8] in [[0x50, 0x4B, 3, 4, 20], [0x50, 0x4B, 5, 6]] {
      for isJSON in [true, false] {
        #expect(throws: JSONError.self) { try text(start, isJSON: isJSON, inChunksOf: size) }
      }
    }
    for plain in ["P", "PK", "PK\u{3}", "PK,id\n", "PA\u{3}\u{4}"] {
      #expect(try text(Array(plain.utf8), isJSON: false, inChunksOf: size) == Array(plain.utf8))
    }
  }

  @Test("a table in latin1 of more than 64 KB is the same, wherever its chunks are cut")
  func longLatin1() throws {
    let line = Array("K\u{f6}ln;\u{e9}t\u{e9};\u{80};caf\u{e9}\n".unicodeScalars.map { UInt8($0.value) })
    let bytes = Array("a;b;c;d\n".utf8) + Array(repeatElement(line, count: 4_400).joined())
    let expected = Array(("a;b;c;d\n" + String(repeating: "Köln;été;€;café\n", count: 4_400)).utf8)
    #expect(bytes.count > 64 << 10)
    var dice = Dice(state: 1_252)
    for size in [1, 7, 1_000, 65_535, 65_536, 65_537, bytes.count] {
      #expect(try text(bytes, charset: "iso-8859-1", isJSON: false, inChunksOf: size) == expected)
    }
    for _ in 0..<10 {
      var decoder = TextDecoder(charset: "windows-1252", isJSON: false)
      var (rest, scanner, records) = (bytes[...], CSVScanner(CSVDialect(delimiter: UInt8(ascii: ";"))), [UInt8]())
      while !rest.isEmpty {
        let chunk = rest.prefix(Int.random(in: 1...dice.one([3, 300, 30_000]), using: &dice))
        rest = rest.dropFirst(chunk.count)
        try scanner.append(try decoder.decode(Array(chunk)))
        records += scanner.takeRecords()
      }
      try scanner.append(decoder.finish())
      try scanner.finish()
      records += scanner.takeRecords()
      let record = #"{"a":"Köln","b":"été","c":"€","d":"café"}"# + "\n"
      #expect(records == Array(String(repeating: record, count: 4_400).utf8))
    }
  }

  @Test("the work to tell latin1 from UTF-8 grows with the length of a chunk")
  func growth() {
    let growth = growthByEight(from: 5_000) { size in
      let bytes = Array(String(repeating: "é", count: size / 2).utf8)
      #expect(TextDecoder.text(of: bytes, charset: "latin1", isJSON: false) == bytes)
    }
    #expect(growth < 16)
  }

  @Test("charsets that hide their letters in ASCII are refused", arguments: ["utf-7", "iso-2022-jp", "hz-gb-2312"])
  func refused(charset: String) {
    #expect(throws: JSONError.self) { try text(Array("abcd".utf8), charset: charset, isJSON: false, inChunksOf: 4) }
    #expect(throws: JSONError.self) { try text([0x37], charset: charset, isJSON: false, inChunksOf: 1) }
  }
}
