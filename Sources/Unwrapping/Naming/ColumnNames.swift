// `columns: /columns/*/name`: records that are arrays become objects, with names from another part of the body.

import JSONText

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
        throw .decoding(
          record: number, keyPath: "", expected: "an array, whose values 'columns' names", found: record.kind.rawValue)
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
        throw .decoding(
          record: number, keyPath: "", expected: "\(openings.count) values, as many as 'columns' has names",
          found: "\(count)")
      }
      if count == 0 { output.append(JSONByte.openObject) }
      output.append(JSONByte.closeObject)
      output.append(JSONByte.lineFeed)
    }
    return output
  }
}
