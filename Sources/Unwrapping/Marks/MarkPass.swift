// The pass over the records of one body that reads their marks.

import JSONText

/// Reads the marks of a page's records.
struct MarkPass: Sendable {
  private let reading: MarkReading?
  private(set) var highest: HighWaterMark
  /// Number of records whose mark was read.
  private var count = 0
  /// True if a record is not above the saved mark.
  private(set) var hasKnown = false
  /// True if a record above the saved mark follows one that is not.
  private(set) var hasNewAfterKnown = false

  /// - Parameter reading: nil reads no marks.
  init(_ reading: MarkReading?) {
    self.reading = reading
    highest = HighWaterMark(form: reading?.form)
  }

  /// Reads the marks of whole lines, and returns the numbers of the records to leave out, from 0.
  mutating func read(_ lines: [UInt8], _ tokenIndex: TokenIndex) throws(ContentError) -> [Int] {
    guard let reading else { return [] }
    var known: [Int] = []
    for (index, record) in TokenIndexedRecords(lines, tokenIndex).enumerated() {
      count += 1
      do {
        guard let value = record[reading.path], !value.isNull else { continue }
        let mark = try MarkOrder(value, reading.form)
        var hash: Int?
        func hashed() -> Int {
          let found = hash ?? Array(record.bytes).fingerprint
          hash = found
          return found
        }
        try highest.see(
          value, mark, isLater: reading.isLater(mark), hash: reading.wantsHashes ? hashed() : nil)
        let isKnown = try reading.isKnown(mark)
        hasNewAfterKnown = hasNewAfterKnown || hasKnown && !isKnown
        hasKnown = hasKnown || isKnown
        if try reading.isLeftOut(mark, isKnown: isKnown, hash: hashed()) { known.append(index) }
      } catch {
        throw .decoding(
          record: count, keyPath: reading.path.steps.map(\.name).joined(separator: "."), expected: error.expected,
          found: error.found)
      }
    }
    return known
  }
}
