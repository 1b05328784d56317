// The memory that the process may have, and its use.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

enum Memory {
  /// Makes all threads share one heap where the memory of the process is limited.
  ///
  /// A separate heap takes 64 MB of addresses. If one thread takes the last addresses, none are left for the stacks and
  /// pages of other threads: one run in a hundred crashed in this way.
  static func shareHeap() {
    #if canImport(Glibc)
      var limit = rlimit()
      let addresses = __rlimit_resource_t(RLIMIT_AS.rawValue)
      guard getrlimit(addresses, &limit) == 0, limit.rlim_cur < mostLimited else { return }
      let mostHeaps: CInt = -8
      _ = mallopt(mostHeaps, 1)
    #endif
  }

  /// Keeps freed buffers in the process, since a run allocates thousands of buffers for pages.
  ///
  /// Otherwise each buffer would cost a page fault for every 4 KB of a response: a third of a run's time. The size is
  /// bounded by the memory that a run needs at one time.
  static func keepFreed() {
    #if canImport(Glibc)
      let (trimThreshold, mmapThreshold): (CInt, CInt) = (-1, -3)
      _ = mallopt(trimThreshold, 32 << 20)
      _ = mallopt(mmapThreshold, 32 << 20)
    #endif
  }

  /// Above this limit, there is room for several heaps.
  private static let mostLimited: rlim_t = 4 << 30
}

#if canImport(Glibc)
  /// mallopt(3), which is missing in Swift's module of the C library.
  @_silgen_name("mallopt") private func mallopt(_ parameter: CInt, _ value: CInt) -> CInt
#endif
