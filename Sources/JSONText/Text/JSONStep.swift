/// One step from a value to a value inside it: a member's name, an element's index, or `*` for all of them.
///
/// The value decides between name and index: `0` is element 0 of an array, and member `"0"` of an object.
package struct JSONStep: Hashable, Sendable {
  /// Member's name, unescaped, compared byte for byte with decoded member names.
  package let name: String
  /// Element's index: `name` if it is `0` or has no leading zero, else nil.
  package let index: Int?
  /// True for `*`, which leads to every element or member, and for several names.
  package let isEvery: Bool
  /// The steps of a content in several lists of one body, such as `users` and `groups`; empty for all others.
  package let choices: [Choice]

  /// One of several names in a path.
  package struct Choice: Hashable, Sendable {
    package let step: JSONStep
    /// The whole path as the spec spells it, which `key` gives to a record.
    package let path: String
    package let isOptional: Bool
  }

  package static let every = JSONStep(every: "*")

  private init(every name: String) {
    self.name = name
    index = nil
    isEvery = true
    choices = []
  }

  /// Creates a step to each of several members or elements.
  init(choices: [Choice]) {
    name = "*"
    index = nil
    isEvery = true
    self.choices = choices
  }

  package init(_ name: String) {
    self.name = name
    isEvery = false
    choices = []
    let digits = name.utf8
    let isCanonical = digits.allSatisfy { (48...57).contains($0) } && (digits.count == 1 || digits.first != 48)
    self.index = isCanonical ? Int(name) : nil
  }

  /// Creates a step to a member, never to an element, whatever the name looks like.
  package init(member name: String) {
    self.name = name
    isEvery = false
    choices = []
    index = nil
  }
}
