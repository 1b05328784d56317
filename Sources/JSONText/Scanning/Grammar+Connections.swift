// Counts where records say `"hasNextPage":true`: a GraphQL connection inside the record has more than came.
//
// The first stage looks at the bytes before each `true` that it checks anyway, so that no byte is read again.

import CJSONText

extension Grammar {
  private static let connection = Array("\"hasNextPage\":true".utf8)

  /// True where connections are wanted: in the records.
  var seeksConnections: Bool { connectionCount != nil && recordDepth != nil }

  /// Counts the word that was read last, if it is such a `true` in a record.
  mutating func countConnection(before cursor: Cursor) {
    let text = Self.connection
    let start = cursor.filled - text.count
    // The quote before the name may be escaped, and belong to a longer name.
    guard seeksConnections, start > 0, cursor.output[start] == text[0],
      cursor.output[start - 1] != UInt8(ascii: "\\"),
      UnsafeBufferPointer(start: cursor.output + start, count: text.count).elementsEqual(text)
    else { return }
    connectionCount? += 1
  }
}

/// Counts the connections that the first stage finds in the windows of a scan.
struct ScannedConnections {
  private let masks: UnsafeMutablePointer<UInt64>
  private var count = 0
  /// Offsets in the scan's output: of the last connection, and of the last one before the current window.
  private var last = -1
  private var lastBefore = -1

  init(_ masks: UnsafeMutablePointer<UInt64>) {
    self.masks = masks
  }

  private var windowCount: Int { Int(masks[CJSONBlocks &* CJSONWindow &+ CJSONConnections]) }

  private func offset(_ number: Int) -> Int {
    let row = UnsafeRawPointer(masks + CJSONConnections &* CJSONWindow)
    return Int(masks[CJSONWritten &* CJSONWindow]) + Int(row.load(fromByteOffset: 2 * number, as: UInt16.self))
  }

  @inline(__always)
  mutating func addWindow() {
    let windowCount = windowCount
    lastBefore = last
    guard windowCount > 0 else { return }
    count += windowCount
    last = offset(windowCount - 1)
  }

  /// Returns the number of connections before an offset in the scan's output.
  ///
  /// The offset is after the last token that was read. So at most one connection of the windows before the current one
  /// is after it.
  func count(before end: Int) -> Int {
    guard last >= end else { return count }
    let later = (0..<windowCount).count { offset($0) >= end }
    return count - later - (lastBefore >= end ? 1 : 0)
  }
}
