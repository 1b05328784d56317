package import JSONText

/// `poll`: repeats the same request until the server is done.
package struct Poll: Hashable, Sendable {
  /// Holds for the answer that is the content; nil for any answer but 202.
  package var until: Condition?
  /// Holds for an answer after which the content will never be there.
  package var failure: Condition?
  /// Wait between two requests, unless the server names one.
  package var every: Duration = .seconds(10)
  /// Limit for the time from the first request to the last.
  package var most: Duration = .seconds(1_800)
  package init() {}

  /// Paths of the body that the conditions read.
  package var paths: [JSONPath] { (until?.paths ?? []) + (failure?.paths ?? []) }
}
