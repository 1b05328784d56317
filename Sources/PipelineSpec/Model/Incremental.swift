package import JSONText

/// `incremental`: only what is new since the last run.
package struct Incremental: Hashable, Sendable {
  /// The member whose highest value is remembered.
  package let mark: JSONPath
  /// What `${since}` is when nothing is remembered yet.
  package let start: JSONValue?

  package init(mark: JSONPath, start: JSONValue?) {
    self.mark = mark
    self.start = start
  }
}
