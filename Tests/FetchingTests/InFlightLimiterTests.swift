import Primitives
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("Requests over an origin's limit wait in order")
struct InFlightLimiterTests {
  private let limiter = InFlightLimiter()
  private let url = Redactable("https://h/a?b")

  /// Leaves one request in flight, and no room for another one.
  private func fill() {
    for _ in 0..<2 { #expect(limiter.enterNow(url, now: .zero)) }
    limiter.refuse(url, attempt: 1, pause: .milliseconds(250), now: .zero)
  }

  @Test(
    "an origin is the URL up to its path",
    arguments: [
      ("https://h/b", true), ("https://h", true), ("https://h?b", true), ("http://h/a", false), ("https://i/a", false),
      ("https://h:8443/a", false),
    ])
  func origins(url: String, isSame: Bool) {
    fill()
    #expect(limiter.enterNow(Redactable(url), now: .zero) == !isSame)
  }

  @Test("those that wait go one after the other, in order; whoever comes later waits, too")
  func order() async {
    fill()
    let order = Watched<[Int]>([])
    var tasks: [Task<Void, Never>] = []
    for number in 0..<3 {
      tasks.append(
        Task {
          let hasEntered = await limiter.enter(url, now: .zero)
          order.update { $0.append(hasEntered ? number : -1) }
        })
      while limiter.waitingCount(url) <= number { await Task.yield() }
    }
    for count in 1...3 {
      #expect(!limiter.enterNow(url, now: .zero))
      limiter.leave(url, attempt: 1, now: .zero)
      await order.when { $0.count == count }
    }
    for task in tasks { await task.value }
    #expect(order.value == [0, 1, 2])
  }

  @Test("after a 503, a further attempt takes the place of a request that ends; a first attempt does not wait")
  func places() async {
    for _ in 0..<4 { #expect(limiter.enterNow(url, now: .zero)) }
    #expect(limiter.enterNow(url, attempt: 2, now: .zero), "no 503 yet")
    limiter.refuse(url, attempt: 1, pause: nil, now: .zero)
    #expect(limiter.limit(of: url).most == nil && !limiter.enterNow(url, attempt: 2, now: .zero))
    let order = Watched<[Int]>([])
    let tasks = [2, 3].map { attempt in
      Task {
        _ = await limiter.enter(url, attempt: attempt, now: .zero)
        order.update { $0.append(attempt) }
      }
    }
    while limiter.waitingCount(url) < 2 { await Task.yield() }
    #expect(limiter.enterNow(url, now: .zero), "a first attempt")
    for count in 1...2 {
      limiter.leave(url, attempt: 1, now: .zero)
      await order.when { $0.count == count }
      #expect(limiter.waitingCount(url) == 2 - count && limiter.limit(of: url).inFlight == 5)
    }
    for task in tasks { await task.value }
    for _ in 0..<5 { limiter.leave(url, attempt: 1, now: .zero) }
    #expect(limiter.enterNow(url, attempt: 2, now: .zero), "nothing is in flight")
  }

  @Test("where no request ends, one more is let in each second; where one ends, the next at once")
  func stuck() async {
    fill()
    let count = Watched(0)
    let tasks = (0..<3).map { _ in
      Task {
        _ = await limiter.enter(url, now: .zero)
        count.update { $0 += 1 }
      }
    }
    while limiter.waitingCount(url) < 3 { await Task.yield() }
    for (time, waiting) in [(999, 3), (1_000, 2), (1_500, 2), (1_999, 2), (2_000, 1)] {
      limiter.admitIfStuck(url, now: .milliseconds(time))
      #expect(limiter.waitingCount(url) == waiting, "\(time) ms")
    }
    limiter.leave(url, now: .milliseconds(2_900))
    #expect(limiter.waitingCount(url) == 0)
    await count.when { $0 == 3 }
    for task in tasks { await task.value }
  }

  @Test("a task that is cancelled waits no longer, and takes no room")
  func cancels() async {
    fill()
    let task = Task { await limiter.enter(url, now: .zero) }
    while limiter.waitingCount(url) < 1 { await Task.yield() }
    task.cancel()
    #expect(await task.value == false)
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return await limiter.enter(url, now: .zero)
    }
    late.cancel()
    #expect(await late.value == false)
    limiter.leave(url, now: .zero)
    #expect(limiter.enterNow(url, now: .zero))
  }
}
