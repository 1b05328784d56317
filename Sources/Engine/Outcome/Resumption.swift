/// The point at which a run resumes; the figures include those of the interrupted run.
package struct Resumption: Sendable {
  /// Start of the interrupted run (RFC 3339).
  package let start: String
  /// Records that it has written.
  package let records: Int
  /// True if all was written, and only the end of the run was missing.
  package let isAtEnd: Bool
}
