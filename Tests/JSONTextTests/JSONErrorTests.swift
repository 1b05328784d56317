// Faults as people read them: the place, a sentence, and what stands there.

import TestSupport
import Testing

@testable import JSONText

private func fault(_ chunks: [UInt8]...) -> JSONError? {
  var scanner = EnvelopeScanner(WantedPaths(content: []))
  do throws(JSONError) {
    for chunk in chunks { try scanner.append(chunk) }
    try scanner.finish()
    return nil
  } catch {
    return error
  }
}

@Suite(.limitedConcurrency) struct JSONErrorTests {
  @Test(
    "A message shows the place with a caret",
    arguments: [
      (#"{"a":1,}"#, "byte 7, line 1, column 8: a comma stands before the closing bracket\n  {\"a\":1,}\n         ^"),
      ("<html>", "byte 0, line 1, column 1: this is markup (HTML or XML), not JSON\n  <html>\n  ^"),
      ("[\n'a']", "byte 2, line 2, column 1: a string begins and ends with \"\n  'a']\n  ^"),
      (
        "[\"é暗\u{1b}[0m\"]",
        "byte 7, line 1, column 5: a control character in a string must be written as an escape\n  [\"é暗\\u{1b}[0m\"]\n      ^"
      ),
      ("", "byte 0, line 1, column 1: there is no value, the text is empty"),
      ("[1", "byte 2, line 1, column 3: the text ends before its value does\n  [1\n    ^"),
    ])
  func rendered(text: String, message: String) {
    #expect(fault(Array(text.utf8))?.rendered == message)
  }

  @Test("Bytes that are not UTF-8 are shown by their numbers")
  func renderedBytes() {
    let message = fault([0x22, 0x41, 0xC3, 0x28, 0x22])?.rendered
    #expect(message == "byte 2, line 1, column 3: these bytes are not UTF-8, which JSON must be\n  \"A\\xC3(\"\n    ^")
  }

  @Test("Nothing that a terminal would obey comes out of a message")
  func safe() throws {
    for scalar in [0x00, 0x07, 0x1B, 0x7F, 0x85, 0x9B, 0x202E, 0x2066, 0x2028, 0xE000, 0xFEFF].compactMap(
      Unicode.Scalar.init)
    {
      let message = try #require(fault(Array("[\(scalar)".utf8)) ?? fault(Array("[\"\(scalar)\" x".utf8)))
      #expect(!message.rendered.unicodeScalars.contains(scalar))
    }
  }

  @Test("What stands before the place is known across chunks, up to 32 bytes")
  func context() throws {
    let text = Array("[\"0123456789012345678901234567890123456789\",x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]".utf8)
    let whole = try #require(fault(text))
    #expect(whole.offset == 44 && whole.before == Array(text[12..<44]) && whole.after == Array(text[44..<76]))
    for cut in 1..<44 {
      let halves = try #require(fault(Array(text[..<cut]), Array(text[cut...])))
      #expect(halves == whole)
    }
    let single = try #require(fault(Array(text[..<44]), [text[44]]))
    #expect(single.before == whole.before && single.after == [text[44]])
  }

  @Test("An excerpt that was cut inside a scalar shows no half of it")
  func cutScalars() throws {
    for shift in 0..<3 {
      let text =
        "[\"" + String(repeating: "x", count: shift) + String(repeating: "暗", count: 20) + "\"x"
        + String(repeating: "暗", count: 20)
      let message = try #require(fault(Array(text.utf8))).rendered
      #expect(!message.contains("\\x"))
    }
  }

  @Test("Every reason has a sentence")
  func sentences() {
    let reasons: [JSONError.Reason] = [
      .unexpectedEnd, .unexpectedByte, .invalidUTF8, .controlCharacterInString, .invalidEscape, .invalidNumber,
      .invalidLiteral,
      .tooDeep(limit: 7), .trailingContent, .lineFeedInsideValue, .lineTooLong(limit: 7), .nameTooLong(limit: 7),
      .duplicateContent,
      .wrongEncoding("UTF-16LE"), .csv(.cut), .csv(.quoteInField), .csv(.textAfterQuote), .csv(.carriageReturn),
      .csv(.tooFewFields(found: 1, expected: 2)), .csv(.tooManyFields(expected: 2)), .csv(.emptyLine),
      .csv(.duplicateName(first: 1, second: 2)), .csv(.notUTF8), .csv(.json), .csv(.markup), .csv(.noHeader),
      .csv(.otherDelimiter(9)),
    ]
    let sentences = reasons.map { JSONError(reason: $0, offset: 3, line: 1, column: 4).sentence }
    #expect(Set(sentences).count == reasons.count)
    #expect(sentences.allSatisfy { !$0.hasSuffix(".") })
  }
}
