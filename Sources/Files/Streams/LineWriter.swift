// Writes whole lines to a file descriptor in large blocks, and notices every failure.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A buffered writer of NDJSON lines on a file descriptor, which stays open and the caller's own.
///
/// Nothing is lost silently: every write is checked, short ones are continued, and `flush()` must be called at the end.
/// SIGPIPE must be ignored by the process, so that a reader's departure is an error and not a death.
package struct LineWriter: ~Copyable, Sendable {
  /// Bytes that are collected before they are written, unless someone flushes: what a pipe holds on Linux by itself.
  private static let blockSize = 64 << 10
  /// What is this large is not worth a copy to wait for company.
  private static let leastWritten = 16 << 10

  private let descriptor: Int32
  private let name: String
  private let calls: SystemCalls
  /// Whether somebody reads it who can go away: of a pipe, a socket or a terminal.
  private let hasReader: Bool
  private var block: [UInt8] = []

  /// - Parameter name: for messages: `standard output`.
  package init(descriptor: Int32, name: String, calls: SystemCalls = .system) {
    self.descriptor = descriptor
    self.name = name
    self.calls = calls
    hasReader = Self.hasReader(descriptor)
    block.reserveCapacity(Self.blockSize)
  }

  /// Lets a pipe hold more, so that its reader has more ready. To be called where nothing is asked for because of what
  /// was written: who leaves early has then left more behind.
  package func widen() {
    PipeRoom.widen(descriptor)
  }

  /// Takes whole lines. Large ones are written at once, small ones wait for company.
  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    if block.count + lines.count > Self.blockSize { try flush() }
    if lines.count >= Self.leastWritten, block.isEmpty {
      try writeAll(lines)
    } else {
      block += lines
    }
  }

  /// Writes what waits.
  package mutating func flush() throws(FileError) {
    guard !block.isEmpty else { return }
    defer { block.removeAll(keepingCapacity: true) }
    try writeAll(block)
  }

  /// Whether writing so many bytes may have to wait for a reader.
  package func mayWait(toWrite count: Int) -> Bool {
    hasReader && !PipeRoom.holds(block.count + count, descriptor)
  }

  /// Whether the reader is known to be gone, without writing to it. A file has none, and is not asked each time.
  package var isReaderGone: Bool { hasReader && Self.isReaderGone(descriptor) }

  /// The same of a descriptor that somebody else writes to.
  package static func isReaderGone(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      // There a descriptor that nothing is asked of tells nothing, and it tells of a hang-up.
      let (asked, told) = (POLLOUT, POLLERR | POLLHUP)
    #else
      let (asked, told) = (0 as Int32, POLLERR)
    #endif
    var entry = pollfd(fd: descriptor, events: Int16(asked), revents: 0)
    return poll(&entry, 1, 0) == 1 && entry.revents & Int16(told) != 0
  }

  private static func hasReader(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return true }
    return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) || isatty(descriptor) == 1
  }

  /// At once; what a short write leaves, in pieces of a block, so that it is not copied again and again.
  private func writeAll(_ bytes: [UInt8]) throws(FileError) {
    var written = try writeOnce(bytes)
    while written < bytes.count {
      written += try writeOnce(Array(bytes[written..<min(written + Self.blockSize, bytes.count)]))
    }
  }

  /// One successful `write`, however short.
  private func writeOnce(_ bytes: [UInt8]) throws(FileError) -> Int {
    while true {
      do {
        let count = try calls.write(descriptor, bytes)
        if count > 0 { return count }
      } catch .held {
        waitUntilWritable()
        continue
      } catch .noReader {
        throw .readerGone
      } catch {
        throw .failed("cannot write to \(name): \(error.reason)")
      }
      // A device that takes nothing and says nothing is full.
      throw .failed("cannot write to \(name): \(SystemError.noSpace.reason)")
    }
  }

  /// A descriptor that somebody else made non-blocking is shared with them: it is waited for, not changed.
  private func waitUntilWritable() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&entry, 1, -1)
  }
}
