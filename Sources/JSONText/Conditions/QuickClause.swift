// A clause of a condition as nearly all values can be tried: on their bytes, without taking memory.

/// A clause, prepared for many values.
struct QuickClause: Sendable {
  /// A test on bytes.
  ///
  /// Those that it can't decide are left to the clause.
  private indirect enum Test: Sendable {
    /// - Parameters:
    ///   - texts: the values' bytes.
    ///   - isPlain: whether no text among them has an escape.
    ///   - numbers: those of the values that are numbers; nil where one of them is not plain.
    case among(texts: [[UInt8]], isPlain: Bool, numbers: [PlainNumber]?, hasNull: Bool)
    case above(PlainNumber)
    case below(PlainNumber)
    case not([Test])
    case exists(Bool)
    case undecided
  }

  private let clause: Condition.Clause
  private let tests: [Test]

  init(_ clause: Condition.Clause) {
    self.clause = clause
    tests = clause.tests.map(Self.test)
  }

  private static func test(_ test: Condition.Test) -> Test {
    switch test {
    case .among(let values):
      let numbers = values.filter { $0.kind == .number }
      let plain = numbers.compactMap(number)
      return .among(
        texts: values.map { Array($0.bytes) }, isPlain: !values.contains { $0.bytes.contains(backslash) },
        numbers: plain.count == numbers.count ? plain : nil, hasNull: values.contains(where: \.isNull))
    case .above(let bound): return number(bound).map { .above($0) } ?? .undecided
    case .below(let bound): return number(bound).map { .below($0) } ?? .undecided
    case .has: return .undecided
    case .not(let tests): return .not(tests.map(Self.test))
    case .exists(let isThere): return .exists(isThere)
    }
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func number(_ value: JSONValue) -> PlainNumber? {
    value.bytes.withUnsafeBufferPointer { PlainNumber($0) }
  }

  /// Returns whether all tests hold.
  ///
  /// - Parameter value: a JSON value; nil for a missing one.
  @inline(__always)
  func holds(_ value: UnsafeBufferPointer<UInt8>?) -> Bool {
    let there = value.flatMap { Self.isNull($0) ? nil : $0 }
    return Self.hold(tests, there) ?? clause.holds(there.map { JSONValue(validated: Array($0)[...]) })
  }

  /// `null` is the only value that begins with an n.
  private static func isNull(_ value: UnsafeBufferPointer<UInt8>) -> Bool { value.first == UInt8(ascii: "n") }

  /// Nil where a test can't decide, and no other one says no.
  private static func hold(_ tests: [Test], _ value: UnsafeBufferPointer<UInt8>?) -> Bool? {
    var isDecided = true
    for test in tests {
      switch holds(test, value) {
      case false?: return false
      case true?: break
      case nil: isDecided = false
      }
    }
    return isDecided ? true : nil
  }

  private static func holds(_ test: Test, _ value: UnsafeBufferPointer<UInt8>?) -> Bool? {
    switch test {
    case .exists(let isThere): return (value != nil) == isThere
    case .not(let tests): return hold(tests, value).map { !$0 }
    case .among(let texts, let isPlain, let numbers, let hasNull):
      guard let value else { return hasNull }
      return texts.contains { $0.count == value.count && $0.elementsEqual(value) }
        ? true : others(value, isPlain: isPlain, numbers)
    case .above(let bound): return compare(value) { bound < $0 }
    case .below(let bound): return compare(value) { $0 < bound }
    case .undecided: return nil
    }
  }

  /// Returns whether a value that is spelled as none of those wanted is one of them nevertheless.
  private static func others(
    _ value: UnsafeBufferPointer<UInt8>, isPlain: Bool, _ numbers: [PlainNumber]?
  ) -> Bool? {
    switch value.first ?? 0 {
    case UInt8(ascii: "\""): return isPlain && !value.contains(backslash) ? false : nil
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard let numbers else { return nil }
      if numbers.isEmpty { return false }
      return PlainNumber(value).map { numbers.contains($0) }
    default: return false
    }
  }

  /// Nil for a number that is not plain; false for what is no number.
  private static func compare(_ value: UnsafeBufferPointer<UInt8>?, _ holds: (PlainNumber) -> Bool) -> Bool? {
    guard let value, let first = value.first, first == UInt8(ascii: "-") || Bytes.isDigit(first) else { return false }
    return PlainNumber(value).map(holds)
  }
}
