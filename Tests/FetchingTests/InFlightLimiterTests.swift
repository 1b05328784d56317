import Primitives
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("Requests over an origin's limit wait in order")
struct InFlightLimiterTests {
  private let limiter = InFlightLimiter()
  private let key = InFlightLimiter.Key(Redactable("https://h/a?b"))

  /// Leaves one request in flight, and no room for another one.
  private func fill() {
    for _ in 0..<2 { #expect(limiter.enterNow(key, now: .zero)) }
    limiter.refuse(key, attempt: 1, pause: .seconds(1), now: .zero)
  }

  @Test(
    "an origin is the URL up to its path",
    arguments: [
      ("https://h/b", true), ("https://h", true), ("https://h?b", true), ("http://h/a", false), ("https://i/a", false),
      ("https://h:8443/a", false),
    ])
  func origins(url: String, isSame: Bool) {
    fill()
    #expect(limiter.enterNow(InFlightLimiter.Key(Redactable(url)), now: .zero) == !isSame)
  }

  @Test("those that wait go one after the other, in order; whoever comes later waits, too")
  func order() async {
    fill()
    let order = Watched<[Int]>([])
    var tasks: [Task<Void, Never>] = []
    for number in 0..<3 {
      tasks.append(
        Task {
          let hasEntered = await limiter.enter(key, now: .zero)
          order.update { $0.append(hasEntered ? number : -1) }
        })
      while limiter.waitingCount(key) <= number { await Task.yield() }
    }
    for count in 1...3 {
      #expect(!limiter.enterNow(key, now: .zero))
      limiter.leave(key, attempt: 1, now: .zero)
      await order.when { $0.count == count }
    }
    for task in tasks { await task.value }
    #expect(order.value == [0, 1, 2])
  }

  @Test("a task that is cancelled waits no longer, and takes no room")
  func cancels() async {
    fill()
    let task = Task { await limiter.enter(key, now: .zero) }
    while limiter.waitingCount(key) < 1 { await Task.yield() }
    task.cancel()
    #expect(await task.value == false)
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return await limiter.enter(key, now: .zero)
    }
    late.cancel()
    #expect(await late.value == false)
    limiter.leave(key, now: .zero)
    #expect(limiter.enterNow(key, now: .zero))
  }
}
