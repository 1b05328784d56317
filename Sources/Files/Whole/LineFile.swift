// A file of records that is read again: in order, or a line at a time by its offset.

import Dispatch
package import JSONText
import Primitives
import Synchronization

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
  fileprivate static let (longWindow, shortWindow) = (256 << 10, 4 << 10)
  /// Number of parts of the file that are read at the same time.
  private static let partCount = 4

  private let file: LineParts
  /// A part of the file, in which the next line often is.
  private var window: ArraySlice<UInt8> = []
  private var windowStart = 0
  private var windowSize = shortWindow

  /// Opens a file; nil if it does not exist.
  package init?(at path: String, calls: SystemCalls) throws(FileError) {
    guard let file = try LineParts(at: path, calls: calls) else { return nil }
    self.file = file
  }

  /// Reads all lines from the start, compact, in pieces of whole lines with their keys.
  ///
  /// Several pieces are read at the same time, and given in order.
  ///
  /// - Parameters:
  ///   - keys: finds the keys of lines.
  ///   - known: what an earlier reading returned: the lines of a file that is still the same are not validated.
  /// - Returns: the file, if its bytes are valid compact lines as they stand.
  /// - Throws: `FileError` if the file can't be read, or has a line that is not JSON.
  @discardableResult
  package func readLines(
    _ keys: RecordKeys, knownAs known: CompactFile? = nil,
    _ body: (_ lines: [UInt8], _ keys: RecordKeys) throws(FileError) -> Void
  ) throws(FileError) -> CompactFile? {
    let metadata = try file.metadata()
    let isKnown = known?.metadata == metadata
    var (start, size, lineCount) = (0, 0, 0)
    while start < metadata.size {
      var parts: [Range<Int>] = []
      while parts.count < Self.partCount, start < metadata.size {
        let end = try file.lineStart(from: start + Self.longWindow, in: metadata.size)
        parts.append(start..<end)
        start = end
      }
      for piece in pieces(parts, keys, isKnown) {
        let piece = try lines(piece, after: lineCount)
        lineCount += piece.lineCount
        size += piece.lines.count
        if !piece.lines.isEmpty { try body(piece.lines, piece.keys) }
      }
    }
    // The scanner adds a last line feed only; whatever it takes away makes the lines shorter.
    guard size == metadata.size, try file.endsLine(at: size), try file.metadata() == metadata else { return nil }
    return CompactFile(metadata: metadata)
  }

  private func pieces(
    _ parts: [Range<Int>], _ keys: RecordKeys, _ isKnown: Bool
  ) -> [Result<LineParts.Piece, any Error>?] {
    guard parts.count > 1 else { return parts.map { part in Result { try file.piece(part, keys, isKnown) } } }
    let pieces = Locked([Result<LineParts.Piece, any Error>?](repeating: nil, count: parts.count))
    DispatchQueue.concurrentPerform(iterations: parts.count) { [file] index in
      let piece = Result { try file.piece(parts[index], keys, isKnown) }
      pieces.withLock { $0[index] = piece }
    }
    return pieces.withLock { $0 }
  }

  /// Returns the lines of a piece.
  ///
  /// - Parameter lineCount: number of the file's lines before it.
  private func lines(_ piece: Result<LineParts.Piece, any Error>?, after lineCount: Int) throws(FileError)
    -> LineParts.Piece
  {
    do {
      guard let piece = try piece?.get() else { throw FileError("read", file.path, .tooShort) }
      return piece
    } catch let error as JSONError {
      let line = error.line + lineCount - (lineCount > 0 ? 1 : 0)
      throw .failed("cannot read '\(file.path)': line \(line), column \(error.column): \(error.sentence)")
    } catch let error as FileError {
      throw error
    } catch {
      throw .failed("cannot read '\(file.path)': \(error)")
    }
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
      let count = try file.read(into: &buffer, at: offset)
      (window, windowStart) = (buffer[..<count], offset)
      if let end = window.firstLineFeed { return window[..<end] }
      guard count == buffer.count else { throw FileError("read", file.path, .tooShort) }
      windowSize *= 4
    }
  }
}

/// An open file that several threads read at the same time.
private final class LineParts: Sendable {
  /// Whole compact lines, and their keys.
  struct Piece: Sendable {
    let lines: [UInt8]
    let keys: RecordKeys
    /// Number of line feeds that the file has there.
    var lineCount = 0
  }

  private let file: Descriptor

  init?(at path: String, calls: SystemCalls) throws(FileError) {
    guard let file = try Descriptor(at: path, calls: calls) else { return nil }
    guard try file.metadata().kind == .regular else { throw .failed("cannot read '\(path)': it is not a regular file") }
    self.file = file
  }

  var path: String { file.path }

  func metadata() throws(FileError) -> FileMetadata { try file.metadata() }

  /// Reads a part of the file that begins and ends with whole lines.
  func piece(_ part: Range<Int>, _ keys: RecordKeys, _ isKnown: Bool) throws -> Piece {
    var lines = try bytes(part)
    var lineCount = 0
    if !isKnown {
      lineCount = JSONText.lineCount(of: lines)
      var scanner = LineScanner()
      // A byte order mark may stand at the start of the file only.
      if part.lowerBound > 0 { try scanner.append([UInt8(ascii: "\n")]) }
      try scanner.append(lines)
      try scanner.finish()
      lines = scanner.takeRecords()
    }
    var keys = keys
    keys.read(lines)
    return Piece(lines: lines, keys: keys, lineCount: lineCount)
  }

  /// Returns the offset of the first line that begins at an offset or behind it.
  func lineStart(from offset: Int, in size: Int) throws(FileError) -> Int {
    var (offset, count) = (offset - 1, LineFile.shortWindow)
    while offset + 1 < size {
      let part = offset..<min(offset + count, size)
      if let feed = try bytes(part)[...].firstLineFeed { return offset + feed + 1 }
      offset = part.upperBound
      count = min(count * 2, LineFile.longWindow)
    }
    return size
  }

  func endsLine(at end: Int) throws(FileError) -> Bool {
    guard end > 0 else { return true }
    return try bytes(end - 1..<end) == [UInt8(ascii: "\n")]
  }

  /// Reads a part of the file.
  private func bytes(_ part: Range<Int>) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: part.count)
    var count = try read(into: &bytes, at: part.lowerBound)
    while count < part.count {
      var rest = [UInt8](repeating: 0, count: part.count - count)
      let size = try read(into: &rest, at: part.lowerBound + count)
      guard size > 0 else { throw FileError("read", file.path, .tooShort) }
      bytes.replaceSubrange(count..<count + size, with: rest[..<size])
      count += size
    }
    return bytes
  }

  func read(into buffer: inout [UInt8], at offset: Int) throws(FileError) -> Int {
    do { return try file.calls.readAt(file.number, &buffer, offset) } catch {
      throw FileError("read", file.path, error)
    }
  }
}

/// A file that was read once, and whose bytes are valid compact lines as they stand.
package struct CompactFile: Sendable, Hashable {
  fileprivate let metadata: FileMetadata
}

/// A new FILE, made from the old one and the records of a run; it takes FILE's place when it is complete.
package struct MergedFile: ~Copyable, Sendable {
  /// Number of bytes after which the system begins to write them to the disk, so that the sync at the end is short.
  private static let syncStep = 16 << 20

  private var file: AtomicFile
  private var fingerprint = Fingerprint()
  private var size = 0
  /// Number of bytes that the system writes to the disk.
  private var syncSize = 0
  /// Lines that are not written yet.
  private var block: [UInt8] = []

  package init(_ outputPath: OutputPath, calls: SystemCalls) throws(FileError) {
    file = try AtomicFile(outputPath, calls: calls)
  }

  package mutating func write(_ lines: ArraySlice<UInt8>) throws(FileError) {
    block += lines
    if block.count >= 256 << 10 { try writeBlock() }
  }

  private mutating func writeBlock() throws(FileError) {
    try file.write(block)
    fingerprint.combine(block)
    size += block.count
    block.removeAll(keepingCapacity: true)
    guard size - syncSize >= Self.syncStep else { return }
    file.beginSync(syncSize..<size)
    syncSize = size
  }

  /// Writes what is buffered, so that a full disk shows.
  package mutating func flush() throws(FileError) {
    try writeBlock()
    try file.flush()
  }

  /// Size and hash of the lines that are flushed.
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
