import JSONText

/// Rewritten names so far: a cheap test for whether a record needs the full check of `NameClashes`.
struct StyledNames: Sendable {
  /// Limit of remembered names; a server that sends values as names gets the full check instead.
  private static let most = 4_096

  /// First original name for each rewritten name.
  private var sources: [[UInt8]: [UInt8]] = [:]
  /// Bit set of the hashes of all rewritten names.
  private var bits = [UInt64](repeating: 0, count: 64)
  /// True if different names became equal, perhaps in different objects, or if there are too many names to know.
  private(set) var isContested = false

  /// Remembers a name and its rewritten form, both without quotes.
  ///
  /// Returns true if the rewritten form is new: an equal name may precede it in the record.
  mutating func note(_ name: [UInt8], becoming styled: [UInt8]) -> Bool {
    if let source = sources[styled] {
      if source != name { isContested = true }
      return false
    }
    guard sources.count < Self.most else {
      isContested = true
      return true
    }
    sources[styled] = name
    let bit = Self.bit(of: styled, styled.indices)
    bits[bit >> 6] |= 1 << UInt64(bit & 63)
    return true
  }

  /// Reports that another name was rewritten to the name in this range, which includes its quotes.
  func has(_ name: Range<Int>, in text: [UInt8]) -> Bool {
    let name = name.lowerBound + 1..<name.upperBound - 1
    let bit = Self.bit(of: text, name)
    return bits[bit >> 6] & 1 << UInt64(bit & 63) != 0 && sources[Array(text[name])] != nil
  }

  /// Small hash of the length and three letters; other names may share it.
  private static func bit(of text: [UInt8], _ name: Range<Int>) -> Int {
    guard let last = name.last else { return 0 }
    let (start, middle) = (Int(text[name.lowerBound]), Int(text[name.lowerBound + name.count / 2]))
    return (name.count &* 31 &+ start &* 7 &+ middle &* 61 &+ Int(text[last]) &* 13) & 4_095
  }
}
