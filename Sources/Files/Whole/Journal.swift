// What a run writes down beside its output so that another one can go on: one JSON object a line, never changed.

package import JSONText

/// A file of JSON lines that only grows.
package struct Journal: ~Copyable, Sendable {
  private let file: Descriptor
  private var writer: LineWriter
  /// Bytes in it, those included that wait.
  package private(set) var size: Int

  /// The first lines of a new one, which is not in its place yet.
  struct Beginning: ~Copyable {
    fileprivate let place: OutputPath
    fileprivate let calls: SystemCalls
    fileprivate var file: AtomicFile

    init(
      _ place: OutputPath, calls: SystemCalls, _ write: (inout AtomicFile) throws(FileError) -> Void
    ) throws(FileError) {
      self.place = place
      self.calls = calls
      var file = try AtomicFile(OutputPath(path: place.journal), calls: calls)
      try write(&file)
      self.file = file
    }
  }

  /// A new one in place of whatever is there.
  init(_ beginning: consuming Beginning) throws(FileError) {
    let (place, calls) = (beginning.place, beginning.calls)
    // Syncing waits until there is something that it would be a pity to lose.
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

  /// Adds whole lines, and hands them to the system.
  package mutating func add(_ lines: [UInt8]) throws(FileError) {
    try writer.write(lines)
    try writer.flush()
    size += lines.count
  }

  package func sync() throws(FileError) {
    try file.sync()
  }

  /// Reads one as far as it is good: a line that was cut off, or was lost with the power, ends it.
  ///
  /// - Parameters:
  ///   - end: the size up to which it is read; nil for all of it.
  ///   - take: a line, and the size of the journal with it.
  /// - Returns: false when there is none.
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
