// Writes whole lines to a file descriptor in large blocks, and checks every write.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A buffered writer of NDJSON lines on a file descriptor that the caller owns and closes.
///
/// Nothing is lost silently: every write is checked, short writes are continued, and `flush()` must be called at the
/// end. The process must ignore SIGPIPE, so that a lost reader is an error and does not end the process.
package struct LineWriter: ~Copyable, Sendable {
  /// Size of the buffer in bytes, as large as a standard pipe on Linux.
  private static let blockSize = 64 << 10
  /// Size in bytes from which lines are written without copying them to the buffer.
  private static let leastWritten = 16 << 10

  private let descriptor: Int32
  private let name: String
  private let calls: SystemCalls
  /// True for a pipe, a socket or a terminal, whose reader can leave.
  private let hasReader: Bool
  private var block: [UInt8] = []

  /// Creates a writer.
  ///
  /// - Parameter name: name for messages: `standard output`.
  package init(descriptor: Int32, name: String, calls: SystemCalls = .system) {
    self.descriptor = descriptor
    self.name = name
    self.calls = calls
    hasReader = Self.hasReader(descriptor)
    block.reserveCapacity(Self.blockSize)
  }

  /// Enlarges the buffer of a pipe, so that its reader has more data ready.
  ///
  /// Use it only if writing causes no further requests, since a reader that leaves early then leaves more data unread.
  package func widen() {
    PipeRoom.widen(descriptor)
  }

  /// Writes whole lines: large ones at once, small ones through the buffer.
  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    if block.count + lines.count > Self.blockSize { try flush() }
    if lines.count >= Self.leastWritten, block.isEmpty {
      try writeAll(lines)
    } else {
      block += lines
    }
  }

  /// Writes the buffered lines.
  package mutating func flush() throws(FileError) {
    guard !block.isEmpty else { return }
    defer { block.removeAll(keepingCapacity: true) }
    try writeAll(block)
  }

  /// Reports that writing this many bytes may wait for a reader.
  package func mayWait(toWrite count: Int) -> Bool {
    hasReader && !PipeRoom.holds(block.count + count, descriptor)
  }

  /// True if the reader is known to have left, without writing to it.
  ///
  /// A file has no reader and is not checked.
  package var isReaderGone: Bool { hasReader && Self.isReaderGone(descriptor) }

  /// Reports that the reader of a descriptor has left.
  package static func isReaderGone(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      // poll on macOS reports nothing for a descriptor without requested events, and reports a hang-up.
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

  /// Writes all bytes at once; the rest of a short write follows in blocks, so that it is not copied repeatedly.
  private func writeAll(_ bytes: [UInt8]) throws(FileError) {
    var written = try writeOnce(bytes)
    while written < bytes.count {
      written += try writeOnce(Array(bytes[written..<min(written + Self.blockSize, bytes.count)]))
    }
  }

  /// Makes one successful `write`, however short.
  private func writeOnce(_ bytes: [UInt8]) throws(FileError) -> Int {
    while true {
      do {
        let count = try calls.write(descriptor, bytes)
        if count > 0 { return count }
      } catch .held {
        Readiness.wait(for: descriptor, .toWrite)
        continue
      } catch .noReader {
        throw .readerGone
      } catch {
        throw .failed("cannot write to \(name): \(error.reason)")
      }
      // A device that takes nothing without an error is full.
      throw .failed("cannot write to \(name): \(SystemError.noSpace.reason)")
    }
  }
}

// Larger buffers for pipes, so that writer and reader wait for each other less often.

/// The free room in the buffer of a pipe.
package enum PipeRoom {
  /// Largest size that Linux grants to any process (`/proc/sys/fs/pipe-max-size`); the default is 64 KB.
  private static let wanted: Int32 = 1 << 20

  /// Enlarges the buffer of a pipe, and ignores failures and other files.
  ///
  /// Other systems enlarge it by themselves.
  package static func widen(_ descriptor: Int32) {
    #if os(Linux)
      let room = fcntl(descriptor, getRoom)
      if room > 0, room < wanted { _ = fcntl(descriptor, setRoom, wanted) }
    #endif
  }

  /// Reports that this many bytes certainly fit: the pipe is empty and large enough.
  ///
  /// Unknown for a socket or a terminal.
  package static func holds(_ count: Int, _ descriptor: Int32) -> Bool {
    #if os(Linux)
      var waiting: Int32 = 0
      let room = Int(fcntl(descriptor, getRoom))
      return count <= room && ioctl(descriptor, UInt(FIONREAD), &waiting) == 0 && waiting == 0
    #else
      return false
    #endif
  }

  #if os(Linux)
    /// `F_SETPIPE_SZ` and `F_GETPIPE_SZ` (fcntl(2)), which glibc shows to GNU programs only.
    private static let (setRoom, getRoom): (Int32, Int32) = (1_031, 1_032)
  #endif
}
