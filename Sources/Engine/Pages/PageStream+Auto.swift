// `pages: auto`: a stream's first page chooses the pager, unless another stream of the job has chosen it.

import Diagnostics
import FetchPlan
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Wire

extension PageStream {
  /// Chooses the pager by the first page; returns the page with the values that the pager reads.
  func choosePages(after pageFacts: PageFacts) async throws(NetworkingError) -> PageFacts {
    guard pageFacts.number == 1, let auto = job.autoPager, let first else { return pageFacts }
    var look = auto.plan.pager(first: first, record: record, secrets: secrets)
    do throws(PagingError) {
      try look.next(after: pageFacts)
    } catch {
      throw NetworkingError(error, hiding: secrets)
    }
    let found = auto.plan.autoPages(after: pageFacts, look, record: record, hiding: secrets)
    if job.plan.isChosen, let choice = auto.choice {
      return compare(choice.pages, found, pageFacts, first)
    }
    switch found {
    case .chosen(let way): return adopt(way.chosen, way.others, found, pageFacts, first)
    case .counted(let way, let numbered):
      let chosen = try await count(way.chosen, numbered, pageFacts)
      return adopt(chosen, [], found, pageFacts, first)
    case .one: job.report.countLonePage(nil, of: job)
    case .unknown(let reason, let lines):
      guard record != nil else { throw undecidable(pageFacts, reason, lines) }
      isUndecided = true
      job.report.countLonePage(secrets.redacting(reason).printable, of: job)
    }
    return pageFacts
  }

  private var secrets: SecretStore { job.fetcher.secrets }

  /// Takes a pager, or the one that another stream has taken meanwhile.
  private func adopt(
    _ pages: ChosenPages, _ others: [ChosenPages], _ found: AutoPages, _ pageFacts: PageFacts, _ first: Request
  ) -> PageFacts {
    guard let (choice, isNew) = job.autoPager?.choose(pages) else { return pageFacts }
    if isNew {
      job.report.choose(pages, of: job)
      trial = PagesTrial(pages, others: others, firstPage: pageFacts)
    }
    take(choice.plan, first)
    return isNew ? choice.plan.reading(pageFacts) : compare(choice.pages, found, pageFacts, first)
  }

  /// Takes the pager by another name of its item, if the second page shows that the name is not right.
  ///
  /// Returns the first page, after which the stream goes on; nil if no other name is left.
  func takeOther(after error: NetworkingError) -> PageFacts? {
    if number == 2, trial?.fault == nil { trial?.fault = error }
    guard number == 2, var trial, let pages = trial.others.first, let first, error.mayComeOfName,
      let choice = job.autoPager?.replace(with: pages)
    else {
      // The name that was taken first is the likeliest.
      if number == 2, var trial {
        trial.pages = trial.first
        tell(trial)
      }
      return nil
    }
    trial.others.removeFirst()
    trial.pages = pages
    self.trial = trial
    job.report.choose(pages, of: job)
    take(choice.plan, first)
    return choice.plan.reading(trial.firstPage)
  }

  /// Prints the line that was taken, once the second page has come.
  func tell(_ trial: PagesTrial) {
    job.report.tellChoice("\(job.name): 'pages: auto' takes '\(secrets.redacting(trial.pages.line).printable)'")
    self.trial = nil
  }

  /// Goes on by another plan of the job, after its first page.
  private func take(_ plan: JobPlan, _ first: Request) {
    job.plan = plan
    number = 1
    pager = plan.pager(first: first, record: record, secrets: job.fetcher.secrets)
    if let new = try? pageWants() { wants = new }
  }

  /// Raises evidence if the page has another sign than the one by which the pager was chosen.
  private func compare(
    _ chosen: ChosenPages, _ found: AutoPages, _ pageFacts: PageFacts, _ first: Request
  ) -> PageFacts {
    if let evidence = job.plan.otherSign(
      than: chosen, found, after: pageFacts, first, record: record, hiding: secrets)
    {
      raise(evidence)
    }
    return job.plan.reading(pageFacts)
  }

  /// Finds out from where on the server counts the pages: the first page is that with 1, or the one before it.
  private func count(
    _ chosen: ChosenPages, _ numbered: Request, _ pageFacts: PageFacts
  ) async throws(NetworkingError) -> ChosenPages {
    guard let wants else { return chosen }
    let one: PageFacts
    do {
      one = try await job.fetcher.fetch(numbered, number: 1, wants: wants).1
    } catch {
      throw error.noting(
        "'pages: auto' asked so to see from where on the server counts the pages; write 'pages' in its place")
    }
    if one.body.contentHash == pageFacts.body.contentHash { return chosen }
    guard let records = one.body.records, let others = pageFacts.body.records, one.body.recordCount > 0,
      records.shared(with: others, mayBeEqual: false) == 0
    else {
      let reason =
        "it has a sign of more, and the page with 1 in '\(chosen.value)' is neither this page nor another one"
      throw undecidable(pageFacts, reason, ["pages: one", chosen.line])
    }
    return chosen.with(first: 0)
  }

  /// Returns the error of a page that leaves open how the pages go on.
  func undecidable(_ pageFacts: PageFacts, _ reason: String, _ lines: [String]) -> NetworkingError {
    let shown = lines.map { "\n    \(secrets.redacting($0).printable)" }.joined()
    return .invalidPage(
      url: secrets.redacting(pageFacts.url.redacted).printable, page: pageFacts.number,
      reason:
        "'pages: auto' can't tell how the pages go on: \(secrets.redacting(reason).printable); write in the step one of\(shown)"
    )
  }
}

/// A pager that a stream has chosen, before its second page shows whether it is right.
struct PagesTrial: Sendable {
  let first: ChosenPages
  var pages: ChosenPages
  /// Pagers to try if it is not.
  var others: [ChosenPages]
  let firstPage: PageFacts
  /// The error by the first of them.
  var fault: NetworkingError?

  init(_ pages: ChosenPages, others: [ChosenPages], firstPage: PageFacts) {
    (first, self.pages, self.others, self.firstPage) = (pages, pages, others, firstPage)
  }
}

extension NetworkingError {
  /// True if a server that does not know the name of an item may answer so, or a recording without the request.
  fileprivate var mayComeOfName: Bool {
    if case .transportFailure = self { return true }
    return mayConcernPosition
  }
}

extension Pager {
  /// Returns the reason why the second page shows that a chosen pager is wrong; nil if it may be right.
  func doubtOfChoice(_ page: PageFacts) -> String? {
    if repeatedOnSecond > 0 {
      return "\(repeatedOnSecond) of the \(page.body.recordCount) records of page 2 are those of page 1"
    }
    return page.body.recordCount == 0 && isGuess ? "page 1 has a sign of more, and page 2 is empty" : nil
  }
}

// MARK: `pages: auto`: one decision for all streams of a job

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
