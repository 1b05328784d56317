/// One step from a value to one inside it: a member's name, an element's index, or every one of them.
///
/// Which of the two it is depends on the value it meets (RFC 6901 §4): `0` is element 0 of an array and the member
/// `"0"` of an object.
package struct JSONStep: Hashable, Sendable {
  /// The member's name, unescaped, compared byte for byte with decoded member names.
  package let name: String
  /// The element's index: `name` when it is `0` or has no leading zero, else nil.
  package let index: Int?
  /// Whether it is `*`, which leads to every element or member: only on the way to content.
  package let isEvery: Bool

  package static let every = JSONStep(every: "*")

  private init(every name: String) {
    self.name = name
    index = nil
    isEvery = true
  }

  package init(_ name: String) {
    self.name = name
    isEvery = false
    let digits = name.utf8
    let isCanonical = digits.allSatisfy { (48...57).contains($0) } && (digits.count == 1 || digits.first != 48)
    self.index = isCanonical ? Int(name) : nil
  }

  /// A member's name, whatever it looks like: never an element's index.
  init(member name: String) {
    self.name = name
    isEvery = false
    index = nil
  }
}
