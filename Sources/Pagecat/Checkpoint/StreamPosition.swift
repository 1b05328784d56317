import FetchPlan

/// The position of a stream after a page.
struct StreamPosition: Sendable {
  /// Number of pages of the stream so far.
  let pages: Int
  /// True if the page was the last one.
  let isOver: Bool
  /// Bookmark of the pager; nil if the run has no journal.
  let bookmark: PagerBookmark?
}
