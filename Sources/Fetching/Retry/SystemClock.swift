import Files

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The machine's clock, which also runs while the machine is suspended, as a server's pause does.
///
/// Its time is the same in all processes of the machine.
package struct SystemClock: FetchClock {
  package init() {}

  package var now: Duration { BootClock.now }
  package var unixTime: Double { Date().timeIntervalSince1970 }

  package func sleep(for duration: Duration) async throws(CancellationError) {
    do {
      try await Task.sleep(for: duration, clock: .continuous)
    } catch {
      throw CancellationError()
    }
  }
}
