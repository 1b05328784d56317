// Records that are arrays, until the body has ended: their names may stand after them.

import Files
package import JSONText
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

// `columns: /columns/*/name`: records that are arrays become objects, with names from another part of the body.

/// The names of the values of records that are arrays.
struct ColumnNames: Sendable {
  /// The bytes before each value: `{"id":`, then `,"name":`.
  private var openings: [[UInt8]] = []
  /// True if a record may lack its last values, as in a sheet, which leaves out empty cells.
  private let mayBeMore: Bool

  /// Reads the names.
  ///
  /// - Parameters:
  ///   - path: path of the names, with a `*` over the columns.
  ///   - columns: the value at the path before the `*`.
  ///   - mayBeMore: true if there may be more names than values.
  init(_ path: JSONPath, in columns: JSONValue?, mayBeMore: Bool = false) throws(ContentError) {
    self.mayBeMore = mayBeMore
    guard let columns else { throw .columns(path, "nothing is there") }
    guard columns.kind == .array else { throw .columns(path, "something else is there: \(columns.kind.rawValue)") }
    let rest = path.steps.drop { !$0.isEvery }.dropFirst()
    var seen: [[UInt8]: Int] = [:]
    for (number, column) in columns.elements.enumerated() {
      var inside = JSONPath()
      inside.steps = Array(rest)
      guard let name = column[inside], name.kind == .string else {
        throw .columns(path, "column \(number + 1) has no name there that is a text")
      }
      let key = Array((name.string ?? name.text).utf8)
      if let first = seen.updateValue(number, forKey: key) {
        throw .columns(path, "columns \(first + 1) and \(number + 1) have one name")
      }
      openings.append([number == 0 ? JSONByte.openObject : JSONByte.comma] + name.bytes + [JSONByte.colon])
    }
  }

  /// Returns whole lines with their names put in.
  ///
  /// - Parameter before: number of the page's records before these lines.
  func named(_ lines: [UInt8], after before: Int) throws(ContentError) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(lines.count * 2)
    var number = before
    for record in TokenIndexedRecords(lines) {
      number += 1
      guard record.kind == .array else {
        throw .record(
          number,
          ModelError(keyPath: "", expected: "an array, whose values 'columns' names", found: record.kind.rawValue))
      }
      var count = 0
      for value in record.elements {
        if count < openings.count {
          output += openings[count]
          output += value.bytes
        }
        count += 1
      }
      guard count == openings.count || mayBeMore && count < openings.count else {
        let expected = "\(openings.count) values, as many as 'columns' has names"
        throw .record(number, ModelError(keyPath: "", expected: expected, found: "\(count)"))
      }
      if count == 0 { output.append(JSONByte.openObject) }
      output.append(JSONByte.closeObject)
      output.append(JSONByte.lineFeed)
    }
    return output
  }
}

/// Whole lines read from a spool.
package struct HeldLines: Sendable {
  package let lines: [UInt8]
  /// Number of records in `lines`.
  package let count: Int
  /// Token index of `lines`, as far as it is known.
  package let tokenIndex: TokenIndex
}
