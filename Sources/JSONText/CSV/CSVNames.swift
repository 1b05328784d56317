// The bytes before each field of a record: its member's name, or only a comma.

/// The bytes between the fields of a record, as JSON; each field is a string, whose quotes they have.
struct CSVNames: Sendable {
  /// All these bytes, one after the other, and padding for block copies.
  let bytes: [UInt8]
  /// Offsets of the bytes before each field; the last offset is their end.
  let starts: [Int]
  /// Length of the longest piece.
  let longest: Int
  /// Closes a record.
  let end: UInt8
  let isArray: Bool

  /// Creates the bytes of objects.
  ///
  /// - Parameter names: JSON strings.
  init(names: [[UInt8]]) {
    let pieces = names.enumerated().map { index, name in
      Array((index == 0 ? "{" : "\",").utf8) + name + Array(":\"".utf8)
    }
    self.init(pieces: pieces, end: UInt8(ascii: "}"), isArray: false)
  }

  /// The bytes of arrays: before the first field, and before each other field.
  static let none = CSVNames(
    pieces: [Array("[\"".utf8), Array("\",\"".utf8)], end: UInt8(ascii: "]"), isArray: true)

  private init(pieces: [[UInt8]], end: UInt8, isArray: Bool) {
    starts = pieces.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    bytes = pieces.flatMap { $0 } + [UInt8](repeating: 0, count: UncheckedWriter.slack)
    longest = pieces.map(\.count).max() ?? 0
    self.end = end
    self.isArray = isArray
  }

  /// The bytes before the first field.
  var first: ArraySlice<UInt8> { bytes[..<starts[1]] }

  /// Appends the bytes before a field.
  @inline(__always)
  func put(before field: Int, _ writer: inout UncheckedWriter) {
    let index = isArray ? min(field, 1) : field
    let range = starts[index]..<starts[index &+ 1]
    bytes.withUnsafeBufferPointer { writer.put(range, of: $0) }
  }
}
