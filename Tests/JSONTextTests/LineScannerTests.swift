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
