internal import Diagnostics

/// Description of a key for people.
package struct KeyEntry: Hashable, Sendable {
  package let name: String
  /// Accepted values, in words that also end the sentence "expected …".
  package let value: String
  /// Value that applies if the key is not given; empty for none.
  package let standard: String
  /// One line of help.
  package let summary: String
  let besideSteps: BesideSteps
  package let isRequired: Bool
  /// True if no record depends on the value, so that a resumed run may have another value.
  package let mayChange: Bool

  /// Effect of a job's key that is written beside `steps`.
  package enum BesideSteps: Sendable, Hashable {
    /// The key can't stand there.
    case nothing
    /// Every step begins with its value.
    case setting
    /// Each step that the key fits has it, as if written there.
    case content
  }

  /// True if the key may also be beside `steps`, as a default for every step.
  package var isDefault: Bool { besideSteps != .nothing }
}
