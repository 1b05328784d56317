import JSONText

/// Hashes of a page's first and last record, by which pages that overlap are found.
struct PageEdges: Sendable {
  /// Hash of the first record; 0 if the page has none, or if the second one is the same.
  private(set) var first = 0
  /// Hash of the last record; 0 if the page has none, or if the one before it is the same.
  private(set) var last = 0
  private var isEmpty = true

  /// Adds whole lines that follow the lines before.
  mutating func add(_ lines: [UInt8]) {
    let end = lines.count - 1
    guard lines.first == UInt8(ascii: "{"), end > 0 else { return self = PageEdges(isEmpty: false) }
    if isEmpty {
      let firstEnd = lines[...].firstLineFeed ?? end
      let secondEnd = min(2 * firstEnd + 1, end)
      first = lines[..<firstEnd] == lines[min(firstEnd + 1, end)..<secondEnd] ? 0 : Self.hash(lines[..<firstEnd])
      isEmpty = false
      if firstEnd == end { return last = first }
    }
    let lastStart = (lines[..<end].lastIndex(of: Mark.lineFeed) ?? -1) + 1
    let length = end - lastStart
    let isTwin = lastStart > length && lines[(lastStart - 1 - length)..<(lastStart - 1)] == lines[lastStart..<end]
    last = isTwin ? 0 : Self.hash(lines[lastStart..<end])
  }

  private static func hash(_ record: ArraySlice<UInt8>) -> Int {
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(record))
    return fingerprint.finalize()
  }
}

extension PageEdges {
  private init(isEmpty: Bool) { self.isEmpty = isEmpty }
}
