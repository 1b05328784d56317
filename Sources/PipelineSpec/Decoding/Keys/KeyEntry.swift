internal import Diagnostics

/// What people are told about a key.
package struct KeyEntry: Hashable, Sendable {
  package let name: String
  /// What it takes, in words that also end the sentence "expected …".
  package let value: String
  /// What holds where it is not given; empty for nothing.
  package let standard: String
  /// One line of help.
  package let summary: String
  /// Whether it may stand beside `steps` as well, as a default for every step.
  package let isDefault: Bool
  package let isRequired: Bool
}
