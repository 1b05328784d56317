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

  /// Prepares for one body.
  ///
  /// - Parameters:
  ///   - path: path of the names, with a `*` over the columns.
  ///   - fallback: the value with the column names on the stream's first page, for a body that lacks it.
  ///   - spool: holds the rows.
  init(path: JSONPath, fallback: JSONValue? = nil, spool: Spool) {
    self.path = path
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

  /// Returns the next whole lines, named; nil after the last.
  ///
  /// - Parameter columns: the value at `table(of:)`, of a body that has ended.
  mutating func next(_ columns: JSONValue?) throws(ContentError) -> [UInt8]? {
    let held: HeldLines?
    do { held = try spool.nextLines() } catch { throw .spool(error.problem) }
    guard let held else { return nil }
    if names == nil { names = try ColumnNames(path, in: columns ?? fallback) }
    defer { namedCount += held.count }
    return try names?.named(held.lines, after: namedCount)
  }
}
