#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Mistakes in specs or in what was said beside them (parameters, environment); nothing was requested.
public struct SpecError: LocalizedError, Sendable, CustomStringConvertible {
  /// One message a mistake, each with its place where it has one.
  public let messages: [String]

  package init(messages: [String]) {
    self.messages = messages
  }

  /// The messages, a line or more each.
  public var description: String { messages.joined(separator: "\n") }
  /// The same as `description`, for those who show a `LocalizedError`.
  public var errorDescription: String? { description }
}
