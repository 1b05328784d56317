// Nodes: where they stand, how they are spelled, and what the reader can bear.

import Diagnostics
import JSONText
import Testing

@testable import YAMLText

@Suite("Nodes and limits of the reader")
struct ReaderNodeTests {
  private func node(_ text: String) throws -> Node {
    try Node(reading: SourceText(name: "t", bytes: Array(text.utf8)))
  }

  /// Every node and key in the text, as `kind:bytes`.
  private func places(_ text: String) throws -> [String] {
    let bytes = Array(text.utf8)
    func shown(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    func places(_ node: Node) -> [String] {
      switch node.content {
      case .list(let items): ["list " + shown(node.range)] + items.flatMap(places)
      case .map(let entries):
        ["map " + shown(node.range)] + entries.flatMap { ["key " + shown($0.keyRange)] + places($0.value) }
      default: [shown(node.range)]
      }
    }
    return places(try node(text))
  }

  @Test("a node's range is its bytes, with quotes and brackets")
  func ranges() throws {
    #expect(
      try places("a: 'b' # c\n'd':  [e, f: 1]\n") == [
        "map a: 'b' # c\n'd':  [e, f: 1]", "key a", "'b'", "key 'd'", "list [e, f: 1]", "e", "map f: 1", "key f", "1",
      ])
    #expect(
      try places("- a: |\n    b\n    c\n\n- d\n  e\n- {f}\n") == [
        "list - a: |\n    b\n    c\n\n- d\n  e\n- {f}", "map a: |\n    b\n    c", "key a", "|\n    b\n    c", "d\n  e",
        "map {f}", "key f", "",
      ])
  }

  @Test("a value that is not there stands empty behind its key or dash")
  func emptyRanges() throws {
    let source = "a:\nb: [c: ]\n"
    guard case .map(let entries) = try node(source).content else { return #expect(Bool(false)) }
    #expect(entries[0].value.range == 2..<2)
    #expect(entries[1].value.range == 6..<11)
    guard case .list(let items) = entries[1].value.content, case .map(let pair) = items[0].content else {
      return #expect(Bool(false))
    }
    #expect(pair[0].value.range == 10..<10)
  }

  @Test(
    "a scalar knows how it was spelled, and whether in quotes",
    arguments: [
      ("True", "True", false), ("1.50", "1.50", false), ("0x1F", "0x1F", false), ("~", "~", false),
      ("'it''s'", "it's", true), (#""\u0041""#, "A", true), ("a\n b", "a b", false), ("--- |\n a\n", "a\n", true),
      ("+012", "+012", false), ("", "", false),
    ])
  func spelling(text: String, spelling: String, isQuoted: Bool) throws {
    let node = try node(text)
    #expect(node.spelling == spelling)
    #expect(node.isQuoted == isQuoted)
  }

  // MARK: - Several mistakes

  @Test("mistakes on several lines are reported at once, and a broken value makes only one")
  func severalMistakes() {
    let text = """
      a: *x
      b: [1, 2
      c: "unclosed
      d: 1
      d: 2
      e:
        f: @g
        i: 1
      \tj: 2
      k: {l: ${m}, n:1}
      o: { p: 1
        q: 2 }
      """
    #expect(
      mistakes(text).map {
        SourceText(name: "t", bytes: Array(text.utf8)).position(at: $0.range.lowerBound).description
      }
        == ["1:4", "2:4", "3:4", "5:1", "7:6", "9:1", "10:8", "10:14", "12:4"])
  }

  @Test("not more than a hundred mistakes are reported")
  func mistakeLimit() {
    #expect(mistakes(String(repeating: "a: *x\n", count: 1_000)).count == 100)
    #expect(mistakes("[" + String(repeating: "${a},", count: 1_000) + "]").count == 100)
  }

  // MARK: - Depth

  @Test(
    "1,024 levels are read on a small stack, and one more is a mistake",
    arguments: [
      ("[", "1", "]"), ("{\"a\":", "1", "}"), ("- ", "1", ""), ("[a: ", "1", "]"),
      ("- ", String(repeating: "[", count: 512) + String(repeating: "]", count: 512), ""),
    ])
  func depth(opening: String, middle: String, closing: String) {
    let levels = opening == "[a: " || middle != "1" ? 512 : 1_024
    let deepest = String(repeating: opening, count: levels) + middle + String(repeating: closing, count: levels)
    #expect(onSmallStack { mistakes(deepest).isEmpty })
    #expect(onSmallStack { read(deepest).utf8.count > 1_024 })
    let deeper = opening + deepest + closing
    #expect(onSmallStack { mistakes(deeper).map(\.message) == ["nested deeper than 1,024 levels"] })
    let unclosed = String(repeating: opening, count: 100_000)
    #expect(onSmallStack { mistakes(unclosed).map(\.message) == ["nested deeper than 1,024 levels"] })
  }

  // MARK: - Bytes

  @Test(
    "bytes that no spec holds are a mistake at their place",
    arguments: [
      ([0x61, 0x00], 1, "the control character \\u{0} can't stand in a spec"),
      ([0x22, 0x07, 0x22], 1, "the control character \\u{7} can't stand in a spec"),
      ([0x61, 0x3A, 0x20, 0xFF], 3, "this is not UTF-8"), ([0xC3], 0, "this is not UTF-8"),
      ([0xC0, 0x80], 0, "this is not UTF-8"), ([0xED, 0xA0, 0x80], 0, "this is not UTF-8"),
      ([0xF4, 0x90, 0x80, 0x80], 0, "this is not UTF-8"), ([0xE0, 0x80, 0x80], 0, "this is not UTF-8"),
      ([0xFF, 0xFE, 0x61, 0x00], 0, "the text is UTF-16"), ([0xFE, 0xFF, 0x00, 0x61], 0, "the text is UTF-16"),
      ([0x61, 0x7F], 1, "a character that is not printable can only stand in quotes"),
      ([0x22, 0x7F, 0x22, 0x20, 0x23, 0x7F], 5, "a character that is not printable can only stand in quotes"),
      ([0x61, 0xEF, 0xBB, 0xBF], 1, "a character that is not printable can only stand in quotes"),
      ([0x61, 0xC2, 0x80], 1, "a character that is not printable can only stand in quotes"),
    ] as [([UInt8], Int, String)])
  func bytes(bytes: [UInt8], offset: Int, message: String) {
    let found = mistakes(bytes)
    #expect(found.map(\.range.lowerBound) == [offset])
    #expect(found.first?.message == message)
  }

  @Test("a spec that is too large is refused")
  func sizeLimit() {
    let source = SourceText(name: "t", bytes: Array("a: 1".utf8))
    #expect(throws: Never.self) { try source.checkCharacters(sizeLimit: 4) }
    #expect(throws: Diagnostic("a spec can't be larger than 0 MiB", at: 0..<0)) {
      try source.checkCharacters(sizeLimit: 3)
    }
    #expect(SourceText.specSizeLimit == 16 * 1_024 * 1_024)
  }

  @Test("a key of 1,024 characters is one, and members of flow maps are as long as they like")
  func longKeys() {
    let key = String(repeating: "é", count: 1_024)
    #expect(mistakes("\(key): 1").isEmpty)
    #expect(mistakes("[\(key): 1]").isEmpty)
    #expect(mistakes("{\(key)x: 1, \"\(key)y\": 2}").isEmpty)
    #expect(mistakes("\(key)x: 1").first?.message == "a key must not have more than 1,024 characters")
    #expect(mistakes("[\"\(key)\": 1]").first?.message == "a key must not have more than 1,024 characters")
  }

  @Test("a number in hexadecimal of more than 1,000 digits is refused")
  func longNumbers() {
    #expect(read("0x" + String(repeating: "0", count: 999) + "A") == "10")
    #expect(mistakes("0x" + String(repeating: "f", count: 1_001)).first?.message == "a number with too many digits")
  }

  @Test("every prefix of a spec is read or refused")
  func prefixes() {
    let text = """
      # c
      a: {b: [1, "c\\u00e9", 'd''e', ${f}]}
      g: |2-
          h
      i: >+
        j
         k

      l: - m
      n:
      - "o
         p"
      - &q r: s
      """
    let bytes = Array(text.utf8)
    for end in 0...bytes.count {
      let prefix = Array(bytes[..<end])
      #expect(mistakes(prefix).allSatisfy { $0.range.lowerBound >= 0 && $0.range.upperBound <= end })
      #expect(!read(prefix).isEmpty)
    }
  }
}
