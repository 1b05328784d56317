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
  private struct State: Sendable {
    var choice: Choice?
    /// Number of streams that go by it.
    var takers = 0
  }

  private let state: Locked<State>

  /// - Parameter chosen: the pager that an earlier run has chosen, or the run that is resumed.
  init(_ plan: JobPlan, chosen: ChosenPages?) {
    self.plan = plan
    state = Locked(
      State(choice: chosen.flatMap { pages in plan.paging(by: pages).map { Choice(pages: pages, plan: $0) } }))
  }

  var choice: Choice? { state.withLock { $0.choice } }

  /// Takes another pager in place of the one that was chosen, while no other stream has taken that; nil otherwise.
  func replace(with pages: ChosenPages) -> Choice? {
    guard let plan = plan.paging(by: pages) else { return nil }
    return state.withLock { state in
      guard state.takers == 1 else { return nil }
      state.choice = Choice(pages: pages, plan: plan)
      return state.choice
    }
  }

  /// Returns the pager for a stream that begins; nil before one is chosen.
  func take() -> Choice? {
    state.withLock { state in
      if state.choice != nil { state.takers += 1 }
      return state.choice
    }
  }

  /// Chooses a pager, unless another stream has chosen one; nil if it is none.
  func choose(_ pages: ChosenPages) -> (choice: Choice, isNew: Bool)? {
    guard let plan = plan.paging(by: pages) else { return nil }
    return state.withLock { state in
      state.takers += 1
      if let choice = state.choice { return (choice, false) }
      let new = Choice(pages: pages, plan: plan)
      state.choice = new
      return (new, true)
    }
  }
}
