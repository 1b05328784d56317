// Keys of `read: {csv: …}`: details that RFC 4180 leaves open.

internal import Diagnostics
internal import JSONText

extension SpecKeys {
  static let readKeys: [Key<BodyFormat?>] = [
    Key("csv", "a map of 'delimiter' and 'header'", "CSV (RFC 4180)") { node, format, decoder in
      var dialect = CSVDialect()
      decoder.map(node, keys: csvKeys, into: &dialect)
      format = .csv(dialect)
    }
  ]

  static let csvKeys: [Key<CSVDialect>] = [
    Key("delimiter", "one character", standard: "`,`", "the character between two fields") { node, dialect, decoder in
      if let delimiter = decoder.delimiter(node) { dialect.delimiter = delimiter }
    },
    Key(
      "header", "true, false, 'first' or a list of names", standard: "true",
      "`true`: the first line of each page has the names; `first`: only that of the first page; `false`: there are none, and "
        + "records are arrays; a list: the names of a body without a header"
    ) { node, dialect, decoder in
      if let header = decoder.csvHeader(node) { dialect.header = header }
    },
  ]
}
