package import Testing

/// Runs a suite's tests a few at a time.
///
///     @Suite("Cases: one file each", .limitedConcurrency)
///
/// Swift Testing starts all tests at once. On a slow machine, a test then waits for minutes between two of its steps, which
/// is longer than servers and connections wait. The limit is for all suites with this trait together: those that start
/// servers or processes, and those whose tests compute for long. Each case of a parameterized test counts as one test.
package struct LimitedConcurrency: TestTrait, SuiteTrait, TestScoping {
  private static let permits = Permits(16)
  /// True inside a test that has its permit, so that a suite within a suite takes no second one.
  @TaskLocal private static var hasPermit = false

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil, !Self.hasPermit else { return try await function() }
    await Self.permits.acquire()
    defer { Self.permits.release() }
    try await Self.$hasPermit.withValue(true) { try await function() }
  }
}

extension Trait where Self == LimitedConcurrency {
  /// Runs at most 16 tests of all suites with this trait at once.
  package static var limitedConcurrency: Self { Self() }
}
