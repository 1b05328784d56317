import JSONText

/// What names have become so far, which tells at little cost where a closer look is due.
struct StyledNames: Sendable {
  /// A server that sends values for names gets the closer look.
  private static let most = 4_096

  /// By what a name became: the first name that did.
  private var sources: [[UInt8]: [UInt8]] = [:]
  /// Of what names became: bits by their marks.
  private var marks = [UInt64](repeating: 0, count: 64)
  /// Whether different names became the same, not necessarily in one object; or too many to know.
  private(set) var isContested = false

  /// Takes note of a name, and what it becomes, both without quotes. True where that is news: the same name may stand before
  /// it in the record.
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
    let mark = Self.mark(of: styled, styled.indices)
    marks[mark >> 6] |= 1 << UInt64(mark & 63)
    return true
  }

  /// Whether another name became this one, which stands there with its quotes.
  func has(_ name: Range<Int>, in text: [UInt8]) -> Bool {
    let name = name.lowerBound + 1..<name.upperBound - 1
    let mark = Self.mark(of: text, name)
    return marks[mark >> 6] & 1 << UInt64(mark & 63) != 0 && sources[Array(text[name])] != nil
  }

  /// Of length and a few letters: other names may have it too.
  private static func mark(of text: [UInt8], _ name: Range<Int>) -> Int {
    guard let last = name.last else { return 0 }
    let (start, middle) = (Int(text[name.lowerBound]), Int(text[name.lowerBound + name.count / 2]))
    return (name.count &* 31 &+ start &* 7 &+ middle &* 61 &+ Int(text[last]) &* 13) & 4_095
  }
}
