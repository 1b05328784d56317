// The highest value of the member that says how new a record is (`incremental.mark`).

package import JSONText
import Primitives

/// Highest of the values seen so far.
///
/// Times compare as instants, numbers by value, other text by bytes.
package struct HighWaterMark: Sendable {
  /// Comparable form of a value; only values of one case compare with each other.
  private enum Order: Sendable {
    case time(Timestamp)
    case number
    case text([UInt8])

    var name: String {
      switch self {
      case .time: "a time (RFC 3339)"
      case .number: "a number"
      case .text: "text that is no time"
      }
    }
  }

  /// Error for a value that can't be compared with the values before it.
  package struct Mixed: Error, Hashable, Sendable {
    package let expected: String
    package let found: String
  }

  package private(set) var value: JSONValue?
  /// Comparable form of `value`.
  private var highest: Order?

  package init(_ value: JSONValue? = nil) {
    self.value = value
    highest = value.flatMap { Self.order(of: $0) }
  }

  /// Compares a value with the highest so far and keeps the higher; null is ignored.
  package mutating func see(_ other: JSONValue) throws(Mixed) {
    guard !other.isNull else { return }
    guard let order = Self.order(of: other) else {
      throw Mixed(expected: "text or a number", found: other.kind.rawValue)
    }
    guard let value, let highest else { return (self.value, self.highest) = (other, order) }
    let isHigher: Bool
    switch (highest, order) {
    case (.time(let a), .time(let b)): isHigher = a < b
    case (.number, .number): isHigher = value.isSmaller(than: other)
    case (.text(let a), .text(let b)): isHigher = a.lexicographicallyPrecedes(b)
    default: throw Mixed(expected: "\(highest.name), as before", found: order.name)
    }
    if isHigher { (self.value, self.highest) = (other, order) }
  }

  package mutating func see(_ other: HighWaterMark) throws(Mixed) {
    if let value = other.value { try see(value) }
  }

  private static func order(of value: JSONValue) -> Order? {
    switch value.kind {
    case .number: return .number
    case .string:
      let text = value.string.map { Array($0.utf8) } ?? Array(value.bytes.dropFirst().dropLast())
      return Timestamp(rfc3339: text[...]).map { .time($0) } ?? .text(text)
    case .object, .array, .boolean, .null: return nil
    }
  }
}
