// Where records say `"hasNextPage":true`: a GraphQL connection inside the record has more than came.
//
// The first stage looks at the bytes before each `true` that it checks anyway, so that no byte is read again.

/// Offsets in the output of the first `true` of each record that has such a connection.
struct ConnectionPlaces: Sendable {
  private static let name = Array("\"hasNextPage\":".utf8)
  private static let text = name + Array("true".utf8)

  private var places: [Int] = []

  /// Adds the `true` at `place`, unless its line is in the list already.
  ///
  /// - Parameter lineStart: where a line begins, at or before which all lines have ended, and after which the output has
  ///   a line feed between lines.
  mutating func add(_ place: Int, lineStart: Int, in output: UnsafePointer<UInt8>) {
    // The quote before the name may be escaped, and belong to a longer name.
    let before = place - Self.name.count - 1
    guard before >= 0, output[before] != UInt8(ascii: "\\") else { return }
    if let last = places.last, last >= lineStart,
      SIMDScan.firstLineFeed(output, from: last, to: place) == place
    {
      return
    }
    places.append(place)
  }

  /// Looks whether the word that was read last is such a `true`.
  mutating func look(before cursor: Cursor) {
    let start = cursor.filled - Self.text.count
    guard start >= 0, UnsafeBufferPointer(start: cursor.output + start, count: Self.text.count).elementsEqual(Self.text)
    else { return }
    add(start + Self.name.count, lineStart: cursor.complete, in: cursor.output)
  }

  mutating func remove(from place: Int) {
    while let last = places.last, last >= place { places.removeLast() }
  }

  /// Returns how many of the first `count` bytes' lines are in the list; later places are then relative to their end.
  mutating func take(_ count: Int) -> Int {
    guard !places.isEmpty else { return 0 }
    let taken = places.prefix { $0 < count }.count
    places = places.dropFirst(taken).map { $0 - count }
    return taken
  }
}
