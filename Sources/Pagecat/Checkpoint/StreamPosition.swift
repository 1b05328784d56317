import FetchPlan

/// Behind a page: where its stream stands.
struct StreamPosition: Sendable {
  /// Pages of the stream so far.
  let pages: Int
  /// Whether it was the last one.
  let isOver: Bool
  /// Nil where nobody wants to know.
  let bookmark: PagerBookmark?
}
