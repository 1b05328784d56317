import Testing

@testable import Engine

@Suite("Paths that several records want")
struct ReservedPathsTests {
  @Test("belong to the first record whose file is saved")
  func firstSaved() async throws {
    let paths = ReservedPaths()
    let (first, second) = (try #require(paths.reserve(1)), try #require(paths.reserve(1)))
    #expect(await first.wait())
    first.keep()
    #expect(await second.wait() == false)
    #expect(paths.reserve(1) == nil && paths.reserve(2) != nil)
  }

  @Test("are free again for the next record when the one before has failed")
  func failed() async throws {
    let paths = ReservedPaths()
    let (first, second) = (try #require(paths.reserve(1)), try #require(paths.reserve(1)))
    async let isSecond = second.wait()
    first.release()
    #expect(await isSecond)
    second.keep()
    #expect(paths.reserve(1) == nil)
  }

  @Test("pass over a record that gave up while the one before it was under way")
  func passedOver() async throws {
    let paths = ReservedPaths()
    let first = try #require(paths.reserve(1))
    let (second, third) = (try #require(paths.reserve(1)), try #require(paths.reserve(1)))
    second.release()
    async let isThird = third.wait()
    first.keep()
    #expect(await isThird == false)
  }

  @Test("are freed by a reservation that nobody holds any more")
  func letGo() async throws {
    let paths = ReservedPaths()
    var first = paths.reserve(1)
    let second = try #require(paths.reserve(1))
    #expect(first != nil)
    first = nil
    #expect(await second.wait())
  }

  @Test("of an interrupted run are taken")
  func resumed() {
    let paths = ReservedPaths(taken: [7])
    #expect(paths.reserve(7) == nil && paths.reserve(8) != nil)
  }
}
