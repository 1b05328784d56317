// A file of records that is read again: in order, or a line at a time by its offset.

import JSONText

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
