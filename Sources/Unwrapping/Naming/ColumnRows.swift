// Records that are arrays, until the body has ended: their names may stand after them.

import Files
import JSONText
import Wire

/// Holds the rows of a table and names their values.
struct ColumnRows: Sendable {
  private let path: JSONPath
  private let spool: Spool
  /// The value with the column names, for a body that lacks it.
  private let fallback: JSONValue?
  private var names: ColumnNames?
  /// Number of records that were held.
  private var count = 0
  /// Number of records that were given with names.
  private(set) var namedCount = 0
  /// True if the first row of the first page has the names, as in a sheet.
  private let areNamesInRows: Bool
  /// Number of rows with the names: 0 or 1.
  private(set) var headerCount = 0

  /// Prepares for one body.
  ///
  /// - Parameters:
  ///   - path: path of the names, with a `*` over the columns.
  ///   - fallback: the value with the column names on the stream's first page, for a body that lacks it.
  ///   - areNamesInRows: true if the first row of the first page has the names.
  ///   - spool: holds the rows.
  init(path: JSONPath, fallback: JSONValue? = nil, areNamesInRows: Bool = false, spool: Spool) {
    self.path = path
    self.areNamesInRows = areNamesInRows
    self.fallback = fallback
    self.spool = spool
  }

  /// Returns the path of the value with the column names.
  static func table(of path: JSONPath) -> JSONPath {
    var table = path
    table.steps = Array(path.steps.prefix { !$0.isEvery })
    return table
  }

  /// Holds whole lines.
  ///
  /// - Parameter total: number of records of the body so far.
  mutating func hold(_ lines: [UInt8], total: Int) throws(ContentError) {
    do {
      try spool.append(lines, count: total - count, TokenIndex())
      count = total
    } catch {
      throw .spool(error.problem)
    }
  }

  /// Checks that the first row of a later page has not the names in another order.
  private func check(_ row: JSONValue, against names: JSONValue) throws(ContentError) {
    guard row.kind == .array, names.kind == .array else { return }
    let (found, wanted) = (row.elements.map(\.text), names.elements.map(\.text))
    guard found.count > 1, found != wanted, found.sorted() == wanted.sorted() else { return }
    throw .columns(path, "the names of the first page are there in another order")
  }

  /// Returns the next whole lines, named; nil after the last.
  ///
  /// - Parameter columns: the value at `table(of:)`, of a body that has ended.
  mutating func next(_ columns: JSONValue?) throws(ContentError) -> [UInt8]? {
    let held: HeldLines?
    do { held = try spool.nextLines() } catch { throw .spool(error.problem) }
    guard let held else { return nil }
    var (lines, count) = (held.lines, held.count)
    if names == nil {
      let names = areNamesInRows ? fallback ?? columns : columns ?? fallback
      self.names = try ColumnNames(path, in: names, mayBeMore: areNamesInRows)
      // A later page may repeat the row with the names.
      if areNamesInRows, let row = names.map({ Array($0.bytes) + [JSONByte.lineFeed] }), lines.starts(with: row) {
        lines.removeFirst(row.count)
        (count, headerCount) = (count - 1, 1)
      } else if areNamesInRows, let names, let first = TokenIndexedRecords(lines).first(where: { _ in true }) {
        try check(first, against: names)
      }
    }
    defer { namedCount += count }
    return try names?.named(lines, after: namedCount)
  }
}
