// The highest value of the member that gives the age of a record (`incremental.mark`).

package import JSONText
package import Primitives

/// Highest of the values seen so far.
///
/// Times compare as instants, numbers and texts of digits by value, other text by bytes.
package struct HighWaterMark: Sendable {
  /// Error for a value that can't be compared with the values before it.
  package struct Mixed: Error, Hashable, Sendable {
    package let expected: String
    package let found: String
  }

  package private(set) var value: JSONValue?
  private let form: TimeForm?
  /// Comparable form of `value`.
  private var highest: MarkOrder?

  /// - Parameter form: spelling of marks; nil for RFC 3339, numbers and other text.
  package init(_ value: JSONValue? = nil, form: TimeForm? = nil) {
    self.value = value
    self.form = form
    highest = value.flatMap { try? MarkOrder($0, form) }
  }

  /// Compares a value with the highest so far and keeps the higher; null is ignored.
  package mutating func see(_ other: JSONValue) throws(Mixed) {
    guard !other.isNull else { return }
    try see(other, MarkOrder(other, form))
  }

  package mutating func see(_ other: HighWaterMark) throws(Mixed) {
    if let value = other.value, let order = other.highest { try see(value, order) }
  }

  /// Throws if the mark is a word, such as `never`, and the saved one before it is a time, a date or a number.
  package func checkNoWord(after saved: JSONValue) throws(Mixed) {
    guard let highest, let order = try? MarkOrder(saved, form) else { return }
    try highest.checkNoWord(after: order)
  }

  private mutating func see(_ other: JSONValue, _ order: MarkOrder) throws(Mixed) {
    guard let highest else { return (value, self.highest) = (other, order) }
    if try highest.isBelow(order) { (value, self.highest) = (other, order) }
  }
}
