// A syntax error in JSON or CSV, with its position. Sentences are built on demand.

import CJSONText

/// Error of bytes that are no RFC 8259 text, no sequence of NDJSON lines, or no CSV.
package struct JSONError: Error, Hashable, Sendable {
  /// Kinds of syntax errors; `sentence` describes each.
  package enum Reason: Hashable, Sendable {
    case unexpectedEnd
    case unexpectedByte
    case invalidUTF8
    case controlCharacterInString
    case invalidEscape
    case invalidNumber
    case invalidLiteral
    case tooDeep(limit: Int)
    /// More than white space follows the value.
    case trailingContent
    /// NDJSON only: a line ends inside a value.
    case lineFeedInsideValue
    /// JSON sequences only: RS stands inside a value.
    case separatorInsideValue
    /// JSON sequences only: a number or a word ends without white space (RFC 7464 §2.4).
    case bareValueMayBeCut
    /// A text that is no JSON document ends inside a letter of UTF-8 or UTF-16.
    case endInsideLetter
    /// NDJSON only: a line is longer than the limit, in bytes.
    case lineTooLong(limit: Int)
    /// A name on the way to the content is longer than the limit, in bytes.
    case nameTooLong(limit: Int)
    /// The content occurs twice, because of a duplicate member on its path.
    ///
    /// No record may be lost, or chosen by a guess.
    case duplicateContent
    /// The text is UTF-16 or UTF-32, judged by its byte order mark or NUL bytes; the name is for the message.
    case wrongEncoding(String)
    /// CSV only.
    case csv(CSVError)
  }

  package let reason: Reason
  /// Number of bytes before the error, from the start of the input (a byte order mark counts).
  package let offset: Int
  /// Line number from 1; in NDJSON, empty lines count.
  package let line: Int
  /// Column from 1, in Unicode scalars, from the start of the line.
  package let column: Int
  /// Up to 32 bytes before the error, as received, not yet safe to print.
  ///
  /// `after` has up to 32 bytes from the error on, as far as they had arrived.
  package let before: [UInt8]
  package let after: [UInt8]

  package init(reason: Reason, offset: Int, line: Int, column: Int, before: [UInt8] = [], after: [UInt8] = []) {
    self.reason = reason
    self.offset = offset
    self.line = line
    self.column = column
    self.before = before
    self.after = after
  }
}

// MARK: Renders an error for people: position, sentence, and the bytes around it with a caret

extension JSONError {
  /// Description of the error, in lower case and without a full stop.
  package var sentence: String {
    switch reason {
    case .unexpectedEnd: offset == 0 ? "there is no value, the text is empty" : "the text ends before its value does"
    case .unexpectedByte: unexpectedByteSentence
    case .invalidUTF8: "these bytes are not UTF-8, which JSON must be"
    case .controlCharacterInString: "a control character in a string must be written as an escape"
    case .invalidEscape:
      "this is not an escape: \\ is followed by one of \"\\/bfnrt, or by u and four hexadecimal digits"
    case .invalidNumber: "this can't stand here in a number"
    case .invalidLiteral: "this is none of true, false and null"
    case .tooDeep(let limit): "more than \(limit) brackets are open"
    case .trailingContent: "something follows the value"
    case .lineFeedInsideValue: "the line ends before its value does (each line must hold one whole value)"
    case .separatorInsideValue: "a text begins here (RS), and the one before has not ended: it was cut"
    case .bareValueMayBeCut: "a number or a word ends here without white space: it may have been cut"
    case .endInsideLetter: "the text ends inside a letter"
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

// MARK: Errors of a CSV text, with their sentences

/// Error of a text that RFC 4180 does not allow, or that can't be a table.
package enum CSVError: Hashable, Sendable {
  /// The text ends inside quotes.
  case cut
  case quoteInField
  case textAfterQuote
  case carriageReturn
  case tooFewFields(found: Int, expected: Int)
  case tooManyFields(expected: Int)
  /// The header is one field that contains this delimiter.
  case otherDelimiter(UInt8)
  case emptyLine
  /// Numbers of the fields, from 1.
  case duplicateName(first: Int, second: Int)
  case notUTF8
  /// The header begins like another format.
  case json, markup
  /// The whole text is one word or sentence without a line end.
  case noHeader
  /// The first line is longer than this number of bytes.
  case headerTooLong(limit: Int)
  /// The whole text is one line that looks like a message.
  case sentence

  var sentence: String {
    switch self {
    case .cut: "the text ends inside a quoted field"
    case .quoteInField:
      "a quote in a field that does not begin with one (such a field is quoted, its quotes are doubled; 'quotes: false' "
        + "takes a quote for a character like any other)"
    case .textAfterQuote:
      "something follows the closing quote of a field (a quote in a field is doubled)"
    case .carriageReturn: "a carriage return without a line feed (inside quotes it may stand)"
    case .tooFewFields(let found, let expected):
      "the line ends after \(found) field\(found == 1 ? "" : "s"), and the first line has \(expected)"
    case .tooManyFields(let expected): "the line has more fields than the first line, which has \(expected)"
    case .otherDelimiter(let byte):
      "the first line is one field, with a delimiter of another kind in it: write "
        + "'read: { csv: { delimiter: \"\(byte == 9 ? "\\t" : String(UnicodeScalar(byte)))\" } }'"
    case .emptyLine: "the line before this one is empty"
    case .duplicateName(let first, let second):
      "fields \(first) and \(second) of the header have one name ('header: false' makes each line an array, this too)"
    case .notUTF8: "these bytes are not UTF-8"
    case .json: "this is JSON, not CSV"
    case .markup: "this is markup (HTML or XML), not CSV"
    case .sentence:
      "the only line is rather a message than a header ('header: false' takes it for a record)"
    case .headerTooLong(let limit): "the first line, which names the fields, is longer than \(limit) bytes"
    case .noHeader:
      "one field without a line end is not a header (for a table that is only that, write 'header: false')"
    }
  }
}

/// Kind and offset of an error in a chunk, small enough to be thrown from the hot path.
struct SyntaxError: Error {
  let reason: JSONError.Reason
  /// Offset from the chunk's start; negative if a UTF-8 sequence began in an earlier chunk.
  let offset: Int
}

// The current position as offset, line and column: cheap sums for each chunk, an exact position only for an error.

/// Position of the next chunk.
struct TextPosition: Sendable {
  private var offset = 0
  private var line = 1
  /// Number of scalars since the start of the line.
  private var scalars = 0
  /// Last bytes before the next chunk.
  private var tail: [UInt8] = []

  private static let context = JSONError.context
  /// Length of the context before an error, and of a sequence's bytes between that context and the next chunk.
  private static let tailLength = context + 3

  /// Skips a byte order mark, which takes no column.
  mutating func skipMark(_ count: Int) {
    offset += count
  }

  /// Moves over a chunk.
  ///
  /// - Parameter isPlain: true if the chunk is known to be ASCII without line feeds.
  mutating func advance(over chunk: UnsafeBufferPointer<UInt8>, isPlain: Bool) {
    if isPlain { scalars += chunk.count } else { move(over: chunk) }
    offset += chunk.count
    tail = (chunk.count < Self.tailLength ? tail : []) + chunk.suffix(Self.tailLength)
    tail.removeFirst(max(0, tail.count - Self.tailLength))
  }

  private mutating func move(over bytes: UnsafeBufferPointer<UInt8>) {
    let counts = Kernel.best.countLines(bytes)
    line += counts.lineFeeds
    guard counts.lineFeeds > 0, let last = bytes.lastIndex(of: 0x0A) else {
      scalars += bytes.count - counts.continuations
      return
    }
    let rest = UnsafeBufferPointer(rebasing: bytes[(last + 1)...])
    scalars = rest.count - Kernel.best.countLines(rest).continuations
  }

  /// Returns the error at an offset of the chunk that begins here.
  ///
  /// A negative offset is at most three bytes back, at the lead byte of a UTF-8 sequence, which is one scalar.
  func fault(_ flaw: SyntaxError, in chunk: UnsafeBufferPointer<UInt8>) -> JSONError {
    var position = self
    position.move(over: UnsafeBufferPointer(rebasing: chunk[..<max(flaw.offset, 0)]))
    let before =
      flaw.offset < 0 ? Array(tail.dropLast(-flaw.offset)) : tail + chunk[..<flaw.offset].suffix(Self.context)
    let after = (flaw.offset < 0 ? tail.suffix(-flaw.offset) : []) + chunk[max(flaw.offset, 0)...].prefix(Self.context)
    return JSONError(
      reason: flaw.reason, offset: offset + flaw.offset, line: position.line,
      column: position.scalars + (flaw.offset < 0 ? 0 : 1), before: before.suffix(Self.context),
      after: Array(after.prefix(Self.context)))
  }
}

extension Kernel {
  /// Counts line feeds, and UTF-8 continuation bytes, which begin no scalar.
  func countLines(_ bytes: UnsafeBufferPointer<UInt8>) -> (lineFeeds: Int, continuations: Int) {
    guard let base = bytes.baseAddress, !isPortable else { return SIMDScan.countLines(bytes) }
    let blocks = bytes.count / 64
    var feeds: UInt64 = 0
    var tails: UInt64 = 0
    cjson_count(code, base, blocks, &feeds, &tails)
    let rest = SIMDScan.countLines(UnsafeBufferPointer(rebasing: bytes[(blocks * 64)...]))
    return (Int(feeds) + rest.lineFeeds, Int(tails) + rest.continuations)
  }
}

extension SIMDScan {
  /// Counts line feeds, and UTF-8 continuation bytes, which begin no scalar.
  static func countLines(_ bytes: UnsafeBufferPointer<UInt8>) -> (lineFeeds: Int, continuations: Int) {
    guard let base = bytes.baseAddress else { return (0, 0) }
    var lineFeeds = 0
    var continuations = 0
    var index = 0
    while index &+ stride <= bytes.count {
      // A lane counts to at most 255 before the lanes are added up.
      let batchEnd = min(bytes.count &- stride, index &+ 254 &* stride)
      var feeds = Block(repeating: 0)
      var tails = Block(repeating: 0)
      while index <= batchEnd {
        let lanes = UnsafeRawPointer(base + index).loadUnaligned(as: Block.self)
        let signed = unsafeBitCast(lanes, to: SIMD16<Int8>.self)
        feeds &-= unsafeBitCast(lanes .== Block(repeating: 0x0A), to: Block.self)
        tails &-= unsafeBitCast(signed .< SIMD16<Int8>(repeating: -64), to: Block.self)
        index &+= stride
      }
      lineFeeds &+= sum(feeds)
      continuations &+= sum(tails)
    }
    while index < bytes.count {
      lineFeeds &+= base[index] == 0x0A ? 1 : 0
      continuations &+= base[index] & 0xC0 == 0x80 ? 1 : 0
      index &+= 1
    }
    return (lineFeeds, continuations)
  }

  private static func sum(_ counts: SIMD16<UInt8>) -> Int {
    Int(SIMD16<UInt16>(truncatingIfNeeded: counts).wrappedSum())
  }
}
