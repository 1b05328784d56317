#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The time since the machine's start, which is the same in all processes of the machine.
///
/// It also runs while the machine is suspended, as a server's pause does. No change of the wall clock moves it.
package enum BootClock {
  package static var now: Duration {
    #if canImport(Darwin)
      return .nanoseconds(Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)))
    #else
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    #endif
  }

  /// Returns a name of the time since the last start; times of another start can't be compared with `now`.
  package static func identity(calls: SystemCalls = .system) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    #if canImport(Darwin)
      var count = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else {
        throw FileError("read", "kern.bootsessionuuid", SystemError(code: errno))
      }
    #else
      let path = "/proc/sys/kernel/random/boot_id"
      let count = try Descriptor(path: path, .reading, calls: calls).read(into: &bytes)
    #endif
    return Array(bytes[..<count])
  }
}
