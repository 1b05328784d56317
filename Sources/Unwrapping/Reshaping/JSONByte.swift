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
    var offset = start + 1
    while offset < count {
      // An offset below the count can't overflow.
      let byte = self[offset]
      offset &+= 1
      if byte == JSONByte.quote { return offset }
      if byte == JSONByte.backslash { offset &+= 1 }
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
    var offset = start
    while offset < count {
      switch self[offset] {
      case JSONByte.quote:
        offset = endOfString(at: offset)
        continue
      case JSONByte.openObject, JSONByte.openArray:
        depth += 1
      case JSONByte.closeObject, JSONByte.closeArray:
        depth -= 1
        if depth == 0 { return offset + 1 }
      default: break
      }
      offset += 1
    }
    return count
  }

  private func endOfScalar(at start: Int) -> Int {
    var offset = start
    while offset < count {
      switch self[offset] {
      case JSONByte.comma, JSONByte.closeObject, JSONByte.closeArray, JSONByte.lineFeed: return offset
      default: offset += 1
      }
    }
    return count
  }

  /// Reports that a range of another text has the same bytes as a range of this text.
  func has(_ other: [UInt8], _ theirs: Range<Int>, at ours: Range<Int>) -> Bool {
    guard theirs.count == ours.count else { return false }
    var offset = ours.lowerBound
    for theirOffset in theirs {
      if self[offset] != other[theirOffset] { return false }
      offset &+= 1
    }
    return true
  }
}
