import FetchPlan

/// The position of a stream after a page.
struct StreamPosition: Sendable {
  /// Number of pages of the stream so far.
  let pages: Int
  /// Number of records of the stream so far, in this process, in which a list was cut.
  var nested = 0
  /// True if the page was the last one.
  let isOver: Bool
  /// Bookmark of the pager; nil without a `ProgressLog`, or if the pager can't be resumed there.
  let bookmark: PagerBookmark?
}
