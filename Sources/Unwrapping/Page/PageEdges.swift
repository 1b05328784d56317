import JSONText

/// Hashes of a page's first and last record, by which pages that overlap are found.
struct PageEdges: Sendable {
  /// Hash of the first record; 0 if the page has none, or if the second one is the same.
  private var first = 0
  /// Hash of the last record; 0 if the page has none, or if the one before it is the same.
  private var last = 0
  /// The first record, as long as it is the only one: the hash of the page is its hash, too.
  private var only: [UInt8] = []
  private var count = 0
  /// Hash of the last line, whatever the one before it is.
  private var lastLine = 0

  /// Adds whole lines that follow the lines before; the cuts between them change nothing.
  mutating func add(_ lines: [UInt8]) {
    guard !lines.isEmpty else { return }
    if count == 0, (lines[...].firstLineFeed ?? lines.count - 1) + 1 == lines.count {
      (only, count) = (lines, 1)
      return
    }
    if !only.isEmpty {
      first = Self.hash(only[...])
      (last, lastLine, only) = (first, first, [])
    }
    let firstEnd = (lines[...].firstLineFeed ?? lines.count - 1) + 1
    let firstLine = Self.hash(lines[..<firstEnd])
    if count == 0 {
      first = firstLine
    } else if count == 1, firstLine == first {
      first = 0
    }
    guard firstEnd < lines.count else { return end(with: firstLine, after: lastLine, adding: 1) }
    let lastStart = Self.start(ofLineBefore: lines.count, in: lines)
    let before = Self.start(ofLineBefore: lastStart, in: lines)
    if count == 0 {
      let secondEnd = firstEnd + (lines[firstEnd...].firstLineFeed.map { $0 - firstEnd } ?? 0) + 1
      if Self.hash(lines[firstEnd..<min(secondEnd, lines.count)]) == first { first = 0 }
    }
    end(with: Self.hash(lines[lastStart...]), after: Self.hash(lines[before..<lastStart]), adding: 2)
  }

  /// Returns the hashes of the first and the last record.
  ///
  /// - Parameter content: hash of all lines.
  func hashes(content: Int) -> (first: Int, last: Int) {
    guard let byte = only.first else { return (first, last) }
    return byte == UInt8(ascii: "{") ? (content, content) : (0, 0)
  }

  private mutating func end(with line: Int, after other: Int, adding lineCount: Int) {
    last = count + lineCount > 1 && line == other ? 0 : line
    lastLine = line
    // Two and more are alike here.
    count = min(count + lineCount, 2)
  }

  private static func start(ofLineBefore end: Int, in lines: [UInt8]) -> Int {
    var start = end - 1
    while start > 0, lines[start - 1] != JSONByte.lineFeed { start -= 1 }
    return start
  }

  /// Hash of a record with its line feed; 0 for one that is no object.
  private static func hash(_ line: ArraySlice<UInt8>) -> Int {
    guard line.first == UInt8(ascii: "{") else { return 0 }
    var fingerprint = Fingerprint()
    fingerprint.combine(Array(line))
    return fingerprint.finalize()
  }
}
