import Files
import FetchPlan
import JSONText
import Synchronization
import TestSupport
import Testing
import Unwrapping
import Wire

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@testable import Fetching
@testable import Engine

@Suite("Pages on a disk that is full", .limitedConcurrency, .timeLimit(.minutes(20)))
struct HeldPageTests {
  @Test("a page that can't be held is the disk's fault: it is not asked for again, and ends the run")
  func full() async {
    // In a process of its own, where no file may have a byte.
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      #else
        let resource = RLIMIT_FSIZE
      #endif
      try #require(setrlimit(resource, &limit) == 0)
      let server = try LoopbackServer { _ in .json("[1]") }
      let (rateLimiter, clock) = (RateLimiter(), VirtualClock(start: 0))
      let fetcher = PageFetcher(
        transport: CurlTransport(), retrier: Retrier(rateLimiter: rateLimiter, clock: clock),
        report: Report(warn: { _ in }, tell: { _, _ in }), secrets: SecretStore(), spool: { Spool(memoryLimit: 0) })
      let wants = PageWants(unwrapping: UnwrapOptions(content: []))
      var request = Request(method: "GET", url: Redactable(server.url("/n")))
      request.retry = RetryPolicy()
      do throws(NetworkingError) {
        _ = try await fetcher.fetch(request, number: 7, wants: wants)
        Issue.record("there is no fault")
      } catch {
        try #require(error.exitCode == .output && error.concernsAllRecords)
        let message = error.description
        try #require(message.hasPrefix("outputFailure: cannot write to '/"), "\(message)")
        try #require(message.hasSuffix("to hold page 7 of \(server.url("/n"))"), "\(message)")
      }
      try #require(server.requests.count == 1)
    }
  }
}
