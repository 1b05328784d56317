// The journal of a run beside its output, from which another run can resume: one JSON object a line, never changed.

package import JSONText

/// An append-only file of JSON lines.
package struct Journal: ~Copyable, Sendable {
  private let file: Descriptor
  private var writer: LineWriter
  /// Size in bytes, including buffered bytes.
  package private(set) var size: Int

  /// The first lines of a new journal, which is not in its place yet.
  struct Beginning: ~Copyable {
    fileprivate let place: OutputPath
    fileprivate let calls: SystemCalls
    fileprivate var file: AtomicFile

    init(
      _ place: OutputPath, calls: SystemCalls, _ write: (inout AtomicFile) throws(FileError) -> Void
    ) throws(FileError) {
      self.place = place
      self.calls = calls
      // It may hold records of other steps, such as the answer of a login.
      var file = try AtomicFile(private: OutputPath(path: place.journal), calls: calls)
      try write(&file)
      self.file = file
    }
  }

  /// Puts a new journal in place of any old file.
  init(_ beginning: consuming Beginning) throws(FileError) {
    let (place, calls) = (beginning.place, beginning.calls)
    // A new journal is not synced: its loss would cost nothing yet.
    try beginning.file.finish(isSynced: false)
    let size = try AtomicFile.facts(of: place.journal, calls)?.size ?? 0
    file = try Self.opened(place, size, calls)
    self.size = size
    writer = LineWriter(descriptor: file.number, name: "'\(place.journal)'", calls: calls)
  }

  private static func opened(_ place: OutputPath, _ size: Int, _ calls: SystemCalls) throws(FileError) -> Descriptor {
    guard let file = try Descriptor.left(at: place.journal, calls: calls) else {
      throw FileError("open", place.journal, .missing)
    }
    try file.seek(to: size)
    return file
  }

  /// Appends whole lines, and flushes them to the system.
  package mutating func add(_ lines: [UInt8]) throws(FileError) {
    try writer.write(lines)
    try writer.flush()
    size += lines.count
  }

  package func sync() throws(FileError) {
    try file.sync()
  }

  /// Reads the valid part of a journal: a line that was cut off, or lost in a power cut, ends it.
  ///
  /// - Parameters:
  ///   - end: size up to which the journal is read; nil for all of it.
  ///   - take: receives a line, and the size of the journal including it.
  /// - Returns: false if there is no journal.
  package static func read(
    _ place: OutputPath, upTo end: Int? = nil, calls: SystemCalls = .system,
    _ take: (_ line: JSONValue, _ end: Int) throws(FileError) -> Void
  ) throws(FileError) -> Bool {
    guard let file = try Descriptor.left(at: place.journal, calls: calls) else { return false }
    var scanner = LineScanner()
    var buffer = [UInt8](repeating: 0, count: 128 << 10)
    var size = 0
    var isGood = true
    while isGood, case let count = try file.read(into: &buffer), count > 0 {
      do { try scanner.append(Array(buffer[..<count])) } catch { isGood = false }
      var lines = scanner.takeRecords()[...]
      while let lineEnd = lines.firstIndex(of: UInt8(ascii: "\n")) {
        size += lineEnd - lines.startIndex + 1
        if let end, size > end { return true }
        try take(JSONValue(validated: lines[..<lineEnd]), size)
        lines = lines[(lineEnd + 1)...]
      }
    }
    return true
  }
}
