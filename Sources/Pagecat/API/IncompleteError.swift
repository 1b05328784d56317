#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Every record that could be had was given, and that is not all there is: input records were left out or answered
/// empty (`onError`), the server's own totals say more, or a response says that there is more than the spec fetches.
public struct IncompleteError: LocalizedError, Sendable, CustomStringConvertible {
  /// `partial`, `short`, `capped` (a response says that there is more), or `failed` where standard input can't be read.
  public let verdict: String
  /// What is missing: `2 of 3 records; empty page 3`; for input records that failed, the first of the errors.
  public let reason: String

  /// Verdict and reason.
  public var description: String { "\(verdict): \(reason)" }
  /// The same as `description`, for those who show a `LocalizedError`.
  public var errorDescription: String? { description }
}
