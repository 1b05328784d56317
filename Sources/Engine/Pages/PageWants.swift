import FetchPlan
import Fetching
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// The parts of a page that a job needs, and the meaning of its status and body.
struct PageWants: Sendable {
  /// The handling of the body.
  var unwrapping: UnwrapOptions
  /// True if an answer without content and with `errors` is an error, when the job has no `failure`.
  var isGraphQL = false
  /// Finds an error inside a page.
  var failure: Condition?
  /// Answers that mean that there are no records.
  var empty: Job.Empty?
  /// Holds for an answer that says "later".
  var later: Condition?
  /// Holds for an answer that refuses the token.
  var refused: Condition?
  /// Holds for an answer that says that the mark of the request is too old; nil for a request without a mark.
  var expired: Condition?
  /// Tells whether the server is done.
  var poll: Poll?
  /// Kinds of evidence that are meant.
  var ignored: Set<Sign> = []
  /// True if `empty` names the status 204, so that it ends a `poll`.
  var takesNoContent: Bool {
    empty?.alternatives.contains { $0.allSatisfy { $0.isAboutStatus && $0.statuses.contains(204) } } ?? false
  }

  /// True if the meaning of a success depends on the body beside the records.
  var readsAnswer: Bool {
    failure != nil || refused != nil || expired != nil || empty?.condition != nil || later != nil || poll?.until != nil
      || poll?.failure != nil
  }
}

extension Job {
  /// True if `set` adds members to fetched records.
  var setsInFetched: Bool { !set.isEmpty && endpoint != nil && download == nil }

  /// Paths that templates read in a page's last record.
  var lastPaths: [JSONPath] {
    (pages?.templates ?? []).flatMap(\.holes).filter { $0.root == .last }.map(\.path)
      + answerConditions.flatMap(\.lastPaths) + (pages?.kind == .auto ? ChosenPages.lastPaths : [])
  }
}

extension Pages {
  /// True if a page is compared with the pages before it.
  var comparesPages: Bool { kind != .single }
}

extension PageFacts {
  /// True if the status alone says that there are no records, as `empty` of the job says.
  func isAnsweredByNothing(_ job: Job) -> Bool {
    // Nothing is new, says a 304.
    guard !(200..<300).contains(status), status != 304, let empty = job.empty else { return false }
    return empty.alternatives.contains { $0.allSatisfy { $0.isAboutStatus && $0.holds(JSONValue(status)) } }
  }
}
