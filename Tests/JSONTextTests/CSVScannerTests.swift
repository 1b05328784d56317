// CSV: lines in, records out, and the line that is wrong.

import TestSupport
import Testing

@testable import JSONText

private func scanCSV(_ chunks: [[UInt8]], _ dialect: CSVDialect) -> Outcome {
  var scanner = CSVScanner(dialect)
  var outcome = Outcome()
  var records: [UInt8] = []
  do throws(JSONError) {
    for chunk in chunks {
      try scanner.append(chunk)
      records += scanner.takeRecords()
    }
    try scanner.finish()
  } catch {
    outcome.fault = error.brief
  }
  records += scanner.takeRecords()
  outcome.records = lines(records)
  outcome.count = scanner.recordCount
  return outcome
}

private func scanCSVEveryWay(_ text: String, _ dialect: CSVDialect = CSVDialect()) -> Outcome {
  let bytes = Array(text.utf8)
  let whole = scanCSV([bytes], dialect)
  for size in [1, 2, 3, 7, 15, 16, 17, 64] {
    #expect(scanCSV(chunks(bytes, of: size), dialect) == whole, "in chunks of \(size)")
  }
  for cut in 0...bytes.count {
    #expect(scanCSV([Array(bytes[..<cut]), Array(bytes[cut...])], dialect) == whole, "cut at \(cut)")
  }
  return whole
}

private let arrays = CSVDialect(header: .none)

@Suite(.limitedConcurrency) struct CSVScannerTests {
  @Test(
    "Each line is one record, by the header's names",
    arguments: [
      ("", []), ("a,b\n", []), ("a,b", []), ("a,b\n1,2", [#"{"a":"1","b":"2"}"#]),
      ("a,b\r\n1,2\r\n3,4\r\n", [#"{"a":"1","b":"2"}"#, #"{"a":"3","b":"4"}"#]),
      ("\u{feff}a\n1\n", [#"{"a":"1"}"#]), ("a\n\n1\n\n", [#"{"a":""}"#, #"{"a":"1"}"#, #"{"a":""}"#]),
      ("a,\n,\n", [#"{"a":"","":""}"#]), ("a,b\n,", [#"{"a":"","b":""}"#]),
      ("a,b\n1,2\n\r\n\n", [#"{"a":"1","b":"2"}"#]),
      ("\"a\",\"b\"\"c\"\n\"1\",\"\"\n", [#"{"a":"1","b\"c":""}"#]),
      ("a,b\n\"x\r\ny\",\",\"\"\n\"\n", [#"{"a":"x\r\ny","b":",\"\n"}"#]),
      (
        "n\u{e4}me,暗\n\u{e4},a long text with an \u{e9} in it, \u{1f600}".replacing(", \u{1f600}", with: " \u{1f600}"),
        [
          "{\"n\u{e4}me\":\"\u{e4}\",\"暗\":\"a long text with an \u{e9} in it \u{1f600}\"}"
        ]
      ),
      ("a\\b,c\n\t\u{1},\\\n", [#"{"a\\b":"\t\u0001","c":"\\"}"#]), ("a, b \n 1 ,2\n", [#"{"a":" 1 "," b ":"2"}"#]),
      ("<TICKER>,[x]\n1,2\n", [#"{"<TICKER>":"1","[x]":"2"}"#]), ("a;b\n1\n", [#"{"a;b":"1"}"#]),
    ])
  func records(text: String, records: [String]) {
    let outcome = scanCSVEveryWay(text)
    #expect(outcome.records == records && outcome.count == records.count && outcome.fault == nil, "\(outcome)")
  }

  @Test("One quoted name, and names with the delimiter of the table, may have other delimiters in them")
  func likeDelimiters() {
    #expect(scanCSVEveryWay("\"a;b\"\n1;2\n").records == [#"{"a;b":"1;2"}"#])
    #expect(scanCSVEveryWay("a;b\n1\n2;3\n").records == [#"{"a;b":"1"}"#, #"{"a;b":"2;3"}"#])
    #expect(scanCSVEveryWay("a;b,c\n1,2\n").records == [#"{"a;b":"1","c":"2"}"#])
    let tabs = CSVDialect(delimiter: UInt8(ascii: "\t"))
    #expect(scanCSVEveryWay("a\tb\n1\t2\n", tabs).records == [#"{"a":"1","b":"2"}"#])
  }

  @Test("Names may be given, or there are none; the delimiter may be another")
  func dialects() {
    #expect(scanCSVEveryWay("1,2\n3,4", arrays).records == [#"["1","2"]"#, #"["3","4"]"#])
    #expect(scanCSVEveryWay("x", arrays).records == [#"["x"]"#])
    let unquoted = CSVDialect(delimiter: UInt8(ascii: "\t"), hasQuotes: false)
    #expect(
      scanCSVEveryWay("\"a\tb\"\n\"1\" x\t5\"\n\"\t\\\n", unquoted).records
        == [#"{"\"a":"\"1\" x","b\"":"5\""}"#, #"{"\"a":"\"","b\"":"\\"}"#])
    let named = CSVDialect(delimiter: UInt8(ascii: "\t"), header: .names(["x", "y\"z"]))
    #expect(scanCSVEveryWay("1,\t2\n", named).records == [#"{"x":"1,","y\"z":"2"}"#])
    let backslash = CSVDialect(delimiter: UInt8(ascii: "\\"))
    #expect(scanCSVEveryWay("a\\b\n1\\\"\\\"\n", backslash).records == [#"{"a":"1","b":"\\"}"#])
  }

  /// A mark `◆` stands before the place of the fault.
  @Test(
    "A line that is wrong is named, and the lines before it come out",
    arguments: [
      ("a,b\n1,2\n3◆\n5,6\n", CSVError.tooFewFields(found: 1, expected: 2), 1),
      ("a,b\n1◆", .tooFewFields(found: 1, expected: 2), 0),
      ("a,b\n1,2,◆3\n", .tooManyFields(expected: 2), 0), ("a,b\n1,2,◆\n", .tooManyFields(expected: 2), 0),
      ("a\n1\n2,◆3", .tooManyFields(expected: 1), 1), ("a,b\n1,2\n\n◆3,4\n", .emptyLine, 1),
      ("\n◆a,b\n", .emptyLine, 0),
      ("a\nx◆\"\"\n", .quoteInField, 0), ("a\n ◆\"x\"\n", .quoteInField, 0), ("a\n\"x\"◆y\n", .textAfterQuote, 0),
      ("a\n\"x\"◆ ,\n", .textAfterQuote, 0), ("a,b\n\"x\ny\",1\n\"z◆", .cut, 1), ("a\n1\r◆2\n", .carriageReturn, 0),
      ("a\n1\r◆", .carriageReturn, 0), ("a,b,a◆\n1,2,3\n", .duplicateName(first: 1, second: 3), 0),
      (",◆\n", .duplicateName(first: 1, second: 2), 0), ("{◆\"error\":\"x\"}", .json, 0), ("{}◆\n", .json, 0),
      ("[{◆\"error\":1}]", .json, 0), ("<!DOCTYPE html>◆\n<html>", .markup, 0), ("<HTML lang=◆\"en\">", .markup, 0),
      ("Too many requests◆", .noHeader, 0), ("a;b\n1;2◆\n", .otherDelimiter(0x3B), 0),
      ("a\tb\r\n1\t2\r◆\n", .otherDelimiter(9), 0), ("a|b\n1|2◆", .otherDelimiter(0x7C), 0),
      ("a;b\n1,◆5;2\n", .otherDelimiter(0x3B), 0), ("a;b\n1\n2,◆5\n", .otherDelimiter(0x3B), 1),
    ])
  func faults(marked: String, flaw: CSVError, records: Int) {
    let parts = marked.split(separator: "◆", omittingEmptySubsequences: false)
    let before = parts[0].unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    let outcome = scanCSVEveryWay(String(parts[0] + parts[1]))
    let prefix = "csv(\(flaw)) \(parts[0].utf8.count) \(before.count):\((before.last?.count ?? 0) + 1) "
    let shown = outcome.fault?.replacing("JSONText.CSVError.", with: "")
    #expect(shown?.hasPrefix(prefix.replacing("JSONText.CSVError.", with: "")) == true, "\(outcome) is not \(prefix)")
    #expect(outcome.count == records && outcome.records.count == records)
  }

  @Test(
    "Bytes that are not UTF-8 are an error at their first",
    arguments: [[0xFF], [0xC3, 0x28], [0xC3, 0x2C], [0xC3, 0x0A], [0xE2, 0x82, 0x22], [0xED, 0xA0, 0x80], [0x80]])
  func notUTF8(bytes: [UInt8]) {
    for start in ["a,b\n1,x", "a,b\n1,\"x"] {
      let text = Array(start.utf8) + bytes + Array("0123456789abcdef".utf8)
      let whole = scanCSV([text], CSVDialect())
      #expect(whole.fault?.contains("notUTF8) \(start.utf8.count) 2:\(start.utf8.count - 3)") == true, "\(whole)")
      for cut in 0...text.count {
        #expect(scanCSV([Array(text[..<cut]), Array(text[cut...])], CSVDialect()) == whole)
      }
    }
  }

  @Test("A scalar that the end cuts is an error")
  func cutScalar() {
    #expect(
      scanCSV([Array("a\nx".utf8) + [0xE2, 0x82]], CSVDialect()).fault?.hasPrefix("endInsideLetter 5 2:3") == true)
  }

  @Test("Whatever stands in the fields comes out, however the text is cut", arguments: 0..<40)
  func random(seed: Int) {
    var dice = Dice(state: UInt64(seed))
    let pieces = [
      "", "a", " ", ",", "\"", "\n", "\r\n", "\\", "\u{e9}", "\u{1f600}", "\t", "\u{7}", "0123456789abcdef",
    ]
    let width = Int.random(in: 2...5, using: &dice)
    let table = (0..<Int.random(in: 1...30, using: &dice)).map { _ in
      (0..<width).map { _ in (0..<Int.random(in: 0...4, using: &dice)).map { _ in dice.one(pieces) }.joined() }
    }
    let text = table.map { row in
      row.map { field in
        let mustQuote = field.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
        return mustQuote || Bool.random(using: &dice) ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
      }.joined(separator: ",") + dice.one(["\n", "\r\n"])
    }.joined()
    let expected = table.map { JSONValue(elements: $0.map { JSONValue($0) }) }
    let bytes = Array(text.utf8)
    for size in [1, 5, 16, 61, bytes.count] {
      let outcome = scanCSV(chunks(bytes, of: size), arrays)
      #expect(outcome.fault == nil)
      let found = outcome.records.map { JSONValue(validated: Array($0.utf8)[...]).elements.map(\.string) }
      #expect(found == expected.map { $0.elements.map(\.string) }, "seed \(seed), chunks of \(size)")
      for record in outcome.records { #expect(throws: Never.self) { try JSONValue(parsing: Array(record.utf8)) } }
    }
  }

  @Test("Long names, long fields and many fields need no more work than their bytes")
  func growth() {
    let name = String(repeating: "n", count: 3_000)
    let names = (0..<200).map { "\(name)\($0)" }.joined(separator: ",") + "\n"
    let outcome = scanCSV([Array((names + String(repeating: ",", count: 199) + "\n").utf8)], CSVDialect())
    #expect(outcome.count == 1 && outcome.fault == nil && outcome.records[0].utf8.count > 600_000)
    let growth = growthByEight(from: 5_000) { size in
      let field = "a\n\"" + String(repeating: "x\n", count: size) + "\"\n"
      #expect(scanCSV(chunks(Array(field.utf8), of: 1 << 10), CSVDialect()).count == 1)
    }
    #expect(growth < 16)
  }
}
