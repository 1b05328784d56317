// Finds the ends of strings and values in compact JSON that has been validated. No value is built.

/// Bytes that delimit values in compact JSON.
enum JSONByte {
  static let lineFeed = UInt8(ascii: "\n")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let openObject = UInt8(ascii: "{")
  static let closeObject = UInt8(ascii: "}")
  static let openArray = UInt8(ascii: "[")
  static let closeArray = UInt8(ascii: "]")

  static func opens(_ byte: UInt8) -> Bool { byte == openObject || byte == openArray }
}

/// Offsets in a page's lines, or in one record.
///
/// A raw line feed only follows a record, and is never in a string (RFC 8259 §7).
extension [UInt8] {
  /// Returns the offset after the string whose opening quote is at `start`.
  func endOfString(at start: Int) -> Int {
    var place = start + 1
    while place < count {
      // An offset below the count can't overflow.
      let byte = self[place]
      place &+= 1
      if byte == JSONByte.quote { return place }
      if byte == JSONByte.backslash { place &+= 1 }
    }
    return count
  }

  /// Returns the offset after the value that begins at `start`.
  func endOfValue(at start: Int) -> Int {
    guard start < count else { return count }
    switch self[start] {
    case JSONByte.quote: return endOfString(at: start)
    case JSONByte.openObject, JSONByte.openArray: return endOfContainer(at: start)
    default: return endOfScalar(at: start)
    }
  }

  private func endOfContainer(at start: Int) -> Int {
    var depth = 0
    var place = start
    while place < count {
      switch self[place] {
      case JSONByte.quote:
        place = endOfString(at: place)
        continue
      case JSONByte.openObject, JSONByte.openArray:
        depth += 1
      case JSONByte.closeObject, JSONByte.closeArray:
        depth -= 1
        if depth == 0 { return place + 1 }
      default: break
      }
      place += 1
    }
    return count
  }

  private func endOfScalar(at start: Int) -> Int {
    var place = start
    while place < count {
      switch self[place] {
      case JSONByte.comma, JSONByte.closeObject, JSONByte.closeArray, JSONByte.lineFeed: return place
      default: place += 1
      }
    }
    return count
  }

  /// Reports that a range of another text has the same bytes as a range of this text.
  func has(_ other: [UInt8], _ theirs: Range<Int>, at ours: Range<Int>) -> Bool {
    guard theirs.count == ours.count else { return false }
    var place = ours.lowerBound
    for theirPlace in theirs {
      if self[place] != other[theirPlace] { return false }
      place &+= 1
    }
    return true
  }
}
