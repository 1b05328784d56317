// `pages: auto`: one decision for all streams of a job.

import FetchPlan
import JSONText
import PipelineSpec
import Primitives
import Synchronization

/// The pager of a job with `pages: auto`, chosen by the first answer with a sign of more; the job's streams share it.
final class AutoPager: Sendable {
  struct Choice: Sendable {
    let pages: ChosenPages
    let plan: JobPlan
  }

  /// The plan without the pager, which makes the requests of first pages.
  let plan: JobPlan
  private let state: Locked<Choice?>

  /// - Parameter chosen: the pager that an earlier run has chosen, or the run that is resumed.
  init(_ plan: JobPlan, chosen: ChosenPages?) {
    self.plan = plan
    state = Locked(chosen.flatMap { pages in plan.paging(by: pages).map { Choice(pages: pages, plan: $0) } })
  }

  var choice: Choice? { state.withLock { $0 } }

  /// Chooses a pager, unless another stream has chosen one; nil if it is none.
  func choose(_ pages: ChosenPages) -> (choice: Choice, isNew: Bool)? {
    guard let plan = plan.paging(by: pages) else { return nil }
    return state.withLock { choice in
      if let choice { return (choice, false) }
      let new = Choice(pages: pages, plan: plan)
      choice = new
      return (new, true)
    }
  }
}
