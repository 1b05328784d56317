// The tests of a condition on the bytes of values, without allocations: they can decide nearly all values.

/// The tests of a condition's clauses, prepared for many values.
struct QuickTests: Sendable {
  /// A test on bytes.
  ///
  /// The clause decides the values that the test can't. A test has no reference, so that using it costs no reference
  /// counting.
  fileprivate struct Test: Sendable {
    enum Kind: Sendable {
      /// One of some values: their texts, and the numbers among them.
      case among
      case above
      case below
      /// Not all of the tests that follow, up to `end`.
      case not
      case truthy
      case undecided
    }

    let kind: Kind
    /// Number of the first test after this one and the tests inside it.
    var end = 0
    /// Numbers of the wanted texts.
    var texts = 0..<0
    /// Numbers of the wanted numbers, or of the bound.
    var numbers = 0..<0
    /// True if no wanted text has an escape.
    var isPlain = false
    /// True if every wanted number is plain.
    var hasAllNumbers = false
    /// Whether `among` wants `null`.
    var isThere = false
  }

  private var tests: [Test] = []
  /// Numbers of each clause's tests.
  private var ranges: [Range<Int>] = []
  /// Wanted texts, one after the other.
  private var bytes: [UInt8] = []
  /// Range of each wanted text in `bytes`.
  private var texts: [Range<Int>] = []
  private var numbers: [PlainNumber] = []

  /// - Parameter clauses: clauses with paths to one value each.
  init(_ clauses: [Condition.Clause]) {
    for clause in clauses {
      let start = tests.count
      clause.tests.forEach { add($0) }
      ranges.append(start..<tests.count)
    }
  }

  private mutating func add(_ test: Condition.Test) {
    let index = tests.count
    switch test {
    case .among(let values):
      let wanted = values.filter { $0.kind == .number }
      let plain = wanted.compactMap(Self.number)
      var test = Test(kind: .among)
      test.texts = texts.count..<texts.count + values.count
      test.numbers = numbers.count..<numbers.count + plain.count
      test.isPlain = !values.contains { $0.bytes.contains(Self.backslash) }
      test.hasAllNumbers = plain.count == wanted.count
      test.isThere = values.contains(where: \.isNull)
      numbers += plain
      for value in values {
        texts.append(bytes.count..<bytes.count + value.bytes.count)
        bytes += value.bytes
      }
      tests.append(test)
    case .above(let bound): add(bound, as: .above)
    case .below(let bound): add(bound, as: .below)
    case .has, .given: tests.append(Test(kind: .undecided))
    case .not(let inner):
      tests.append(Test(kind: .not))
      inner.forEach { add($0) }
    case .truthy(let readsTexts): tests.append(Test(kind: readsTexts ? .undecided : .truthy))
    }
    tests[index].end = tests.count
  }

  private mutating func add(_ bound: JSONValue, as kind: Test.Kind) {
    guard let number = Self.number(bound) else { return tests.append(Test(kind: .undecided)) }
    var test = Test(kind: kind)
    test.numbers = numbers.count..<numbers.count + 1
    numbers.append(number)
    tests.append(test)
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func number(_ value: JSONValue) -> PlainNumber? {
    value.bytes.withUnsafeBufferPointer { PlainNumber($0) }
  }
}

extension QuickTests {
  /// The tests, for the time of one call.
  struct Trial {
    fileprivate let tests: UnsafeBufferPointer<Test>
    fileprivate let ranges: UnsafeBufferPointer<Range<Int>>
    fileprivate let bytes: UnsafeBufferPointer<UInt8>
    fileprivate let texts: UnsafeBufferPointer<Range<Int>>
    fileprivate let numbers: UnsafeBufferPointer<PlainNumber>

    /// Returns true if all tests of a clause hold; nil if a test can't decide, and no other test fails.
    ///
    /// - Parameter value: a JSON value; nil for a missing one.
    @inline(__always)
    func tries(_ clause: Int, _ value: UnsafeBufferPointer<UInt8>?) -> Bool? {
      // `null` is the only value that begins with an n.
      hold(ranges[clause], value.flatMap { $0.first == UInt8(ascii: "n") ? nil : $0 })
    }

    /// A test that can decide a value whose end is not known.
    enum OnlyTest {
      case among
      case above(PlainNumber)
      case below(PlainNumber)
    }

    /// The only test of the only clause; nil if there are more tests, or the end of a value must be known.
    var onlyTest: OnlyTest? {
      guard ranges.count == 1, tests.count == 1 else { return nil }
      switch tests[0].kind {
      case .among: return .among
      case .above: return .above(numbers[0])
      case .below: return .below(numbers[0])
      case .not, .truthy, .undecided: return nil
      }
    }

    /// Reports that a wanted value is spelled at a place, and a member ends after it.
    @inline(__always)
    func isSpelled(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
      for wanted in texts {
        let end = start &+ wanted.count
        guard end < text.count, text[end] == UInt8(ascii: ",") || text[end] == UInt8(ascii: "}") else { continue }
        if isSame(wanted, UnsafeBufferPointer(rebasing: text[start..<end])) { return true }
      }
      return false
    }

    @inline(__always)
    private func hold(_ range: Range<Int>, _ value: UnsafeBufferPointer<UInt8>?) -> Bool? {
      var isDecided = true
      var index = range.lowerBound
      while index < range.upperBound {
        switch holds(index, value) {
        case false?: return false
        case true?: break
        case nil: isDecided = false
        }
        index = tests[index].end
      }
      return isDecided ? true : nil
    }

    private func holds(_ index: Int, _ value: UnsafeBufferPointer<UInt8>?) -> Bool? {
      let test = tests[index]
      switch test.kind {
      case .truthy: return saysYes(value)
      case .not: return hold(index + 1..<test.end, value).map { !$0 }
      case .among:
        guard let value else { return test.isThere }
        return isSpelled(value, as: test) ? true : isOther(value, test)
      case .above: return compare(value) { numbers[test.numbers.lowerBound] < $0 }
      case .below: return compare(value) { $0 < numbers[test.numbers.lowerBound] }
      case .undecided: return nil
      }
    }

    /// Returns whether a value is not false, 0, `""`, `[]` or missing; nil for a number that is not plain.
    private func saysYes(_ value: UnsafeBufferPointer<UInt8>?) -> Bool? {
      guard let value, let first = value.first else { return false }
      switch first {
      case UInt8(ascii: "f"): return false
      case UInt8(ascii: "\""), UInt8(ascii: "["): return value.count > 2
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return PlainNumber(value).map { !$0.isZero }
      default: return true
      }
    }

    @inline(__always)
    private func isSpelled(_ value: UnsafeBufferPointer<UInt8>, as test: Test) -> Bool {
      for number in test.texts {
        let text = texts[number]
        if text.count == value.count, isSame(text, value) { return true }
      }
      return false
    }

    /// Reports that a wanted text is a value of as many bytes.
    ///
    /// It compares words of eight bytes, each of which is within both, and then single bytes.
    @inline(__always)
    private func isSame(_ wanted: Range<Int>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
      let text = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[wanted]))
      let other = UnsafeRawBufferPointer(value)
      var index = 0
      while index &+ 8 <= text.count {
        let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        guard word == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
        index &+= 8
      }
      while index < text.count {
        guard text[index] == other[index] else { return false }
        index &+= 1
      }
      return true
    }

    /// Reports that a value is one of the wanted ones, although its spelling is none of theirs.
    @inline(__always)
    private func isOther(_ value: UnsafeBufferPointer<UInt8>, _ test: Test) -> Bool? {
      switch value.first ?? 0 {
      case UInt8(ascii: "\""): return test.isPlain && !value.contains(QuickTests.backslash) ? false : nil
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard test.hasAllNumbers else { return nil }
        if test.numbers.isEmpty { return false }
        return PlainNumber(value).map { number in test.numbers.contains { numbers[$0] == number } }
      default: return false
      }
    }

    /// Nil for a number that is not plain; false for a value that is no number.
    @inline(__always)
    func compare(
      _ text: UnsafeBufferPointer<UInt8>?, at start: Int = 0, _ holds: (PlainNumber) -> Bool
    ) -> Bool? {
      guard let text, start < text.count, text[start] == UInt8(ascii: "-") || Bytes.isDigit(text[start]) else {
        return false
      }
      return PlainNumber(text, at: start).map(holds)
    }
  }

  /// Calls `body` with the tests.
  func withTrial<Result>(_ body: (Trial) -> Result) -> Result {
    tests.withUnsafeBufferPointer { tests in
      ranges.withUnsafeBufferPointer { ranges in
        bytes.withUnsafeBufferPointer { bytes in
          texts.withUnsafeBufferPointer { texts in
            numbers.withUnsafeBufferPointer { numbers in
              body(Trial(tests: tests, ranges: ranges, bytes: bytes, texts: texts, numbers: numbers))
            }
          }
        }
      }
    }
  }
}
