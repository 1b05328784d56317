#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Errors in specs, parameters or environment variables; nothing was requested.
public struct SpecError: LocalizedError, Sendable, CustomStringConvertible {
  /// One message for each error, with its location if it has one.
  public let messages: [String]

  package init(messages: [String]) {
    self.messages = messages
  }

  private static let mostShown = 100

  /// The first 100 messages, a line or more each, and how many more there are: `and 199,900 more`.
  public var description: String { shown.joined(separator: "\n") }

  /// The messages of `description`.
  package var shown: [String] {
    let others = messages.count - Self.mostShown
    return messages.prefix(Self.mostShown) + (others > 0 ? ["and \(others.groupedByThousands) more"] : [])
  }

  /// The `description`, for callers that show a `LocalizedError`.
  public var errorDescription: String? { description }
}
