// Bytes from files and standard input, in chunks, without blocking a thread of the concurrency pool.

import Diagnostics
import Dispatch
import Files

/// Reads a file descriptor, or the records that a task of this process writes, in order.
package final class Input: Sendable {
  /// Name for messages: the given path, or `<stdin>`.
  package let name: String
  private let reader: InputReader
  /// The source that replaces the descriptor, if any.
  private let pipe: RecordPipe?
  /// Own thread for reads, which block for as long as the writer takes.
  private let queue = DispatchQueue(label: "pagecat.input")

  /// Reads standard input, or a descriptor in its place, which is not closed.
  package init(descriptor: Int32, name: String = "<stdin>") {
    (self.name, reader, pipe) = (name, InputReader(descriptor: descriptor), nil)
  }

  /// Reads the records that a task writes.
  package init(pipe: RecordPipe) {
    (name, reader, self.pipe) = ("<input>", InputReader(descriptor: -1), pipe)
  }

  /// - Parameter option: option or argument that gives the path, for an error.
  package init(path: String, givenBy option: String? = nil) throws(InputError) {
    do {
      reader = try InputReader(path: path)
    } catch {
      let source = option.map { "\($0): " } ?? ""
      throw InputError(problem: "\(source)cannot open '\(path.printable)': \(error.reason)")
    }
    (name, pipe) = (path, nil)
  }

  /// The name for messages; that of a file is quoted.
  private var shown: String { name.hasPrefix("<") ? name.printable : "'\(name.printable)'" }

  /// Offset in a regular file, for `rewind`; nil for a pipe or the like.
  package var place: Int? { pipe == nil ? reader.offset : nil }

  /// Continues reading at an offset.
  package func rewind(to place: Int) throws(InputError) {
    do {
      try reader.seek(to: place)
    } catch {
      throw InputError(problem: "cannot read \(shown) again: \(error.reason)")
    }
  }

  /// Reads once into a reusable buffer, and returns the number of bytes, 0 at the end.
  func read(into buffer: inout [UInt8]) throws(InputError) -> Int {
    if let pipe { return try pipe.read(into: &buffer) }
    do {
      return try reader.read(into: &buffer)
    } catch {
      throw InputError(problem: "cannot read \(shown): \(error.reason)")
    }
  }

  /// Refuses a compressed text by its first bytes.
  func refuseGzip(_ start: ArraySlice<UInt8>) throws(InputError) {
    guard start.starts(with: gzipStart) else { return }
    throw InputError(problem: "\(shown) is a gzip file: decompress it, as in 'gunzip -c FILE | pagecat …'")
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

  /// Tells a task that writes that no more records are wanted.
  func closePipe() { pipe?.close() }

  /// Runs work on the reading thread, one item after the other.
  func inBackground(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Most bytes of a file with settings or secrets, and of a recording.
  package static let (mostSettings, mostRecorded) = (16 << 20, 4 << 30)

  /// Returns all remaining bytes, for files that are held as a whole.
  ///
  /// - Parameter limit: most bytes; a longer file is an error.
  package func readAll(limit: Int) throws(InputError) -> [UInt8] {
    let all = try readStart(limit: limit)
    guard all.count <= limit else {
      let size = limit >= 1 << 30 ? "\(limit >> 30) GB" : "\(limit >> 20) MB"
      throw InputError(problem: "\(shown) has more than \(size)")
    }
    return all
  }

  /// Returns the remaining bytes, and not many after `limit`.
  package func readStart(limit: Int) throws(InputError) -> [UInt8] {
    var all: [UInt8] = []
    while all.count <= limit, let chunk = try next() { all += chunk }
    return all
  }
}

/// A failure to open or read a file: its path, and the system's reason.
package struct InputError: Error, Hashable, Sendable {
  package let problem: String
}
