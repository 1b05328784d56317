package import Wire

/// Pages that go in circles or contradict themselves: the error `paginationLoop` (exit 3).
package struct PagingError: Error, Hashable, Sendable {
  /// From 1.
  package let page: Int
  package let url: Redactable
  /// What happened and what to do: `page 3 has the same content as page 2: …; 'repeats: true' in 'pages' …`.
  package let problem: String
  /// Whether the page shows that the server gives again what it gave before.
  let isCircle: Bool
  /// Whether it is by its URL a page that had come before, so that it must not come out.
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
