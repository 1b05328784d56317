#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The run gave every record that it could get, but there are more.
///
/// Possible reasons:
/// - Input records were left out or answered empty (`onError`).
/// - A response says that there is more: by a total, a sign of further pages, a part, an error.
public struct IncompleteError: LocalizedError, Sendable, CustomStringConvertible {
  /// `partial`, `short`, or `failed` (the input can't be read).
  public let verdict: Verdict
  /// The missing part: `2 of 3 records; empty page 3`.
  ///
  /// For input records that failed, the first error.
  public let reason: String

  package init(verdict: Verdict, reason: String) {
    (self.verdict, self.reason) = (verdict, reason)
  }

  /// Verdict and reason.
  public var description: String { "\(verdict.rawValue): \(reason)" }
  /// The `description`, for code that shows a `LocalizedError`.
  public var errorDescription: String? { description }
}
