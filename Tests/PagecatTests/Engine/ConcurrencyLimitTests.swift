import Testing

@testable import Engine

@Suite("Permits for pages")
struct ConcurrencyLimitTests {
  @Test("are as many as the job's concurrency, and come back")
  func permits() throws {
    let limit = ConcurrencyLimit(2)
    let first = try #require(limit.acquire())
    _ = try #require(limit.acquire())
    #expect(limit.acquire() == nil)
    #expect(!limit.hasRoom)
    first.release()
    #expect(limit.hasRoom)
    _ = try #require(limit.acquire())
    #expect(limit.acquire() == nil)
  }

  @Test("are owed by a stream that takes one anyway")
  func debt() {
    let limit = ConcurrencyLimit(1)
    let (first, second) = (limit.acquireAnyway(), limit.acquireAnyway())
    first.release()
    #expect(limit.acquire() == nil)
    second.release()
    #expect(limit.hasRoom)
  }

  @Test("of a cancelled page come back when it has ended, not before")
  func cancelled() async throws {
    let limit = ConcurrencyLimit(1)
    let permit = try #require(limit.acquire())
    let (pages, end) = AsyncStream.makeStream(of: Void.self)
    let page = Task { for await _ in pages {} }
    let released = permit.release(after: page)
    #expect(!limit.hasRoom)
    end.finish()
    await released.value
    #expect(limit.hasRoom)
  }

  @Test("of small pages that are whole are lent while a request waits, and only then")
  func lends() throws {
    let limit = ConcurrencyLimit(2)
    let first = limit.acquireAnyway()
    var second = limit.acquireAnyway()
    second.lend()
    #expect(!limit.hasRoom)
    #expect(!limit.lends)
    limit.wait(true)
    #expect(limit.lends)
    let third = try #require(limit.acquire())
    #expect(!limit.hasRoom)
    second.lend()
    #expect(!limit.hasRoom, "a permit is lent once")
    limit.wait(false)
    second.release()
    #expect(!limit.hasRoom, "the lent permit is still in use")
    first.release()
    #expect(limit.hasRoom)
    third.release()
    #expect(limit.hasRoom)
  }
}
