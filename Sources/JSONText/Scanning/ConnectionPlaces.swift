// Where records say `"hasNextPage":true`: a GraphQL connection inside the record has more than came.
//
// The first stage looks at the bytes before each `true` that it checks anyway, so that no byte is read again.

/// Offsets in the output of the `true` of each such connection.
struct ConnectionPlaces: Sendable {
  private static let text = Array("\"hasNextPage\":true".utf8)

  private var places: [Int] = []

  mutating func add(_ place: Int) { places.append(place) }

  /// Looks whether the word that was read last is such a `true`.
  mutating func look(before cursor: Cursor) {
    let start = cursor.filled - Self.text.count
    // The quote before the name may be escaped, and belong to a longer name.
    guard start > 0, cursor.output[start] == Self.text[0], cursor.output[start - 1] != UInt8(ascii: "\\"),
      UnsafeBufferPointer(start: cursor.output + start, count: Self.text.count).elementsEqual(Self.text)
    else { return }
    add(cursor.filled - 4)
  }

  mutating func remove(from place: Int) {
    while let last = places.last, last >= place { places.removeLast() }
  }

  /// Returns how many stand in the first `count` bytes; later places are then relative to their end.
  mutating func take(_ count: Int) -> Int {
    let taken = places.firstIndex { $0 >= count } ?? places.count
    places.removeFirst(taken)
    for index in places.indices { places[index] -= count }
    return taken
  }
}
