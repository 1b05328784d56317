import Dispatch
import Primitives
import Fetching
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Engine

@Suite("The thread that a command begins with", .limitedConcurrency, .timeLimit(.minutes(20)))
struct MainThreadExecutorTests {
  /// Does what it is given on the thread that runs it, until it is told to end.
  private final class Borrower: TaskExecutor {
    private let jobs = Locked<[UnownedJob]>([])
    private let count = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
      count.signal()
    }

    func end() { count.signal() }

    func run() {
      while true {
        count.wait()
        guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  private static let mark = "the thread that is lent"

  private static func started() -> MainThreadExecutor {
    let loop = MainThreadExecutor()
    Thread {
      Thread.current.threadDictionary[mark] = true
      loop.run()
    }.start()
    return loop
  }

  private static func isThere() -> Bool { Thread.current.threadDictionary[mark] != nil }

  @Test("it runs tasks, and what borrows it, and tasks again when that has ended")
  func lending() async {
    let loop = Self.started()
    #expect(await Task(executorPreference: loop) { Self.isThere() }.value)
    let borrower = Borrower()
    let ended = AsyncStream<Bool>.makeStream()
    let isLent = loop.lend(to: borrower) {
      borrower.run()
      loop.giveBack()
      ended.continuation.yield(Self.isThere())
      ended.continuation.finish()
    }
    #expect(isLent)
    #expect(!loop.lend(to: Borrower()) {})
    // The thread is taken, and still what wants to run there does.
    #expect(await Task(executorPreference: loop) { Self.isThere() }.value)
    borrower.end()
    for await wasThere in ended.stream { #expect(wasThere) }
    #expect(await Task(executorPreference: loop) { Self.isThere() }.value)
  }

  @Test("whoever lets go of the transfers gives the thread back, and tasks run there again")
  func givingBack() async throws {
    let loop = Self.started()
    do {
      let curl = CurlTransport(on: loop)
      let executor = try #require(curl.executor)
      #expect(await Task(executorPreference: executor) { Self.isThere() }.value)
    }
    while !loop.lend(to: Borrower(), for: {}) { await Task.yield() }
    loop.giveBack()
    #expect(await Task(executorPreference: loop) { Self.isThere() }.value)
  }

  @Test("transfers go on a thread that is lent, and on one of their own where it is taken")
  func transfers() async throws {
    let server = try LoopbackServer { _ in .json("[1]") }
    let loop = Self.started()
    let (first, second) = (CurlTransport(on: loop), CurlTransport(on: loop))
    for (curl, isLent) in [(first, true), (second, false)] {
      let executor = try #require(curl.executor)
      #expect(await Task(executorPreference: executor) { Self.isThere() }.value == isLent)
      let reply = try await curl.send(Request(method: "GET", url: Redactable(server.url("/"))))
      #expect(try await reply.body.next() == Array("[1]".utf8))
    }
  }
}
