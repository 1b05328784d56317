// Reads a descriptor in order, from a file, a pipe or a terminal.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads a file descriptor; a descriptor that the reader opened is closed with the reader.
package final class InputReader: Sendable {
  private let descriptor: Int32
  private let closes: Bool
  private let calls: SystemCalls

  /// Reads a descriptor that the caller owns.
  package init(descriptor: Int32, calls: SystemCalls = .system) {
    (self.descriptor, self.calls, closes) = (descriptor, calls, false)
  }

  /// Opens a file, or a pipe, and waits for the pipe's writer.
  package init(path: String, calls: SystemCalls = .system) throws(SystemError) {
    descriptor = try calls.open(path, .input)
    (self.calls, closes) = (calls, true)
  }

  deinit {
    if closes { calls.close(descriptor) }
  }

  /// Offset in bytes in a regular file, for a later read from there; nil for a pipe or the like.
  package var offset: Int? {
    guard (try? calls.factsOfOpen(descriptor))?.kind == .regular else { return nil }
    let offset = lseek(descriptor, 0, SEEK_CUR)
    return offset < 0 ? nil : Int(offset)
  }

  package func seek(to offset: Int) throws(SystemError) { try calls.seek(descriptor, offset) }

  /// Reads once into the buffer, and returns the number of bytes, 0 at the end.
  package func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    while true {
      do {
        return try calls.read(descriptor, &buffer)
      } catch .held {
        Readiness.wait(for: descriptor, .toRead)
      }
    }
  }
}

/// Waits for a descriptor that another process has made non-blocking; its mode is shared and must not change.
enum Readiness {
  case toRead, toWrite

  static func wait(for descriptor: Int32, _ readiness: Readiness) {
    var entry = pollfd(fd: descriptor, events: Int16(readiness == .toRead ? POLLIN : POLLOUT), revents: 0)
    _ = poll(&entry, 1, -1)
  }
}
