#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Waits for a descriptor that another process has made non-blocking; its mode is shared and must not change.
enum Readiness {
  case toRead, toWrite

  static func wait(for descriptor: Int32, _ readiness: Readiness) {
    var entry = pollfd(fd: descriptor, events: Int16(readiness == .toRead ? POLLIN : POLLOUT), revents: 0)
    _ = poll(&entry, 1, -1)
  }
}
