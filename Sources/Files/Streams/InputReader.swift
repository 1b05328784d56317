// Reads a descriptor in order, from a file, a pipe or a terminal.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads a file descriptor; one that it opened itself is closed with it.
package final class InputReader: Sendable {
  private let descriptor: Int32
  private let closes: Bool
  private let calls: SystemCalls

  /// Reads a descriptor that the caller owns.
  package init(descriptor: Int32, calls: SystemCalls = .system) {
    (self.descriptor, self.calls, closes) = (descriptor, calls, false)
  }

  /// Opens a file, or a pipe, whose writer is waited for.
  package init(path: String, calls: SystemCalls = .system) throws(SystemError) {
    descriptor = try calls.open(path, .input)
    (self.calls, closes) = (calls, true)
  }

  deinit {
    if closes { calls.close(descriptor) }
  }

  /// Offset in bytes of a regular file, so that it can be read again from there; nil for a pipe or the like.
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
