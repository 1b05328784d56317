// A condition on JSON values, as plain data: `{type: file, size: {above: 0}}`.

package import Primitives

/// Paths with their tests: alternatives, one of which must hold, each with clauses, all of which must hold.
///
/// A missing value and `null` are the same, as in templates.
package struct Condition: Hashable, Sendable {
  /// The tests of the values at one path; all of them must hold.
  package struct Clause: Hashable, Sendable {
    package let path: JSONPath
    package let tests: [Test]
    /// True if the value may well be missing (`body.more?`).
    package let isOptional: Bool

    package init(path: JSONPath, tests: [Test], isOptional: Bool = false) {
      self.path = path
      self.tests = tests
      self.isOptional = isOptional
    }

    /// The path as the spec writes it.
    package var name: String { path.description }
  }

  package indirect enum Test: Hashable, Sendable {
    /// One of these scalars, compared as in a join; `null` also stands for a missing value.
    case among([JSONValue])
    /// A number above this number, or a date or time after this one.
    case above(JSONValue)
    /// A number below this number, or a date or time before this one.
    case below(JSONValue)
    /// A text that contains this text, or a list that has this scalar as an element.
    case has(JSONValue)
    /// No value passes all of these tests.
    case not([Test])
    /// A value that is not false, 0, `""`, `[]` or null.
    ///
    /// - Parameter readsTexts: true where each value is a text (header fields, CSV): `false` and `0` fail there.
    case truthy(readsTexts: Bool)
    /// A comparison with a value that is given later, for each input record, by its number; until then it holds for any
    /// value.
    case given(Int, Comparison)
  }

  /// A test that compares with a value.
  package enum Comparison: Hashable, Sendable { case among, above, below, has }

  package let alternatives: [[Clause]]

  package init(_ clauses: [Clause]) { alternatives = [clauses] }

  package init(anyOf alternatives: [[Clause]]) { self.alternatives = alternatives }

  /// Paths of the values that the condition reads.
  package var paths: [JSONPath] { alternatives.flatMap { $0.map(\.path) } }

  /// The path of a condition that is a bare path: what stands there says yes or no.
  package var statement: JSONPath? {
    guard alternatives.count == 1, alternatives[0].count == 1, case .truthy? = alternatives[0][0].tests.first else {
      return nil
    }
    return alternatives[0][0].path
  }

  /// The condition for values that are all texts, as those of CSV: `false` and `0` say no to a bare path.
  package var readingTexts: Condition {
    Condition(
      anyOf: alternatives.map { clauses in
        clauses.map { clause in
          Clause(
            path: clause.path,
            tests: clause.tests.map { if case .truthy = $0 { .truthy(readsTexts: true) } else { $0 } })
        }
      })
  }

  /// The clauses that a missing value does not fulfil.
  package var clausesForMembers: [Clause] { alternatives.flatMap { $0.filter { !$0.holds([]) } } }

  /// Returns those of some clauses that keep every alternative from holding; none if an alternative has no such clause.
  package func culprits(among clauses: [Clause]) -> [Clause] {
    alternatives.allSatisfy { !$0.allSatisfy { !clauses.contains($0) } } ? clauses : []
  }

  /// Returns whether all clauses of an alternative hold.
  ///
  /// - Parameter values: returns the values at a path, none for a missing one.
  package func holds(_ values: (JSONPath) -> [JSONValue]) -> Bool {
    alternatives.contains { $0.allSatisfy { $0.holds(values($0.path)) } }
  }

  /// Returns whether the condition holds for the members of a value.
  package func holds(for value: JSONValue) -> Bool { holds { value.values(at: $0) } }
}

extension Condition {
  /// Returns the condition with the values that were to be given.
  ///
  /// A test without a value is left out, and so is a path without any test left.
  package func giving(_ values: [JSONValue?]) -> Condition {
    Condition(
      anyOf: alternatives.map { clauses in
        clauses.compactMap { clause in
          let tests = clause.tests.compactMap { $0.giving(values) }
          return tests.isEmpty ? nil : Clause(path: clause.path, tests: tests, isOptional: clause.isOptional)
        }
      })
  }
}

extension Condition.Test {
  fileprivate func giving(_ values: [JSONValue?]) -> Condition.Test? {
    switch self {
    case .given(let number, let comparison):
      guard let value = values[number] else { return nil }
      return switch comparison {
      case .among: .among(value.kind == .array ? Array(value.elements) : [value])
      case .above: .above(value)
      case .below: .below(value)
      case .has: .has(value)
      }
    case .not(let inner):
      let tests = inner.compactMap { $0.giving(values) }
      return tests.isEmpty ? nil : .not(tests)
    case .among, .above, .below, .has, .truthy: return self
    }
  }
}

extension Condition.Clause {
  /// - Parameter values: the values at the path; `null` counts as missing.
  package func holds(_ values: [JSONValue]) -> Bool { tests.hold(for: values.filter { !$0.isNull }) }

  package func holds(_ value: JSONValue?) -> Bool { holds(value.map { [$0] } ?? []) }
}

extension [Condition.Test] {
  /// Reports that one of the values passes all tests together, and none what `not` denies.
  fileprivate func hold(for values: [JSONValue]) -> Bool {
    var needsValue = false
    var acceptsNone = true
    for test in self {
      switch test {
      case .not(let denied): if denied.hold(for: values) { return false }
      case .among(let wanted):
        needsValue = true
        acceptsNone = acceptsNone && wanted.contains(where: \.isNull)
      case .above, .below, .has, .truthy, .given: (needsValue, acceptsNone) = (true, false)
      }
    }
    guard needsValue else { return true }
    if values.isEmpty { return acceptsNone }
    return values.contains { value in allSatisfy { $0.passes(value) } }
  }
}

extension Condition.Test {
  fileprivate func passes(_ value: JSONValue) -> Bool {
    switch self {
    case .among(let values): values.contains { value.equals($0) }
    case .above(let bound): bound.isBelow(value)
    case .below(let bound): value.isBelow(bound)
    case .has(let wanted): value.has(wanted)
    case .not, .given: true
    case .truthy(let readsTexts): value.isTruthy(readsTexts: readsTexts)
    }
  }
}

extension JSONValue {
  /// Returns whether two scalars are equal: numbers by value, texts as decoded, other values by their bytes.
  fileprivate func equals(_ other: JSONValue) -> Bool {
    if bytes == other.bytes { return true }
    guard kind == other.kind else { return false }
    switch kind {
    case .number:
      // Two plain integers with different spellings are different.
      return plainInteger != nil && other.plainInteger != nil
        ? plainInteger == other.plainInteger : Decimal(bytes) == Decimal(other.bytes)
    case .string: return hasEscape || other.hasEscape ? joinKey == other.joinKey : false
    case .object, .array, .boolean, .null: return false
    }
  }

  /// Returns whether both are numbers, and this one is smaller; or both dates or times, and this one is earlier.
  fileprivate func isBelow(_ other: JSONValue) -> Bool {
    if kind == .number, other.kind == .number, let own = plainInteger, let bound = other.plainInteger {
      return own < bound
    }
    return isSmaller(than: other) || isEarlier(than: other)
  }

  /// Returns whether both are dates or times, and this one is earlier.
  package func isEarlier(than other: JSONValue) -> Bool {
    guard kind == .string, other.kind == .string, let own = Timestamp(dateOrTime: decodedBytes),
      let bound = Timestamp(dateOrTime: other.decodedBytes)
    else { return false }
    return own < bound
  }

  fileprivate func has(_ wanted: JSONValue) -> Bool {
    switch kind {
    case .string: wanted.kind == .string && decodedBytes.contains(wanted.decodedBytes)
    case .array: elements.contains { $0.equals(wanted) }
    case .object, .number, .boolean, .null: false
    }
  }

  /// Reports that the value says yes: it is not false, 0, `""`, `[]` or null.
  ///
  /// - Parameter readsTexts: true if the texts `false` and `0` say no, too.
  package func isTruthy(readsTexts: Bool) -> Bool {
    switch kind {
    case .null: false
    case .boolean: boolean == true
    case .number: !Decimal(bytes).digits.isEmpty
    case .string: bytes.count > 2 && !(readsTexts && ["false", "0"].contains(string ?? ""))
    case .array: bytes.count > 2
    case .object: true
    }
  }

  private var hasEscape: Bool { bytes.contains(UInt8(ascii: "\\")) }

  /// The decoded bytes of a text.
  private var decodedBytes: ArraySlice<UInt8> {
    let inside = bytes.dropFirst().dropLast()
    guard hasEscape else { return inside }
    return inside.withUnsafeBufferPointer { StringDecoder.decode($0, loneSurrogate: .kept).bytes[...] }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func contains(_ other: ArraySlice<UInt8>) -> Bool {
    guard let first = other.first else { return true }
    var rest = self
    while let offset = rest.firstIndex(of: first) {
      rest = rest[offset...]
      if rest.starts(with: other) { return true }
      rest.removeFirst()
    }
    return false
  }
}

extension Timestamp {
  /// Reads an RFC 3339 time, or a date as its first instant in UTC.
  package init?(dateOrTime text: ArraySlice<UInt8>) {
    if let time = Timestamp(rfc3339: text) {
      self = time
    } else if let date = CivilDate(text) {
      self.init(midnightOf: date)
    } else {
      return nil
    }
  }
}
