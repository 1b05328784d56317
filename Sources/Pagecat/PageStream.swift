// One stream of pages: the loop in which a page's facts lead to the next request.

import Diagnostics
import FetchPlan
import JSONText
import PipelineSpec
import Unwrapping
import Wire

/// A job with what it needs to run: its plan, its way to the network, and the bound on its requests.
struct RunningJob: Sendable {
  let plan: JobPlan
  let shape: Shape?
  let fetcher: PageFetcher
  let gate: Gate
  let concurrency: Int
  /// Where the job's work is done; nil for the concurrency pool.
  let executor: (any TaskExecutor)?

  var name: String { plan.job.name }
  var report: Report { fetcher.report }
}

/// Fetches the pages of one stream, in order, as they are asked for.
///
/// Pages that don't depend on the ones before them are fetched ahead: from the second on, when the first was taken, and
/// at most `concurrency` of them at once, the one that is asked for included.
actor PageStream {
  private typealias Fetched = Result<(Page, PageFacts), NetworkingError>

  private let job: RunningJob
  private let record: JSONValue?
  private var pager: Pager?
  private var wants: PageWants?
  private var upcoming: Request?
  private var number = 0
  private var ahead: [Int: Task<Fetched, Never>] = [:]

  init(_ job: RunningJob, record: JSONValue?) {
    self.job = job
    self.record = record
  }

  deinit {
    for task in ahead.values { task.cancel() }
  }

  /// The next page, or nil after the last. A page that must not be written, because it shows that the pages go in
  /// circles, does not come out: the error comes instead.
  func next() async throws(NetworkingError) -> Page? {
    if number == 0 { try begin() }
    guard let request = upcoming, let wants else { return nil }
    number += 1
    upcoming = nil
    if number > 1 { lookAhead() }
    let (page, facts) = try await fetch(request, wants)
    try turn(after: facts)
    if facts.status != wants.endStatus { job.report.count { $0.pages += 1 } }
    return page
  }

  private func begin() throws(NetworkingError) {
    do {
      let request = try job.plan.request(for: record)
      pager = job.plan.pager(first: request, record: record)
      upcoming = request
      wants = PageWants(
        content: try job.plan.content(for: record), captures: job.plan.captures, shape: job.shape,
        hash: job.plan.job.pages?.comparesPages ?? false, last: job.plan.job.pages?.readsLast ?? false,
        objects: job.plan.job.setsInFetched,
        endStatus: job.plan.job.pages?.endStatus)
    } catch {
      throw NetworkingError(error, hiding: job.fetcher.secrets)
    }
  }

  private func fetch(_ request: Request, _ wants: PageWants) async throws(NetworkingError) -> (Page, PageFacts) {
    if let task = ahead.removeValue(forKey: number) {
      return try await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }.get()
    }
    let (job, number) = (job, number)
    return try await job.gate.pass { () async throws(NetworkingError) in
      try await job.fetcher.fetch(request, number: number, wants: wants)
    }
  }

  /// Starts the requests that fit into the window and are not under way.
  private func lookAhead() {
    guard job.concurrency > 1, let pager, let wants else { return }
    for page in number..<(number + job.concurrency) where ahead[page] == nil {
      guard let request = pager.request(ofPage: page) else { return }
      ahead[page] = Task(executorPreference: job.executor) { [job] in
        do throws(NetworkingError) {
          return .success(
            try await job.gate.pass { () async throws(NetworkingError) in
              try await job.fetcher.fetch(request, number: page, wants: wants)
            })
        } catch {
          return .failure(error)
        }
      }
    }
  }

  private func turn(after facts: PageFacts) throws(NetworkingError) {
    do {
      let step = try pager?.next(after: facts)
      if facts.number == 1 { lookForMore(facts) }
      switch step {
      case .next(let request): upcoming = request
      case .end(let end): finish(end)
      case nil: break
      }
    } catch {
      let secrets = job.fetcher.secrets
      throw .paginationLoop(
        url: secrets.masking(error.url.shown), page: error.page, reason: secrets.masking(error.problem).printable)
    }
  }

  /// A response that says that there is more, where the job would not see it, is told once a job.
  private func lookForMore(_ facts: PageFacts) {
    if let sign = job.plan.signOfMore(in: facts, missing: pager?.missingOnFirstPage ?? []) {
      job.report.warnOfMore("\(job.name): \(sign)", job: job.name)
    }
  }

  private func finish(_ end: Pager.End) {
    switch end {
    case .single, .complete: break
    case .capped(let limit): job.report.cap("\(job.name): limit of \(limit) page\(limit == 1 ? "" : "s")")
    case .short(let reason): job.report.short("\(job.name): \(reason)")
    }
    stop()
  }

  /// Gives up what was fetched ahead.
  func stop() {
    for task in ahead.values { task.cancel() }
    ahead = [:]
    upcoming = nil
  }
}

extension NetworkingError {
  init(_ fault: ParameterFault, hiding secrets: Secrets) {
    self = .invalidParameter(
      template: fault.template, place: fault.place, reason: secrets.masking(fault.problem).printable)
  }
}

extension Job {
  /// Whether `set` adds members to the fetched records themselves.
  var setsInFetched: Bool { !set.isEmpty && attach == nil && match.isEmpty }
}

extension Pages {
  /// Whether a page is compared with the one before it: only pagers by number could get the same one again unnoticed.
  var comparesPages: Bool {
    if case .number = kind { !repeats } else { false }
  }

  /// Whether a template reads the page's last record.
  var readsLast: Bool { templates.contains { $0.names(.last) } }

  /// A status that ends the pages without being an error.
  var endStatus: Int? {
    if case .status(let status) = until { status } else { nil }
  }
}
