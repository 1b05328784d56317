import Testing

@testable import Engine

@Suite("Permits for pages")
struct ConcurrencyLimitTests {
  @Test("are as many as the job's concurrency, and come back")
  func permits() {
    let limit = ConcurrencyLimit(2)
    #expect(limit.acquire() && limit.acquire() && !limit.acquire() && !limit.hasRoom)
    limit.release()
    #expect(limit.hasRoom && limit.acquire() && !limit.acquire())
  }

  @Test("are owed by a stream that takes one anyway")
  func debt() {
    let limit = ConcurrencyLimit(1)
    limit.acquireAnyway()
    limit.acquireAnyway()
    limit.release()
    #expect(!limit.hasRoom && !limit.acquire())
    limit.release()
    #expect(limit.hasRoom)
  }

  @Test("of a cancelled page come back when it has ended, not before")
  func cancelled() async {
    let limit = ConcurrencyLimit(1)
    #expect(limit.acquire())
    let (pages, end) = AsyncStream.makeStream(of: Void.self)
    let page = Task { for await _ in pages {} }
    let released = limit.release(after: page)
    #expect(!limit.hasRoom)
    end.finish()
    await released.value
    #expect(limit.hasRoom)
  }

  @Test("of small pages that are whole are lent while a request waits, and only then")
  func lends() {
    let limit = ConcurrencyLimit(2)
    limit.acquireAnyway()
    limit.acquireAnyway()
    limit.lend()
    #expect(!limit.hasRoom && !limit.lends)
    limit.wait(true)
    #expect(limit.lends && limit.acquire() && !limit.hasRoom)
    limit.wait(false)
    #expect(!limit.hasRoom)
    limit.release(isLent: true)
    #expect(!limit.hasRoom, "the lent permit is still in use")
    limit.release()
    #expect(limit.hasRoom)
  }
}
