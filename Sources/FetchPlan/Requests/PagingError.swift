package import Wire

/// A page from which no next one can follow: the error `paginationLoop` where pages go in circles, else `invalidPage`
/// (exit 3).
package struct PagingError: Error, Hashable, Sendable {
  /// Number of the page, from 1.
  package let page: Int
  package let url: Redactable
  /// The problem and its remedy: `page 3 has the same content as page 2: …; 'ignore: repeats' in the job …`.
  package let problem: String
  /// True if the server repeats an earlier page.
  package let isCircle: Bool
  /// True if the page's URL is that of an earlier page, so that its records must not come out.
  let isSamePage: Bool

  package init(page: Int, url: Redactable, problem: String, isCircle: Bool = false, isSamePage: Bool = false) {
    self.page = page
    self.url = url
    self.problem = problem
    self.isCircle = isCircle
    self.isSamePage = isSamePage
  }

  init(_ page: PageFacts, _ problem: String, isCircle: Bool = false, isSamePage: Bool = false) {
    self.init(page: page.number, url: page.url, problem: problem, isCircle: isCircle, isSamePage: isSamePage)
  }

  init(_ page: PageFacts, _ fault: ParameterError) {
    self.init(page, "\(fault.template): \(fault.problem)")
  }
}
