#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The machine's clock, which also runs while the machine is suspended, as a server's pause does.
package struct SystemClock: FetchClock {
  private static let start = ContinuousClock.now

  package init() {}

  package var now: Duration { Self.start.duration(to: .now) }
  package var unixTime: Double { Date().timeIntervalSince1970 }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(for: duration, clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}
