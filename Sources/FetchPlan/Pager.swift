// A page's facts lead to the next request, or to the end. Pure values: no clock, no network.

package import JSONText
package import PipelineSpec
package import Wire

/// Turns the pages of one stream.
package struct Pager: Sendable {
  /// What comes after a page.
  package enum Step: Sendable, Equatable {
    case next(Request)
    case end(End)
  }

  /// How a stream of pages ended.
  package enum End: Sendable, Equatable {
    /// One request was all there was to make.
    case single
    /// An empty page, a total, `more`, `done` or `until`: everything is there. The text says which: `empty page 4`.
    case complete(String)
    /// `limit` pages were fetched.
    case capped(limit: Int)
    /// It ended as usual, with fewer records or pages than the server's own totals say.
    case short(String)
  }

  /// Whether the page that came is not to be written (an empty one has nothing to write anyway).
  ///
  /// - Throws: `PagingFault` when the pages go in circles, or a `pages` template can't be evaluated.
  package mutating func next(after page: PageFacts) throws(PagingFault) -> Step { fatalError("unimplemented") }

  /// For look-ahead: the request of the n-th page (from 1) where it does not depend on the pages before it, or nil.
  package func request(ofPage number: Int) -> Request? { fatalError("unimplemented") }
}

/// Pages that go in circles or contradict themselves: the error `paginationLoop` (exit 3).
package struct PagingFault: Error, Hashable, Sendable {
  /// From 1.
  package let page: Int
  package let url: Masked
  /// What happened and what to do: `page 3 has the same content as page 2: …; 'repeats: true' in 'pages' …`.
  package let problem: String

  package init(page: Int, url: Masked, problem: String) {
    self.page = page
    self.url = url
    self.problem = problem
  }
}
