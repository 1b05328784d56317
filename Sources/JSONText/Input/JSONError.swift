// A syntax error in JSON or CSV, with its position. Sentences are built on demand.

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
