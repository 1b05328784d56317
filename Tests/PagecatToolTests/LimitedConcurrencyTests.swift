import Synchronization
import TestSupport
import Testing

/// The suite is within one that has the trait too: a test that took two permits would wait for ever.
@Suite("Tests that take permits", .limitedConcurrency, .timeLimit(.minutes(20)))
struct LimitedConcurrencyTests {
  @Suite(.limitedConcurrency) struct Within {
    private static let running = Atomic(0)

    @Test("run at most 16 at once, each case of a test for itself", arguments: 0..<64)
    func cases(number: Int) async {
      let count = Self.running.add(1, ordering: .relaxed).newValue
      #expect(count <= 16)
      // As long as all others need to begin, if they may.
      for _ in 0..<1_000 { await Task.yield() }
      Self.running.subtract(1, ordering: .relaxed)
    }
  }
}
