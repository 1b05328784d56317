// A member of a response that stands beside its records.

/// A member of an object on the way to the content, or of the content itself where that is the whole body, one object.
package struct EnvelopeMember: Hashable, Sendable {
  /// The names of the objects around it, then its own.
  package let path: [String]
  /// Its value as compact JSON; of one that is too large, only its first bytes.
  package let text: [UInt8]
  package let isWhole: Bool

  package init(path: [String], text: [UInt8], isWhole: Bool = true) {
    self.path = path
    self.text = text
    self.isWhole = isWhole
  }
}
