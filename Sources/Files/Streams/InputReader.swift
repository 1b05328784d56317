// Reads a descriptor in order, from a file, a pipe or a terminal.

import Primitives
import Synchronization

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
  /// What the reader has opened; nil for a descriptor of the caller.
  private let opened: FileMetadata?
  /// Whether a pipe has had a writer.
  private let hasWriter = Locked(false)

  /// Reads a descriptor that the caller owns.
  package init(descriptor: Int32, calls: SystemCalls = .system) {
    (self.descriptor, self.calls, closes, opened) = (descriptor, calls, false, nil)
  }

  /// Opens a file or a pipe, or a device if it is `/dev/null` or standard input.
  package init(path: String, calls: SystemCalls = .system) throws(SystemError) {
    let descriptor = try calls.open(path, .input)
    (self.descriptor, self.calls, closes) = (descriptor, calls, true)
    opened = try? calls.metadataOfOpen(descriptor)
    guard opened?.special == .device else { return }
    let allowed = [try? calls.metadataOfOpen(0), try? calls.metadata("/dev/null")]
    // The reader closes the descriptor.
    guard allowed.contains(where: { $0?.identity == opened?.identity }) else { throw .noEnd }
  }

  deinit {
    if closes { calls.close(descriptor) }
  }

  /// Offset in bytes in a regular file, for a later read from there; nil for a pipe or the like.
  package var offset: Int? {
    guard (try? calls.metadataOfOpen(descriptor))?.kind == .regular else { return nil }
    let offset = lseek(descriptor, 0, SEEK_CUR)
    return offset < 0 ? nil : Int(offset)
  }

  package func seek(to offset: Int) throws(SystemError) { try calls.seek(descriptor, offset) }

  /// Reads once into the buffer, and returns the number of bytes, 0 at the end.
  package func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
    var tries = 0
    while true {
      do throws(SystemError) {
        var count = try calls.read(descriptor, &buffer)
        if count == 0, opened?.special == .pipe, !hasWriter.withLock({ $0 }) {
          // Nobody writes yet, or the writer is gone already.
          guard Readiness.wait(for: descriptor, .toRead, milliseconds: Readiness.turn) else {
            tries += 1
            if tries == Readiness.mostTurns { throw SystemError.noWriter }
            continue
          }
          // A writer that came during the wait has left bytes, or nothing but the end.
          count = try calls.read(descriptor, &buffer)
        }
        if count > 0, opened?.special == .pipe { hasWriter.withLock { $0 = true } }
        return count
      } catch .held {
        // A regular file has bytes or an end.
        if opened?.kind == .regular { throw .noEnd }
        hasWriter.withLock { $0 = true }
        Readiness.wait(for: descriptor, .toRead)
      }
    }
  }
}
