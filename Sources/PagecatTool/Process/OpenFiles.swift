// The limits of this process: the number of its open files, raised as far as possible and checked before a run that may
// need more; and where it may write.

import CProcess
import Engine
import Files
import PipelineSpec
import Primitives

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

// The memory that the process may have, and its use.

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

/// Where this process may write from some moment on: the folders of its outputs, and the folder for temporary files.
///
/// What a mistake or an attacker makes of a run can then not write anywhere else. It is a second wall: names of files are
/// checked where they are made. Only Linux has it.
enum WriteLimits {
  /// Limits writing to the folders of some paths, and to these paths themselves.
  ///
  /// It must come before the first thread that may write. A run in another program than this one is not limited.
  ///
  /// - Parameters:
  ///   - paths: files to be written, and folders with their last slash.
  static func begin(_ paths: [String], _ streams: Streams) {
    guard streams.thread != nil else { return }
    // As a `Spool` does.
    let temporary = streams.environment["TMPDIR"].flatMap { access($0, W_OK) == 0 ? $0 : nil } ?? "/tmp"
    begin(paths + [temporary + "/"])
  }

  private static func begin(_ paths: [String]) {
    let limits = cprocess_write_limits()
    guard limits >= 0 else { return }
    defer { close(limits) }
    let allowed = paths.flatMap { path in
      path.hasSuffix("/") ? [existing(path)] : [existing(OutputPath(path).folder), path]
    }
    // A path that can't be allowed would make a good run fail: then nothing is limited.
    guard allowed.allSatisfy({ cprocess_write_limits_allow(limits, $0) }) else { return }
    _ = cprocess_write_limits_begin(limits)
  }

  /// Returns the folder, or the nearest one above it that exists: a run makes the others.
  private static func existing(_ folder: String) -> String {
    var folder = folder
    while (try? OutputPath.metadata(of: folder, calls: .system)) == nil {
      let above = OutputPath(folder).folder
      guard above != folder else { return folder }
      folder = above
    }
    return folder
  }
}
