// Evidence that the records are not the whole set.

package import PipelineSpec

/// A sign that was found, in one line, and what to write in the job.
package struct Evidence: Hashable, Sendable {
  package let sign: Sign
  /// What was found, with its value and the page.
  package let reason: String
  /// Whole lines to paste, with a sentence before each; empty if no lines are known.
  package let advice: [String]
  /// The sign that was found, and the pager that would follow it; nil for a job with a pager.
  package let finding: Finding?

  package struct Finding: Hashable, Sendable {
    /// `'total' of 50 for 10 records`.
    package let sign: String
    /// Nil if no pager is known.
    package let proposal: PagesProposal?
  }

  /// Advice for pages that seem to have one before the first.
  static let page0 =
    "pages may be counted from 0; see how the API counts them, and give the item a 0 in the request if so, as 'query: { page: 0 }'"

  /// Evidence that a status that means "no records" was the answer to every request.
  package static func nothingButEmpty(_ status: Int) -> Evidence {
    Evidence(
      .nothing,
      "every request was answered by \(status), which 'empty' takes for no records: see whether the URL is right, and whether the "
        + "token has access")
  }

  package init(_ sign: Sign, _ reason: String, advice: [String] = [], finding: Finding? = nil) {
    (self.sign, self.reason, self.advice, self.finding) = (sign, reason, advice, finding)
  }
}
