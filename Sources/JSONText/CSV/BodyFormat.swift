// The format of a body: the text that contains its records.

/// The format of a body.
package enum BodyFormat: Hashable, Sendable {
  /// One JSON text.
  case json
  /// NDJSON: each line is a record.
  case lines
  case csv(CSVDialect)
}

/// The choices that RFC 4180 leaves open: the delimiter, and the source of the fields' names.
package struct CSVDialect: Hashable, Sendable {
  package enum Header: Hashable, Sendable {
    /// The first line of each body has the names.
    case firstLine
    /// The first line of the first page's body has the names; later pages have none.
    case firstPage
    /// The names of a body that has none.
    case names([String])
    /// There are no names: records are arrays.
    case none
  }

  /// One ASCII character, other than a quote and a line end.
  package var delimiter: UInt8
  package var header: Header

  package init(delimiter: UInt8 = UInt8(ascii: ","), header: Header = .firstLine) {
    self.delimiter = delimiter
    self.header = header
  }
}
