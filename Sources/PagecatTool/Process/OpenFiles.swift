// How many files the process may have open: as many as it is let, and no run begins that may need more.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

enum OpenFiles {
  /// Of what a run opens. With fewer, libraries end the process in the middle of it, without a word.
  private static let least: rlim_t = 16

  /// What one request may have open: its connection and those kept for the next ones, what its name is looked up with,
  /// the file that it is saved to, what is too large for memory.
  private static let ofRequest: rlim_t = 8

  /// Why no command can run here; nil when one can.
  static var refusal: String? {
    guard most < least else { return nil }
    return "a process here may have \(most) files open, and \(least) are needed: see 'ulimit -n'"
  }

  /// How many there may be, as far as the system says it.
  private static var most: rlim_t { limits?.rlim_cur ?? .max }

  /// The limit that a shell begins with (1,024, or 256 on macOS) is one that a process may raise itself. It is that low for
  /// programs that can't count further, and for those that they start: this one starts none.
  static func allowMore() {
    guard var limits, limits.rlim_cur < limits.rlim_max else { return }
    limits.rlim_cur = limits.rlim_max
    guard !set(limits) else { return }
    // macOS says that there is no limit, and takes no more than this (`OPEN_MAX`).
    limits.rlim_cur = max(most, min(limits.rlim_max, 10_240))
    _ = set(limits)
  }

  /// Why so many requests can't be made at once; nil when they can. What waits for us (libdispatch) opens files when it
  /// likes, and ends the process where there are none left: so that there are must be certain before the first request.
  static func refusal(ofRequests count: Int) -> String? {
    let needed = least + rlim_t(count) * ofRequest
    guard most < needed else { return nil }
    return "a process here may have \(most) files open, and \(count) requests at once may need \(needed): "
      + "see 'ulimit -n', or give a lower 'concurrency'"
  }

  #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let resource = RLIMIT_NOFILE
  #endif

  private static var limits: rlimit? {
    var limits = rlimit()
    return getrlimit(resource, &limits) == 0 ? limits : nil
  }

  private static func set(_ limits: rlimit) -> Bool {
    var limits = limits
    return setrlimit(resource, &limits) == 0
  }
}
