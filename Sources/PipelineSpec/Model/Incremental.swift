package import JSONText

/// `incremental`: only records that are new since the last run.
package struct Incremental: Hashable, Sendable {
  /// Path of the member whose highest value is remembered.
  package let mark: JSONPath
  /// Value of `${since}` while nothing is remembered yet.
  package let start: JSONValue?

  package init(mark: JSONPath, start: JSONValue?) {
    self.mark = mark
    self.start = start
  }
}
