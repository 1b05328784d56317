// JSON numbers by their exact value, at any length and any exponent.

import Primitives

/// Number as a sign, its significant digits, and a power of ten: `-12.50e3` is negative, `125`, and 2.
///
/// Two numbers are equal exactly when their parts are: the digits have neither leading nor trailing zeros, zero has
/// none and no sign. The exponent is text too, because `1e99999999999999999999` is a JSON number.
package struct Decimal: Equatable {
  package private(set) var isNegative = false
  /// ASCII digits; empty for zero.
  package private(set) var digits: [UInt8] = []
  package private(set) var exponent = Exponent()

  /// A power of ten of any size.
  package struct Exponent: Equatable {
    var isNegative = false
    /// ASCII digits without leading zeros; empty for zero.
    var digits: [UInt8] = []
  }

  /// Creates the parts of a number.
  ///
  /// - Parameter text: a valid JSON number. (In any other text only the digits count.)
  package init(_ text: some Collection<UInt8>) {
    var rest = text[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest.removeFirst()
    }
    let mantissa = rest.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
    let fraction = mantissa.dropFirst(whole.count + 1)
    digits = Array((Array(whole) + fraction).filter(Bytes.isDigit).drop { $0 == UInt8(ascii: "0") })
    let significant = digits.count - digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    guard significant > 0 else {
      self = .zero
      return
    }
    let shift = digits.count - significant - fraction.count
    digits.removeLast(digits.count - significant)
    exponent = Exponent(rest.dropFirst(mantissa.count + 1)).adding(shift)
  }

  private init() {}

  private static let zero = Decimal()

  /// True if there are no digits after the decimal point.
  var isWhole: Bool { !exponent.isNegative }

  /// Value as an `Int` if it is whole and fits.
  var integer: Int? {
    guard isWhole, let zeros = exponent.small, zeros <= 19 else { return digits.isEmpty ? 0 : nil }
    var value = 0
    // The sum is negative, since negative numbers reach one further.
    for digit in digits + Array(repeating: UInt8(ascii: "0"), count: zeros) {
      let (shifted, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (next, borrowed) = shifted.subtractingReportingOverflow(Int(digit) - 48)
      guard !overflowed, !borrowed else { return nil }
      value = next
    }
    guard !isNegative else { return value }
    let (positive, overflowed) = Int(0).subtractingReportingOverflow(value)
    return overflowed ? nil : positive
  }

  /// The next whole number at or below this one, or at or above, if it fits an `Int`.
  package func whole(orAbove isAbove: Bool) -> Int? {
    guard !isWhole else { return integer }
    guard let exponent = exponent.small else { return nil }
    var part = self
    (part.digits, part.exponent) = (digits.dropLast(-exponent), Exponent())
    // Without its fraction, a number is nearer to 0.
    guard let whole = part.integer, isNegative != isAbove else { return part.integer }
    let (next, overflow) = whole.addingReportingOverflow(isAbove ? 1 : -1)
    return overflow ? nil : next
  }

  /// Spelling that is equal for equal numbers and for no others.
  var canonical: [UInt8] {
    var text = isNegative ? [UInt8(ascii: "-")] : []
    text += digits
    text.append(UInt8(ascii: "e"))
    if exponent.isNegative { text.append(UInt8(ascii: "-")) }
    return text + exponent.digits
  }
}

extension Decimal.Exponent {
  /// Creates an exponent.
  ///
  /// - Parameter text: the text after the `e`, an optional sign and digits; or nothing.
  init(_ text: some Collection<UInt8>) {
    var rest = text[...]
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest.removeFirst()
    }
    digits = Array(rest.filter(Bytes.isDigit).drop { $0 == UInt8(ascii: "0") })
    if digits.isEmpty { isNegative = false }
  }

  private init(_ value: Int) {
    isNegative = value < 0
    digits = value == 0 ? [] : Array(String(value.magnitude).utf8)
  }

  /// The value if it has at most 18 digits, which always fit.
  package var small: Int? {
    guard digits.count <= 18 else { return nil }
    let magnitude = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    return isNegative ? -magnitude : magnitude
  }

  /// Returns the sum with a number that came from counting digits in memory.
  ///
  /// Such a number is below 10^18, so it never changes the sign of an exponent with 19 digits.
  func adding(_ shift: Int) -> Self {
    if let small { return Self(small + shift) }
    var sum = self
    var carry = isNegative ? -shift : shift
    for index in digits.indices.reversed() where carry != 0 {
      let total = Int(digits[index]) - 48 + carry
      let digit = (total % 10 + 10) % 10
      sum.digits[index] = UInt8(48 + digit)
      carry = (total - digit) / 10
    }
    if carry > 0 { sum.digits = Array(String(carry).utf8) + sum.digits }
    sum.digits = Array(sum.digits.drop { $0 == UInt8(ascii: "0") })
    return sum
  }
}

// MARK: Orders JSON numbers of any length and any exponent

extension JSONValue {
  /// Reports that this value is a number smaller than another number; false if one of them is no number.
  package func isSmaller(than other: JSONValue) -> Bool {
    kind == .number && other.kind == .number && Decimal(bytes) < Decimal(other.bytes)
  }
}

extension Decimal: Comparable {
  package static func < (a: Decimal, b: Decimal) -> Bool {
    switch (a.sign, b.sign) {
    case (1, 1): a.magnitudeIsSmaller(than: b)
    case (-1, -1): b.magnitudeIsSmaller(than: a)
    case (let a, let b): a < b
    }
  }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// Compares numbers that are not zero: by the power of ten before the first digit, then digit by digit.
  private func magnitudeIsSmaller(than other: Decimal) -> Bool {
    let (power, otherPower) = (exponent.adding(digits.count), other.exponent.adding(other.digits.count))
    return power == otherPower ? digits.lexicographicallyPrecedes(other.digits) : power.isSmaller(than: otherPower)
  }
}

extension Decimal.Exponent {
  fileprivate func isSmaller(than other: Self) -> Bool {
    guard isNegative == other.isNegative else { return isNegative }
    let isShorter =
      digits.count == other.digits.count
      ? digits.lexicographicallyPrecedes(other.digits) : digits.count < other.digits.count
    return isNegative ? self != other && !isShorter : isShorter
  }
}

// MARK: Numbers as nearly all answers spell them, compared without taking memory

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
    var offset = start
    let isMinus = offset < text.count && text[offset] == UInt8(ascii: "-")
    if isMinus { offset &+= 1 }
    guard let whole = Self.digits(text, &offset) else { return nil }
    var fraction: UInt64 = 0
    if offset < text.count, text[offset] == UInt8(ascii: ".") {
      offset &+= 1
      let point = offset
      guard let digits = Self.digits(text, &offset) else { return nil }
      fraction = Self.times10(digits, Self.most - (offset - point))
    }
    let isAtEnd = offset == text.count || text[offset] == UInt8(ascii: ",") || text[offset] == UInt8(ascii: "}")
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
  private static func digits(_ text: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> UInt64? {
    let start = offset
    var value: UInt64 = 0
    while offset < text.count, Bytes.isDigit(text[offset]) {
      guard offset &- start < most else { return nil }
      value = value &* 10 &+ UInt64(text[offset] &- 48)
      offset &+= 1
    }
    return offset > start ? value : nil
  }

  @inline(__always)
  static func < (a: Self, b: Self) -> Bool {
    guard a.isNegative == b.isNegative else { return a.isNegative }
    let isSmaller = a.whole == b.whole ? a.fraction < b.fraction : a.whole < b.whole
    return a.isNegative ? a != b && !isSmaller : isSmaller
  }
}

// MARK: The grammar of a number, for texts that no scan has seen

extension ArraySlice<UInt8> {
  /// True if these bytes, and no others, are a JSON number (RFC 8259 §6).
  package var isJSONNumber: Bool {
    var text = ByteCursor(self)
    _ = text.takes("-")
    let whole = text.digits()
    guard whole.count == 1 || whole.count > 1 && whole.first != UInt8(ascii: "0") else { return false }
    if text.takes("."), text.digits().isEmpty { return false }
    return text.exponent() != nil && text.isAtEnd
  }
}

// MARK: Keys of joins: numbers by value at any length, strings by their decoded text, never across kinds

extension JSONValue {
  /// Key that is equal for two values exactly if a join takes them for equal (`1`, `1.0` and `1e0` are).
  ///
  /// Null has no key. Kinds other than numbers and strings compare by their bytes.
  package var joinKey: JoinKey? {
    var key: [UInt8] = []
    return bytes.withUnsafeBufferPointer { JoinKey.append($0, to: &key) } ? JoinKey(bytes: key) : nil
  }

  /// Key of one value; its first byte tells the kinds apart.
  package struct JoinKey: Hashable, Sendable {
    package let bytes: [UInt8]
  }
}

/// Key of several values that must all be equal, as the bytes of one key; it is meant to be reused.
package struct JoinedKey: Hashable, Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  package mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends a value; returns false for null, which equals nothing.
  package mutating func append(_ value: JSONValue) -> Bool {
    value.bytes.withUnsafeBufferPointer { append($0) }
  }

  /// Appends a value by its text.
  ///
  /// - Parameter text: a value's compact text.
  mutating func append(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = bytes.count
    guard JSONValue.JoinKey.append(text, to: &bytes) else { return false }
    // The length follows the value, so that two values never read like two others.
    withUnsafeBytes(of: UInt64(bytes.count - start).littleEndian) { bytes.append(contentsOf: $0) }
    return true
  }
}

extension JSONValue.JoinKey {
  fileprivate static func append(_ text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) -> Bool {
    guard let first = text.first else { return false }
    switch first {
    case UInt8(ascii: "n"): return false
    case UInt8(ascii: "\""): appendString(text, to: &key)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): appendNumber(text, to: &key)
    default: key.append(contentsOf: text)
    }
    return true
  }

  private static func appendString(_ text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) {
    let inside = UnsafeBufferPointer(rebasing: text[1..<max(text.count - 1, 1)])
    key.append(UInt8(ascii: "\""))
    if CompactText(bytes: text).string(at: 0).hasEscape {
      key += StringDecoder.decode(inside, loneSurrogate: .kept).bytes
    } else {
      key.append(contentsOf: inside)
    }
  }

  private static func appendNumber(_ text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) {
    key.append(UInt8(ascii: "#"))
    // Nearly all keys are only digits, and their first digit is not 0.
    guard text[0] != UInt8(ascii: "0"), text.allSatisfy(Bytes.isDigit) else {
      key += Decimal(text).canonical
      return
    }
    var end = text.count
    while text[end - 1] == UInt8(ascii: "0") { end -= 1 }
    key.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<end]))
    key.append(UInt8(ascii: "e"))
    if end < text.count { key += String(text.count - end).utf8 }
  }
}
