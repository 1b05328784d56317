// The errors of pages that follow one another.

import Wire

extension Pager {
  static func sameContent(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) has the same content as page \(page.number - 1), although it was named as the next: see what 'pages' "
        + "reads and sends, or say where the pages end, by \(page.number > 2 ? "'until: repeated', " : "")'more', 'until', "
        + "'totalPages' or 'totalRecords'; or, if pages may be the same, write 'ignore: repeats' in the job",
      isCircle: true)
  }

  static func cameBefore(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) was redirected to '\(page.url.redacted)', a page that had come before: the server seems to have no "
        + "more; say where the pages end, by 'totalPages', 'totalRecords', 'more' or 'until'", isCircle: true,
      isSamePage: true)
  }

  /// Limit for successive empty pages, since some servers name a next page for ever; a `limit` in the spec lifts it.
  static let mostEmptyPages = 1_000

  static func onlyEmptyPages(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "the last \(mostEmptyPages) pages are empty, and there is always a next one; say where the pages end, by "
        + "'more: last' (a page without records is the last), or how many there may be, by 'maxPages'")
  }

  static func namesNoOther(_ page: PageFacts) -> PagingError {
    PagingError(
      page,
      "page \(page.number) is empty, names itself as the next, and says by 'more' or 'until' that there is more: correct what "
        + "'pages' reads it from")
  }
}
