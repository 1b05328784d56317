// The limit for open files: raised as far as possible, and checked before a run that may need more files.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

enum OpenFiles {
  /// Least number of files that a run needs.
  ///
  /// With fewer files, libraries end the process in the middle of a run, without a message.
  private static let least: rlim_t = 16

  /// Number of files that one request may have open.
  ///
  /// These are its connection, idle connections, name lookup, the file of a download, and temporary files.
  private static let ofRequest: rlim_t = 8

  /// Reason why no command can run here; nil if one can.
  static var refusal: String? {
    guard most < least else { return nil }
    return "a process here may have \(most) files open, and \(least) are needed: see 'ulimit -n'"
  }

  /// Number of files that may be open, as far as the system tells.
  private static var most: rlim_t { limits?.rlim_cur ?? .max }

  /// Raises the soft limit to the hard limit.
  ///
  /// A shell sets a low soft limit (1,024, or 256 on macOS) for programs that can't use higher descriptors, and their
  /// child processes. This program starts none.
  static func allowMore() {
    guard var limits, limits.rlim_cur < limits.rlim_max else { return }
    limits.rlim_cur = limits.rlim_max
    guard !set(limits) else { return }
    // macOS reports no limit, but accepts no more than this (`OPEN_MAX`).
    limits.rlim_cur = max(most, min(limits.rlim_max, 10_240))
    _ = set(limits)
  }

  /// Returns the reason why this many requests can't be made at once; nil if they can.
  ///
  /// libdispatch opens files at any time, and ends the process if it can't. So the check must come before the first
  /// request.
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
