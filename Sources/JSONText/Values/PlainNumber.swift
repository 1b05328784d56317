// Numbers as nearly all answers spell them, compared without taking memory.

/// A number of at most 18 digits before its point and 18 after it, without an exponent.
struct PlainNumber: Comparable {
  private static let most = 18

  private let isNegative: Bool
  private let whole: UInt64
  /// The digits after the point, in units of the 18th digit.
  private let fraction: UInt64

  /// Nil for another number, and for what is none.
  ///
  /// - Parameters:
  ///   - text: a JSON value, or compact text that has one.
  ///   - start: where the value begins.
  @inline(__always)
  init?(_ text: UnsafeBufferPointer<UInt8>, at start: Int = 0) {
    var place = start
    let isMinus = place < text.count && text[place] == UInt8(ascii: "-")
    if isMinus { place &+= 1 }
    guard let whole = Self.digits(text, &place) else { return nil }
    var fraction: UInt64 = 0
    if place < text.count, text[place] == UInt8(ascii: ".") {
      place &+= 1
      let point = place
      guard let digits = Self.digits(text, &place) else { return nil }
      fraction = Self.times10(digits, Self.most - (place - point))
    }
    let isAtEnd = place == text.count || text[place] == UInt8(ascii: ",") || text[place] == UInt8(ascii: "}")
    guard isAtEnd else { return nil }
    (self.whole, self.fraction) = (whole, fraction)
    // Zero has no sign.
    isNegative = isMinus && (whole | fraction) != 0
  }

  var isZero: Bool { whole | fraction == 0 }

  /// Multiplies a number by a power of ten, by the binary digits of the power.
  @inline(__always)
  private static func times10(_ number: UInt64, _ power: Int) -> UInt64 {
    var result = number
    if power & 1 != 0 { result &*= 10 }
    if power & 2 != 0 { result &*= 100 }
    if power & 4 != 0 { result &*= 10_000 }
    if power & 8 != 0 { result &*= 100_000_000 }
    if power & 16 != 0 { result &*= 10_000_000_000_000_000 }
    return result
  }

  /// Reads 1 to 18 digits.
  @inline(__always)
  private static func digits(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> UInt64? {
    let start = place
    var value: UInt64 = 0
    while place < text.count, Bytes.isDigit(text[place]) {
      guard place &- start < most else { return nil }
      value = value &* 10 &+ UInt64(text[place] &- 48)
      place &+= 1
    }
    return place > start ? value : nil
  }

  @inline(__always)
  static func < (a: Self, b: Self) -> Bool {
    guard a.isNegative == b.isNegative else { return a.isNegative }
    let isSmaller = a.whole == b.whole ? a.fraction < b.fraction : a.whole < b.whole
    return a.isNegative ? a != b && !isSmaller : isSmaller
  }
}
