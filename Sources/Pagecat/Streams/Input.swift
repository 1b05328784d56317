// Bytes from files and standard input, in chunks, without blocking a thread of the concurrency pool.

import Diagnostics
import Dispatch
import Files

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads a file descriptor, or what a task of this process writes, in order.
package final class Input: Sendable {
  /// Name for messages: the given path, or `<stdin>`.
  package let name: String
  private let descriptor: Int32
  /// The source in place of the descriptor, if any.
  private let pipe: RecordPipe?
  private let closes: Bool
  /// Own thread for reads, which block for as long as the writer takes.
  private let queue = DispatchQueue(label: "pagecat.input")

  /// Reads standard input, or a descriptor in its place, which is not closed.
  package init(descriptor: Int32, name: String = "<stdin>") {
    self.descriptor = descriptor
    self.name = name
    (closes, pipe) = (false, nil)
  }

  /// Reads the records that a task writes.
  init(pipe: RecordPipe) {
    self.pipe = pipe
    (name, descriptor, closes) = ("<input>", -1, false)
  }

  package init(path: String) throws(InputError) {
    do {
      descriptor = try SystemCalls.system.open(path, .input)
    } catch {
      throw InputError(problem: "cannot open \(path.printable): \(error.reason)")
    }
    name = path
    (closes, pipe) = (true, nil)
  }

  /// Offset of a regular file, so that it can be read again from there; nil for a pipe or the like.
  package var place: Int? {
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
    let offset = lseek(descriptor, 0, SEEK_CUR)
    return offset < 0 ? nil : Int(offset)
  }

  /// Continues reading at an offset.
  package func rewind(to place: Int) throws(InputError) {
    guard lseek(descriptor, off_t(place), SEEK_SET) >= 0 else {
      throw InputError(problem: "cannot read \(name.printable) again: \(reason(errno))")
    }
  }

  deinit {
    if closes { close(descriptor) }
  }

  /// Reads once into a reusable buffer, and returns the number of bytes, 0 at the end.
  func read(into buffer: inout [UInt8]) throws(InputError) -> Int {
    if let pipe { return try pipe.read(into: &buffer) }
    let size = buffer.count
    var got = systemRead(descriptor, &buffer, size)
    while got < 0, errno == EINTR || errno == EAGAIN {
      waitUntilReadable()
      got = systemRead(descriptor, &buffer, size)
    }
    guard got >= 0 else { throw InputError(problem: "cannot read \(name.printable): \(reason(errno))") }
    return got
  }

  /// Returns the next bytes, or nil at the end.
  package func next() throws(InputError) -> [UInt8]? {
    var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    let got = try read(into: &chunk)
    guard got > 0 else { return nil }
    chunk.removeLast(chunk.count - got)
    return chunk
  }

  /// Size of a chunk: large enough that threads seldom wake each other, and small enough for the caches.
  static let chunkSize = 192 << 10

  /// Lets go of a task that writes, since nothing more is wanted of it.
  func letGo() { pipe?.close() }

  /// Runs work on the reading thread, one item after the other.
  func inBackground(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Returns all remaining bytes, for small files such as specs and recordings.
  package func readAll() throws(InputError) -> [UInt8] {
    var all: [UInt8] = []
    while let chunk = try next() { all += chunk }
    return all
  }

  private func waitUntilReadable() {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&entry, 1, -1)
  }
}

#if canImport(Darwin)
  private let systemRead = Darwin.read
#elseif canImport(Musl)
  private let systemRead = Musl.read
#else
  private let systemRead = Glibc.read
#endif

func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
