// A member of a response beside its records.

/// A member of an object on the path of the content, or of the content itself if that is the whole body, one object.
package struct EnvelopeMember: Hashable, Sendable {
  /// The names of the objects around it, then its own; `*` for an element of the content's path.
  package let path: [String]
  /// The member's value as compact JSON; only the first bytes of a value that is too large.
  package let text: [UInt8]
  package let isWhole: Bool
  /// True if it is in an element at a `*` of the content's path.
  package let isInner: Bool

  package init(path: [String], text: [UInt8], isWhole: Bool = true, isInner: Bool = false) {
    self.path = path
    self.text = text
    self.isWhole = isWhole
    self.isInner = isInner
  }
}
