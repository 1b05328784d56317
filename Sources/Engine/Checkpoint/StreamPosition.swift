import FetchPlan

/// The position of a stream after a page.
struct StreamPosition: Sendable {
  /// Number of pages of the stream so far.
  let pages: Int
  /// Records of the stream so far in which a connection says that it has more.
  var nested = 0
  /// True if the page was the last one.
  let isOver: Bool
  /// Bookmark of the pager; nil without a `ProgressLog`, or if the pager can't be resumed there.
  let bookmark: PagerBookmark?
}
