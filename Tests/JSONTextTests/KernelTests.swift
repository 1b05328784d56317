// Every kernel says what the portable pass says: of each production, wherever it stands in a block.

import TestSupport
import Testing

@testable import JSONText

private let kernels = Kernel.all.filter { !$0.kernel.isPortable }

/// Enough for a group of blocks behind the text, so that a kernel reads it.
private let behind = String(repeating: " ", count: 700)

@Suite(.limitedConcurrency) struct KernelTests {
  @Test("Valid and invalid texts are read alike, wherever they begin in a block", arguments: GrammarTests.texts)
  func productions(text: String) {
    for shift in [0, 1, 2, 3, 7, 31, 32, 58, 59, 60, 61, 62, 63] {
      let long = #"["\#(String(repeating: "x", count: 450 + shift))","# + text + ",1]" + behind
      expectAlike(Array(long.utf8))
      // In a record of an array, and as a line.
      expectAlike(
        Array(#"{"a":[{"k":\#(String(repeating: " ", count: shift))\#(text)}, [], 2],"b":[]}\#(behind)"#.utf8))
      expectLinesAlike(
        Array("{\"a\":\(String(repeating: "7", count: shift + 1)),\"b\":\(text)}\n[1]\n\(behind)\n3".utf8))
    }
  }

  @Test(
    "Bytes that are not UTF-8 are found alike, wherever they begin in a block",
    arguments: GrammarTests.malformed.indices)
  func malformed(index: Int) {
    for shift in 0..<66 {
      let head = Array(#"["\#(String(repeating: "é", count: 5))\#(String(repeating: "x", count: shift))"#.utf8)
      expectAlike(head + GrammarTests.malformed[index].0 + Array("\"]\(behind)".utf8))
    }
  }

  @Test("A run that goes through many blocks ends where it ends")
  func longRuns() {
    for count in [63, 64, 65, 511, 512, 513, 5_000] {
      for run in ["7", " ", "é", "\\\\", "\\\"", "\\u00e9"] {
        let long = String(repeating: run, count: count)
        for text in [#"[1,"\#(long)",2]"#, "[1,\(long),2]", "[1 \(long),2]", #"{"a\#(long)":1,"b":\#(long)2}"#] {
          expectAlike(Array((text + behind).utf8))
          expectLinesAlike(Array("\(text)\n\(text)\n\(behind)".utf8))
        }
      }
    }
    for depth in [63, 64, 65, 200, 1_024, 1_025] {
      let open = String(repeating: #"{"a":["#, count: depth / 2)
      let text = open + String(repeating: "]}", count: depth / 2)
      expectAlike(Array("[\(text),\(text)]\(behind)".utf8))
      expectAlike(Array("\(text)]\(behind)".utf8))
    }
  }

  @Test("Lines that are empty, and lines that are too long, are where they are")
  func lines() {
    let record = #"{"a":[1,2,{"b":null}],"c":"text, and more of it"}"#
    for gap in ["\n", "\r\n", "\n\n", "\n \r\n\t\n", " \n"] {
      let text = Array((String(repeating: record + gap, count: 40) + "[1,\n2]").utf8)
      expectLinesAlike(text)
      for limit in [48, 49, 50, 51, 700] { expectLinesAlike(text, lineLimit: limit) }
    }
    for stray in ["[1\n,2]", "1,2", "1 2", "]", "{\"a\"\n:1}", "[1]]", "\"a\":1"] {
      expectLinesAlike(Array((String(repeating: record + "\n", count: 12) + stray + "\n" + behind + "\n4\n").utf8))
    }
  }

  @Test("Line feeds and continuations are counted alike")
  func counts() {
    let text = Array(String(repeating: "ab\né😀暗\r\n", count: 100).utf8)
    for count in [0, 1, 63, 64, 65, 640, text.count] {
      text[..<count].withUnsafeBufferPointer { bytes in
        let expected = Kernel.portable.countLines(bytes)
        for (name, kernel) in kernels { #expect(kernel.countLines(bytes) == expected, "\(name)") }
      }
    }
  }

  private func expectAlike(_ text: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    for content: JSONPath in [[], ["a"]] {
      let expected = scan([text], content: content, kernel: .portable)
      for (name, kernel) in kernels {
        for size in [600, text.count] {
          let found = scan(chunks(text, of: size), content: content, kernel: kernel)
          // An expectation costs more than what it would look at.
          guard found != expected else { continue }
          #expect(found == expected, "\(name), chunks of \(size)", sourceLocation: sourceLocation)
        }
      }
    }
  }

  private func expectLinesAlike(
    _ text: [UInt8], lineLimit: Int = .max, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expected = scanLines([text], lineLimit: lineLimit, kernel: .portable)
    for (name, kernel) in kernels {
      for size in [600, text.count] {
        let found = scanLines(chunks(text, of: size), lineLimit: lineLimit, kernel: kernel)
        guard found != expected else { continue }
        #expect(found == expected, "\(name), lines, chunks of \(size)", sourceLocation: sourceLocation)
      }
    }
  }
}

@Suite(.limitedConcurrency) struct PlaceInLongTextTests {
  @Test(
    "A fault in the middle of a long document has its line, its column, and a caret", arguments: Kernel.all.map(\.name))
  func middle(name: String) throws {
    let kernel = try #require(Kernel.all.first { $0.name == name }).kernel
    let line = #"  {"id": 12345, "name": "Größe 😀 and a text", "list": [1, 2.5, {"x": null}], "ok": true},"# + "\n"
    let count = 4_000
    let wrong = line.replacing("2.5", with: "2.x5")
    let text = Array(
      ("[\n" + String(repeating: line, count: count) + wrong + String(repeating: line, count: count)).utf8)
    let shift = try #require(wrong.firstRange(of: "x5")).lowerBound
    let offset = 2 + count * line.utf8.count + wrong.utf8.distance(from: wrong.startIndex, to: shift)
    let column = wrong.unicodeScalars.distance(from: wrong.startIndex, to: shift) + 1

    var scanner = EnvelopeScanner(WantedPaths(content: []), kernel: kernel)
    let fault = try #require(throws: JSONError.self) {
      for chunk in chunks(text, of: 65_536) { try scanner.append(chunk) }
    }
    #expect((fault.offset, fault.line, fault.column) == (offset, count + 2, column))
    #expect(scanner.recordCount == count)
    let lines = fault.rendered.split(separator: "\n")
    let caret = try #require(lines.last?.firstIndex(of: "^"))
    let shown = try #require(lines.dropLast().last)
    #expect(
      shown.unicodeScalars.dropFirst(
        lines[lines.count - 1].distance(from: lines[lines.count - 1].startIndex, to: caret)
      ).first == "x")
  }
}
