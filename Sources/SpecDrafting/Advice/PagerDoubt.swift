// The reason why `new` does not take a pager that it has tried.

/// The reason why a pager is wrong.
enum PagerDoubt: Hashable {
  /// The second request failed; the message is redacted.
  case failure(String)
  /// The server refused the second request for a reason that says nothing of the pager; the message is redacted.
  case refused(String)
  case noSecondPage, emptyPage, sameRecords
  case someSameRecords(Int, of: Int)
  /// The pager's own first page differs from that of the URL.
  case otherFirstPage
  /// The request's body has no member for the cursor.
  case noPlaceInBody
  /// `check` refuses the spec with this pager.
  case invalidSpec

  /// The error of the second request; nil if it had an answer.
  var error: String? {
    switch self {
    case .failure(let message), .refused(let message): message
    default: nil
    }
  }

  /// The result of the trial, before the pager's line.
  var verdict: String {
    switch self {
    case .refused: "The server refused the second page, so that this is neither right nor wrong:"
    case .noPlaceInBody, .invalidSpec: "This could not be tried:"
    case .failure, .noSecondPage, .emptyPage, .sameRecords, .someSameRecords, .otherFirstPage:
      "This was tried, and is not right:"
    }
  }

  /// The reason as a sentence of the draft's comment.
  var text: String {
    switch self {
    case .failure(let message), .refused(let message): message
    case .noSecondPage: "It leads to no second page."
    case .emptyPage: "The second page was empty."
    case .sameRecords: "The second page has the records of the first."
    case .someSameRecords(let again, let all):
      "\(again) of \(SpecDrafter.counted(all)) of the second page are on the first one, too."
    case .otherFirstPage: "The first page by this pager is another one; perhaps the count begins elsewhere ('start')."
    case .noPlaceInBody: "The body has no such place: declare the variable in the query, and give it in 'variables'."
    case .invalidSpec: "The spec would not be valid."
    }
  }
}
