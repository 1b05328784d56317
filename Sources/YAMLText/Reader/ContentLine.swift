// MARK: - Lines

/// A line that has more than white space and a comment.
struct ContentLine {
  let start: Int
  /// Spaces before the content, or before the first tab.
  let indent: Int
  let content: Int

  /// Whether a tab stands before the content.
  var hasTab: Bool { content - start != indent }
}
