// MARK: - Lines

/// Line that has more than white space and a comment.
struct ContentLine {
  let start: Int
  /// Number of spaces before the content, or before the first tab.
  let indent: Int
  let content: Int

  /// True if a tab precedes the content.
  var hasTab: Bool { content - start != indent }
}
