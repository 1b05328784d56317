// Renders an error for people: position, sentence, and the bytes around it with a caret.

extension JSONError {
  /// Description of the error, in lower case and without a full stop.
  package var sentence: String {
    switch reason {
    case .unexpectedEnd: offset == 0 ? "there is no value, the text is empty" : "the text ends before its value does"
    case .unexpectedByte: unexpectedByteSentence
    case .invalidUTF8: "these bytes are not UTF-8, which JSON must be"
    case .controlCharacterInString: "a control character in a string must be written as an escape"
    case .invalidEscape: "this is no escape: \\ is followed by one of \"\\/bfnrt, or by u and four hexadecimal digits"
    case .invalidNumber: "this can't stand here in a number"
    case .invalidLiteral: "this is none of true, false and null"
    case .tooDeep(let limit): "more than \(limit) brackets are open"
    case .trailingContent: "something follows the value"
    case .lineFeedInsideValue: "the line ends before its value does (each line must hold one whole value)"
    case .lineTooLong(let limit): "the line is longer than \(limit) bytes"
    case .nameTooLong(let limit): "the name is longer than \(limit) bytes"
    case .duplicateContent: "the key of the content is here for the second time"
    case .wrongEncoding(let name): "the text is \(name), but must be UTF-8"
    case .csv(let flaw): flaw.sentence
    }
  }

  private var unexpectedByteSentence: String {
    let previous = before.last { $0 > 0x20 }
    switch (previous, after.first) {
    case (nil, UInt8(ascii: "<")): return "this is markup (HTML or XML), not JSON"
    case (_, UInt8(ascii: "'")): return "a string begins and ends with \""
    case (UInt8(ascii: ","), UInt8(ascii: "]")), (UInt8(ascii: ","), UInt8(ascii: "}")):
      return "a comma stands before the closing bracket"
    default: return "this can't stand here"
    }
  }

  /// The whole message in three lines, safe to print.
  ///
  ///     byte 7, line 1, column 8: a comma stands before the closing bracket
  ///       {"a":1,}
  ///              ^
  package var rendered: String {
    let (left, right) = excerpt
    let message = "byte \(offset), line \(line), column \(column): \(sentence)"
    if left.isEmpty && right.isEmpty { return message }
    let caret = String(repeating: " ", count: left.unicodeScalars.count) + "^"
    return "\(message)\n  \(left)\(right)\n  \(caret)"
  }

  /// The line's bytes before the error and from the error on, as text.
  ///
  /// Halves of scalars that were cut at the far ends are left out.
  private var excerpt: (left: String, right: String) {
    var left = before.count < Self.context ? before[...] : before.drop { $0 & 0xC0 == 0x80 }
    if let lineFeed = left.lastIndex(of: UInt8(ascii: "\n")) { left = left[(lineFeed + 1)...] }
    var right = after[...]
    if after.count == Self.context, let lead = right.lastIndex(where: { $0 & 0xC0 != 0x80 }), right[lead] >= 0xC0,
      lead > right.startIndex
    {
      right = right[..<lead]
    }
    right = right.prefix { $0 != UInt8(ascii: "\n") }
    if right.last == UInt8(ascii: "\r") { right.removeLast() }
    return (Self.printable(left), Self.printable(right))
  }

  /// Most bytes in each of `before` and `after`.
  static let context = 32

  private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
    var text = ""
    var rest = bytes
    while let byte = rest.first {
      let length = UTF8Sequence.length(rest)
      guard length > 0, let scalar = String(decoding: rest.prefix(length), as: UTF8.self).unicodeScalars.first else {
        text += "\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        rest.removeFirst()
        continue
      }
      text += isPrintable(scalar) ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
      rest.removeFirst(length)
    }
    return text
  }

  /// False for controls, and for scalars that change the direction or the lines of a terminal's text.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
    default: true
    }
  }
}
