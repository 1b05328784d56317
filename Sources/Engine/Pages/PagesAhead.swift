// The pages of a stream that are fetched ahead. The job's limit on pages at once holds for them, too.

import Files
import Primitives
import Synchronization
import Unwrapping
import Wire

/// The pages of a stream that are fetched before they are wanted; each has a permit of the job's `ConcurrencyLimit`.
struct PagesAhead {
  typealias Fetched = Result<(Page, PageFacts), NetworkingError>

  private struct PageAhead {
    let request: Request
    let task: Task<Fetched, Never>
    let outcome: Outcome
    var permit: ConcurrencyLimit.Permit
  }

  /// What is known of a page that is whole.
  private final class Outcome: Sendable {
    let isSmall = Atomic(false)
    /// True if the page has no records, or failed: probably none follows.
    let isLast = Atomic(false)
  }

  private let job: JobContext
  private var pages: [Int: PageAhead] = [:]
  /// Cancelled pages that may still be in progress.
  private var cancelled: [Task<Void, Never>] = []

  init(of job: JobContext) {
    self.job = job
  }

  /// Takes a page, and releases its permit; nil if it was not fetched ahead.
  ///
  /// If it was fetched by another request than this one, all pages are the wrong ones, and are cancelled.
  mutating func take(_ number: Int, by request: Request) -> Task<Fetched, Never>? {
    guard let page = pages[number] else { return nil }
    guard page.request == request else {
      cancel()
      return nil
    }
    pages[number] = nil
    page.permit.release()
    return page.task
  }

  /// Starts to fetch the pages after a page, as many as there are permits.
  ///
  /// - Parameters:
  ///   - request: returns the request of a page; nil if it depends on the page before it.
  ///   - goOn: called after a page while permits are lent, so that this method can be called again.
  mutating func fetch(
    after number: Int, _ wants: PageWants, request: (Int) -> Request?, goOn: @escaping @Sendable () async -> Void
  ) {
    let lends = job.concurrencyLimit.lends
    if lends { lend() }
    let last = pages.lazy.filter { $0.value.outcome.isLast.load(ordering: .relaxed) }.map(\.key).min() ?? .max
    let end = min(number + job.concurrency + (lends ? ConcurrencyLimit.mostLent : 0), last)
    guard number + 1 < end else { return }
    for page in (number + 1)..<end where pages[page] == nil {
      guard let request = request(page), let permit = job.concurrencyLimit.acquire() else { return }
      pages[page] = start(request, page, permit, wants, goOn)
    }
  }

  private func start(
    _ request: Request, _ number: Int, _ permit: ConcurrencyLimit.Permit, _ wants: PageWants,
    _ goOn: @escaping @Sendable () async -> Void
  ) -> PageAhead {
    let outcome = Outcome()
    return PageAhead(
      request: request,
      task: Task(executorPreference: job.executor) { [job] in
        let result: Fetched
        do throws(NetworkingError) {
          result = .success(try await job.fetcher.fetch(request, number: number, wants: wants))
        } catch {
          result = .failure(error)
        }
        outcome.isSmall.store(result.isSmall, ordering: .relaxed)
        outcome.isLast.store(result.isLast, ordering: .relaxed)
        if job.concurrencyLimit.lends { await goOn() }
        return result
      }, outcome: outcome, permit: permit)
  }

  /// Lends the permits of the small pages that are whole.
  private mutating func lend() {
    for (number, page) in pages where page.outcome.isSmall.load(ordering: .relaxed) { pages[number]?.permit.lend() }
  }

  /// Cancels all pages.
  mutating func cancel() {
    for page in pages.values {
      page.task.cancel()
      cancelled.append(page.permit.release(after: page.task))
    }
    pages = [:]
  }

  /// Takes the tasks that end when no work for the cancelled pages is in progress.
  mutating func takeCancelled() -> [Task<Void, Never>] {
    defer { cancelled = [] }
    return cancelled
  }
}

extension Result<(Page, PageFacts), NetworkingError> {
  fileprivate var isSmall: Bool {
    switch self {
    case .success((let page, _)): page.lines.count <= ConcurrencyLimit.smallPage
    case .failure: true
    }
  }

  fileprivate var isLast: Bool {
    if case .success((_, let pageFacts)) = self { pageFacts.body.recordCount == 0 } else { true }
  }
}

// The limit on a job's concurrent work: requests in flight, and fetched pages that wait for output.

/// Permits for pages, as many as the job's `concurrency`.
///
/// Each stream of pages holds one for its current page, and one for each page that it fetches ahead. So this limits the
/// pages in memory, and the pages that a resumed run must fetch again.
///
/// An overloaded origin asks single requests to wait. Output is in order, so that the wait of one would soon stop all
/// others. Meanwhile, small pages that are whole give their permits to further ones.
final class ConcurrencyLimit: Sendable {
  /// Permission to fetch a page, or the first page of a record, and to hold it.
  struct Permit: Sendable {
    fileprivate let limit: ConcurrencyLimit
    /// True if others may have it while a request waits: its page is small, and whole.
    private(set) var isLent = false

    fileprivate init(_ limit: ConcurrencyLimit) { self.limit = limit }

    mutating func lend() {
      if !isLent { limit.state.withLock { $0.smallCount += 1 } }
      isLent = true
    }

    func release() {
      limit.state.withLock { state in
        state.free += 1
        if isLent { state.smallCount -= 1 }
      }
    }

    /// Releases the permit when the work for a cancelled page has ended.
    func release(after task: Task<some Sendable, Never>) -> Task<Void, Never> {
      Task {
        _ = await task.value
        release()
      }
    }
  }

  /// Number of pages that give their permits to others during the wait of a request.
  ///
  /// An origin that answers 200 requests a second goes on for a second.
  static let mostLent = 256
  /// Most bytes of such a page.
  static let smallPage = 64 << 10

  private struct State {
    var free: Int
    /// Number of small pages that are whole.
    var smallCount = 0
    /// Number of requests that wait because their origin is overloaded.
    var waitingCount = 0

    /// Number of permits that are free, with those that are lent.
    var room: Int { free + (waitingCount > 0 ? min(smallCount, ConcurrencyLimit.mostLent) : 0) }
  }

  private let state: Locked<State>
  private let onWait = Locked<(@Sendable () -> Void)?>(nil)

  init(_ width: Int) {
    state = Locked(State(free: width))
  }

  var hasRoom: Bool { state.withLock { $0.room > 0 } }

  /// True while a request waits because its origin is overloaded.
  var lends: Bool { state.withLock { $0.waitingCount > 0 } }

  /// Takes a permit if there is one.
  func acquire() -> Permit? {
    state.withLock { state in
      guard state.room > 0 else { return nil }
      state.free -= 1
      return Permit(self)
    }
  }

  /// Takes a permit even if none is free.
  ///
  /// A stream must make progress even while a cancelled page still holds its permit.
  @discardableResult
  func acquireAnyway() -> Permit {
    state.withLock { $0.free -= 1 }
    return Permit(self)
  }

  /// Notes that a request begins to wait because its origin is overloaded, or that it has waited.
  func wait(_ begins: Bool) {
    state.withLock { $0.waitingCount += begins ? 1 : -1 }
    if begins { onWait.withLock { $0 }?() }
  }

  /// Sets what is called when a request begins to wait: there may be room for others.
  func whenWaiting(_ call: @escaping @Sendable () -> Void) {
    onWait.withLock { $0 = call }
  }
}
