// The journal of a run beside its output, from which another run can resume: one JSON object a line, never changed.

package import JSONText

/// An append-only file of JSON lines, each of which ends with a hash of itself: `{"saved":11,"sum":-72…}`.
///
/// So a line that the disk has changed is found, as one that was cut off is. Who writes or reads lines never sees the hash.
package struct Journal: ~Copyable, Sendable {
  private let file: Descriptor
  private var writer: LineWriter
  /// Size in bytes, including buffered bytes.
  package private(set) var size: Int

  /// The first lines of a new journal, which is not in its place yet.
  struct Beginning: ~Copyable {
    fileprivate let outputPath: OutputPath
    fileprivate let calls: SystemCalls
    fileprivate var file: AtomicFile

    init(
      _ outputPath: OutputPath, calls: SystemCalls, _ write: (inout Start) throws(FileError) -> Void
    ) throws(FileError) {
      self.outputPath = outputPath
      self.calls = calls
      // It may hold records of other steps, such as the answer of a login.
      var start = Start(file: try AtomicFile(private: OutputPath(path: outputPath.journal), calls: calls))
      try write(&start)
      file = start.file
    }
  }

  /// Takes the first lines of a new journal.
  package struct Start: ~Copyable {
    fileprivate var file: AtomicFile

    /// Writes whole lines.
    package mutating func write(_ lines: [UInt8]) throws(FileError) { try file.write(Journal.summed(lines)) }
  }

  /// Puts a new journal in place of any old file.
  init(_ beginning: consuming Beginning) throws(FileError) {
    let (outputPath, calls) = (beginning.outputPath, beginning.calls)
    // A new journal is not synced: its loss would cost nothing yet.
    try beginning.file.finish(isSynced: false)
    let size = try AtomicFile.metadata(of: outputPath.journal, calls)?.size ?? 0
    file = try Self.opened(outputPath, size, calls)
    self.size = size
    writer = LineWriter(descriptor: file.number, name: "'\(outputPath.journal)'", calls: calls)
  }

  private static func opened(_ outputPath: OutputPath, _ size: Int, _ calls: SystemCalls) throws(FileError)
    -> Descriptor
  {
    guard let file = try Descriptor.left(at: outputPath.journal, calls: calls) else {
      throw FileError("open", outputPath.journal, .missing)
    }
    try file.seek(to: size)
    return file
  }

  /// Appends whole lines, and flushes them to the system.
  package mutating func add(_ lines: [UInt8]) throws(FileError) {
    let lines = Self.summed(lines)
    try writer.write(lines)
    try writer.flush()
    size += lines.count
  }

  package func sync() throws(FileError) {
    try file.sync()
  }

  /// Reads the valid part of a journal: a line that was cut off, changed, or lost in a power cut, ends it.
  ///
  /// If that is the first line, `null` is taken in its place, since nobody can tell what the journal is about.
  ///
  /// - Parameters:
  ///   - end: size up to which the journal is read; nil for all of it.
  ///   - take: receives a line, and the size of the journal including it.
  /// - Returns: false if there is no journal.
  package static func read(
    _ outputPath: OutputPath, upTo end: Int? = nil, calls: SystemCalls = .system,
    _ take: (_ line: JSONValue, _ end: Int) throws(FileError) -> Void
  ) throws(FileError) -> Bool {
    guard let file = try Descriptor.left(at: outputPath.journal, calls: calls) else { return false }
    var scanner = LineScanner()
    var buffer = [UInt8](repeating: 0, count: 128 << 10)
    var size = 0
    var isGood = true
    while isGood, case let count = try file.read(into: &buffer), count > 0 {
      do { try scanner.append(Array(buffer[..<count])) } catch { isGood = false }
      var lines = scanner.takeRecords()[...]
      while let lineEnd = lines.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Self.checked(lines[..<lineEnd])
        let isFirst = size == 0
        size += lineEnd - lines.startIndex + 1
        if let end, size > end { return true }
        guard line != nil || isFirst else { return true }
        try take(line.map { JSONValue(validated: $0) } ?? .null, size)
        guard line != nil else { return true }
        lines = lines[(lineEnd + 1)...]
      }
    }
    return true
  }
}

// The hash at the end of each line.

extension Journal {
  private static let sumName = Array(#","sum":"#.utf8)

  /// Returns lines with their hashes; what follows the last line feed stays as it is.
  package static func summed(_ lines: [UInt8]) -> [UInt8] {
    var (summed, rest) = ([UInt8](), lines[...])
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      summed += object(withSum: rest[..<end])
      summed.append(UInt8(ascii: "\n"))
      rest = rest[(end + 1)...]
    }
    return summed + rest
  }

  /// Returns an object with its hash as a further member.
  private static func object(withSum object: ArraySlice<UInt8>) -> [UInt8] {
    Array(object.dropLast()) + sumName + "\(Array(object).fingerprint)}".utf8
  }

  /// Returns a line without its hash; nil if the hash is missing or wrong.
  private static func checked(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let start = line.lastIndex(of: UInt8(ascii: ",")) else { return nil }
    let object = line[..<start] + [UInt8(ascii: "}")]
    return Self.object(withSum: object).elementsEqual(line) ? object : nil
  }
}
