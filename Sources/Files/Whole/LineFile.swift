// A file of records that is read again: in order, or a line at a time by its offset.

import JSONText

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A regular file of NDJSON, open for reading.
package final class LineFile {
  /// Bytes of one call when lines follow each other, and when they do not.
  private static let (longWindow, shortWindow) = (256 << 10, 4 << 10)

  private let file: Descriptor
  /// A part of the file, in which the next line often is.
  private var window: ArraySlice<UInt8> = []
  private var windowStart = 0
  private var windowSize = shortWindow

  /// Opens a file; nil if it does not exist.
  package init?(at path: String, calls: SystemCalls) throws(FileError) {
    guard let file = try Descriptor(at: path, calls: calls) else { return nil }
    guard try file.metadata().kind == .regular else { throw .failed("cannot read '\(path)': it is not a regular file") }
    self.file = file
  }

  /// Reads all lines from the start, compact, in pieces of whole lines.
  ///
  /// - Throws: `FileError` if the file can't be read, or has a line that is not JSON.
  package func readLines(_ body: (_ lines: [UInt8]) throws(FileError) -> Void) throws(FileError) {
    try file.seek(to: 0)
    var scanner = LineScanner()
    var buffer = [UInt8](repeating: 0, count: Self.longWindow)
    do {
      while case let count = try file.read(into: &buffer), count > 0 {
        try scanner.append(buffer, count)
        let lines = scanner.takeRecords()
        if !lines.isEmpty { try body(lines) }
      }
      try scanner.finish()
    } catch let error as JSONError {
      throw .failed("cannot read '\(file.path)': line \(error.line), column \(error.column): \(error.sentence)")
    } catch let error as FileError {
      throw error
    } catch {
      throw .failed("cannot read '\(file.path)': \(error)")
    }
    let lines = scanner.takeRecords()
    if !lines.isEmpty { try body(lines) }
  }

  /// Returns the line that begins at an offset, without its line feed.
  package func line(at offset: Int) throws(FileError) -> ArraySlice<UInt8> {
    if offset >= windowStart, offset - windowStart < window.count {
      let rest = window.dropFirst(offset - windowStart)
      if let end = rest.firstLineFeed { return rest[..<end] }
    }
    let gap = offset - (windowStart + window.count)
    windowSize =
      (-window.count...Self.shortWindow).contains(gap) ? min(windowSize * 2, Self.longWindow) : Self.shortWindow
    while true {
      var buffer = [UInt8](repeating: 0, count: windowSize)
      let count: Int
      do { count = try file.calls.readAt(file.number, &buffer, offset) } catch {
        throw FileError("read", file.path, error)
      }
      (window, windowStart) = (buffer[..<count], offset)
      if let end = window.firstLineFeed { return window[..<end] }
      guard count == buffer.count else { throw FileError("read", file.path, .tooShort) }
      windowSize *= 4
    }
  }
}

/// A new FILE, made from the old one and the records of a run; it takes FILE's place when it is complete.
package struct MergedFile: ~Copyable, Sendable {
  private var file: AtomicFile
  private var fingerprint = Fingerprint()
  private var size = 0

  package init(_ outputPath: OutputPath, calls: SystemCalls) throws(FileError) {
    file = try AtomicFile(outputPath, calls: calls)
  }

  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    try file.write(lines)
    fingerprint.combine(lines)
    size += lines.count
  }

  /// Writes what is buffered, so that a full disk shows.
  package mutating func flush() throws(FileError) { try file.flush() }

  /// Size and hash of the file.
  package var position: PartialFile.Position {
    let hash = fingerprint
    return PartialFile.Position(size: size, hash: hash.finalize())
  }

  /// Puts the file in FILE's place.
  ///
  /// - Parameter look: receives the path of the complete file before that.
  package mutating func finish(_ look: (_ path: String) throws(FileError) -> Void = { _ in }) throws(FileError) {
    try file.finish(look)
  }
}

/// A file of records of one size, which several processes read and change.
///
/// Its lock is an advisory one (flock), which the kernel releases when the process ends, however it ends. The file is
/// never truncated or replaced, so that all who opened it have the same file.
package final class RecordFile: Sendable {
  /// Number of tries at a lock before each try waits for a millisecond.
  private static let quickTries = 20

  private let file: Descriptor
  /// First bytes of the file, as many as a record has.
  private let header: [UInt8]

  /// Opens the file of the current user, or creates it for that user alone; no link is followed.
  ///
  /// - Parameters:
  ///   - header: the first bytes of each such file; a record has the same size.
  ///   - tries: number of tries at the file's lock.
  /// - Throws: `FileError` if another kind of file is there, which stays unchanged.
  package init(at path: String, header: [UInt8], tries: Int, calls: SystemCalls = .system) throws(FileError) {
    self.header = header
    file = try Self.open(path, calls)
    try begin(tries: tries)
  }

  /// Writes the header of a new file, or checks that of an old one.
  private func begin(tries: Int) throws(FileError) {
    guard try lock(tries: tries) else {
      throw .failed("cannot lock '\(file.path)': another process does not release it")
    }
    defer { unlock() }
    let start = try bytes(from: 0, count: header.count)
    guard header.starts(with: start) else { throw .inTheWay(file.path) }
    if start.count < header.count { try write(header, from: 0) }
  }

  private static func open(_ path: String, _ calls: SystemCalls) throws(FileError) -> Descriptor {
    // Another process may create or remove the file between the two calls, but not again and again.
    for _ in 0..<100 {
      if let file = try Descriptor.left(at: path, isWritten: true, calls: calls) { return file }
      if let file = try Descriptor(newAt: path, for: path, isPrivate: true, calls: calls) { return file }
    }
    throw FileError("make", path, .exists)
  }

  /// Locks the file for this value alone; returns false if another process held the lock at each try.
  ///
  /// After the first tries, each further one waits for a millisecond.
  package func lock(tries: Int) throws(FileError) -> Bool {
    for number in 1...max(tries, 1) {
      switch try file.lock() {
      case .taken: return true
      case .impossible(let error): throw FileError("lock", file.path, error)
      case .held: if number < tries { _ = number < Self.quickTries ? sched_yield() : usleep(1_000) }
      }
    }
    return false
  }

  package func unlock() {
    file.calls.unlock(file.number)
  }

  /// Returns the bytes of records; fewer at the end of the file.
  package func read(_ index: Int, count: Int = 1) throws(FileError) -> [UInt8] {
    try bytes(from: (index + 1) * header.count, count: count * header.count)
  }

  /// Writes a record; needs the lock.
  package func write(_ record: [UInt8], at index: Int) throws(FileError) {
    precondition(record.count == header.count)
    try write(record, from: (index + 1) * header.count)
  }

  /// Writes the header again, in case another program has emptied the file; needs the lock.
  package func writeHeader() throws(FileError) {
    try write(header, from: 0)
  }

  private func bytes(from offset: Int, count: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    do {
      let count = try file.calls.readAt(file.number, &bytes, offset)
      return count == bytes.count ? bytes : Array(bytes[..<count])
    } catch {
      throw FileError("read", file.path, error)
    }
  }

  private func write(_ bytes: [UInt8], from offset: Int) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let written: Int
      do {
        written = try file.calls.writeAt(file.number, done == 0 ? bytes : Array(bytes[done...]), offset + done)
      } catch {
        throw FileError("write to", file.path, error)
      }
      // A device that takes nothing without an error is full.
      guard written > 0 else { throw FileError("write to", file.path, .noSpace) }
      done += written
    }
  }
}
