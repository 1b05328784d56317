// A condition on JSON values, as plain data: `{type: file, size: {above: 0}}`.

/// Members of a value with their tests, all of which must hold.
///
/// A missing value and `null` are the same, as in templates.
package struct Condition: Hashable, Sendable {
  /// The tests of one value; all of them must hold.
  package struct Clause: Hashable, Sendable {
    package let path: JSONPath
    package let tests: [Test]
    package init(path: JSONPath, tests: [Test]) {
      self.path = path
      self.tests = tests
    }

    /// The member as messages name it.
    package var name: String { path.description }
  }

  package indirect enum Test: Hashable, Sendable {
    /// One of these scalars, compared as in a join; `null` also stands for a missing value.
    case among([JSONValue])
    /// A number above this number.
    case above(JSONValue)
    /// A number below this number.
    case below(JSONValue)
    /// A text that contains this text, or a list that has it as an element.
    case has(String)
    /// A value for which not all of these tests hold, or a missing value.
    case not([Test])
    /// The value exists and is not `null`; with false, the opposite.
    case exists(Bool)
  }

  package let clauses: [Clause]

  package init(_ clauses: [Clause]) {
    self.clauses = clauses
  }

  /// Paths of the values that the condition reads.
  package var paths: [JSONPath] { clauses.map(\.path) }

  /// The clauses that a missing member does not fulfil.
  package var clausesForMembers: [Clause] { clauses.filter { !$0.holds(nil) } }

  /// Returns whether all clauses hold.
  ///
  /// - Parameter value: returns the value at a path, nil for a missing one.
  package func holds(_ value: (JSONPath) -> JSONValue?) -> Bool {
    clauses.allSatisfy { $0.holds(value($0.path)) }
  }

  /// Returns whether all clauses hold for the members of a value.
  package func holds(for value: JSONValue) -> Bool { holds { value[$0] } }
}

extension Condition.Clause {
  package func holds(_ value: JSONValue?) -> Bool {
    tests.allSatisfy { $0.holds(value.flatMap { $0.isNull ? nil : $0 }) }
  }
}

extension Condition.Test {
  /// - Parameter value: nil for a missing value and for `null`.
  fileprivate func holds(_ value: JSONValue?) -> Bool {
    switch self {
    case .among(let values): values.contains { value?.equals($0) ?? $0.isNull }
    case .above(let bound): value.map { bound.isBelow($0) } ?? false
    case .below(let bound): value?.isBelow(bound) ?? false
    case .has(let text): value?.has(text) ?? false
    case .not(let tests): !tests.allSatisfy { $0.holds(value) }
    case .exists(let isThere): (value != nil) == isThere
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

  /// Returns whether both are numbers, and this one is smaller.
  fileprivate func isBelow(_ other: JSONValue) -> Bool {
    if kind == .number, other.kind == .number, let own = plainInteger, let bound = other.plainInteger {
      return own < bound
    }
    return isSmaller(than: other)
  }

  fileprivate func has(_ text: String) -> Bool {
    switch kind {
    case .string: decodedBytes.contains(text.utf8)
    case .array: elements.contains { $0.kind == .string && $0.decodedBytes.elementsEqual(text.utf8) }
    case .object, .number, .boolean, .null: false
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
  fileprivate func contains(_ other: String.UTF8View) -> Bool {
    guard let first = other.first else { return true }
    var rest = self
    while let place = rest.firstIndex(of: first) {
      rest = rest[place...]
      if rest.starts(with: other) { return true }
      rest.removeFirst()
    }
    return false
  }
}
