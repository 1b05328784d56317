// What is wrong with a text that should have been JSON, and where. Sentences are made when someone looks.

/// Why bytes are not one RFC 8259 text, or not one NDJSON line after the other.
package struct JSONError: Error, Hashable, Sendable {
  /// What was found, each with its own `sentence`.
  package enum Reason: Hashable, Sendable {
    case unexpectedEnd
    case unexpectedByte
    case invalidUTF8
    case controlCharacterInString
    case invalidEscape
    case invalidNumber
    case invalidLiteral
    case tooDeep(limit: Int)
    /// Something other than white space stands after the value.
    case trailingContent
    /// NDJSON only: a line ends inside a value.
    case lineFeedInsideValue
    /// NDJSON only: a line is longer than is accepted, in bytes.
    case lineTooLong(limit: Int)
    /// The content is there twice: a duplicate member on the way to it. (No record may be lost, or come out by guess.)
    case duplicateContent
    /// UTF-16 or UTF-32, by its byte order mark or NUL bytes; the name is for the message.
    case wrongEncoding(String)
  }

  package let reason: Reason
  /// Bytes before the place, from the start of the input (a byte order mark counts).
  package let offset: Int
  /// From 1. In NDJSON, the number of the line in the input (empty lines count).
  package let line: Int
  /// From 1, in Unicode scalars, from the start of the line.
  package let column: Int
  /// What stands there: up to 32 bytes before the place and up to 32 from it on (as far as they had arrived), as they
  /// came; not yet safe to print.
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
