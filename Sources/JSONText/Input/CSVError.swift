// Errors of a CSV text, with their sentences.

/// Error of a text that RFC 4180 does not allow, or that can't be a table.
package enum CSVError: Hashable, Sendable {
  /// The text ends inside quotes, or inside a UTF-8 sequence.
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
      "a quote in a field that does not begin with one (such a field is quoted, its quotes are doubled)"
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
    case .noHeader: "one field without a line end is no header (for a table that is only that, write 'header: false')"
    }
  }
}
