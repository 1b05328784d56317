// What is said of a first page that has more behind it.

/// A reason in one line, and what to write in the job.
package struct MoreWarning: Hashable, Sendable {
  package let reason: String
  /// Whole lines to paste, with a sentence before each; empty where nothing is known.
  package let advice: [String]

  package init(reason: String, advice: [String] = []) {
    (self.reason, self.advice) = (reason, advice)
  }
}
