// `-o FILE` during writing: the growing partial file, and the journal that describes it.

import JSONText
import Primitives

/// A partial file and its journal.
///
/// The system gets the output before the journal line that describes it. So if the process is killed, the journal never
/// says more than the file has. A power cut may lose unsynced bytes of either file. A position that the partial file
/// does not confirm is then dropped.
package struct ExportFile: ~Copyable, Sendable {
  /// Time between two syncs: a sync takes as long as many pages, and a power cut may cost the work of that time.
  private static let syncInterval = Duration.seconds(5)

  private let outputPath: OutputPath
  private let calls: SystemCalls
  private var part: PartialFile
  private var journal: Journal
  private var synced = ContinuousClock.now
  /// Size of the journal at which it is compacted.
  private var journalLimit = 0

  /// - Parameters:
  ///   - format: packs the lines; nil if the file has them as they are.
  ///   - known: the confirmed position in the partial file of another run; nil to start from the beginning.
  ///   - beginning: writes the first lines of the journal.
  package init(
    _ outputPath: OutputPath, as format: (any FileFormat)? = nil, resuming known: PartialFile.Known?,
    calls: SystemCalls = .system, beginning: (inout Journal.Start) throws(FileError) -> Void
  ) throws(FileError) {
    // Every check that can fail comes first: from the next line on, no run can resume the previous one.
    let beginning = try Journal.Beginning(outputPath, calls: calls, beginning)
    let part = try Self.part(outputPath, format, known, calls)
    journal = try Journal(beginning)
    self.part = part
    self.outputPath = outputPath
    self.calls = calls
    journalLimit = Self.limit(journal.size)
  }

  private static func part(
    _ outputPath: OutputPath, _ format: (any FileFormat)?, _ known: PartialFile.Known?, _ calls: SystemCalls
  ) throws(FileError) -> PartialFile {
    guard let known else { return try PartialFile(outputPath, as: format, calls: calls) }
    return try PartialFile(outputPath, as: format, resuming: known, calls: calls)
  }

  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    try part.write(lines)
  }

  /// Appends a line to the journal that describes everything written so far.
  package mutating func commit(_ line: (PartialFile.Position) -> [UInt8]) throws(FileError) {
    try part.endMember()
    try part.flush()
    try journal.add(line(part.position))
    guard ContinuousClock.now - synced > Self.syncInterval else { return }
    try sync()
  }

  /// Appends lines to the journal that do not concern the partial file.
  package mutating func addLine(_ lines: [UInt8]) throws(FileError) {
    try journal.add(lines)
  }

  /// True if most of the journal may be obsolete.
  package var isJournalLarge: Bool { journal.size > journalLimit }

  /// Replaces the journal by a compacted one.
  package mutating func replaceJournal(_ beginning: (inout Journal.Start) throws(FileError) -> Void) throws(FileError) {
    try sync()
    journal = try Journal(Journal.Beginning(outputPath, calls: calls, beginning))
    journalLimit = Self.limit(journal.size)
  }

  /// Completes the file: renames the partial file, or appends it to FILE.
  ///
  /// The journal remains until `OutputPath.tidy` deletes it.
  ///
  /// - Parameters:
  ///   - look: receives the path of the complete file before it becomes FILE.
  ///   - line: returns the journal's last line, from the end position and the file to append to.
  package mutating func finish(
    appending: Bool, _ look: (_ path: String) throws(FileError) -> Void = { _ in },
    _ line: (PartialFile.Position, _ old: FileMetadata?) -> [UInt8]
  ) throws(FileError) {
    let old = appending ? try AtomicFile.metadata(of: outputPath.path, calls) : nil
    // FILE has members: an empty one more would only make it longer.
    if old.map({ $0.size > 0 }) == true { try part.endMember() } else { try part.endMembers() }
    try part.flush()
    try journal.add(line(part.position, old))
    // Appending twice would be wrong. After a rename, a power cut at this moment only repeats the fetch.
    if appending { try journal.sync() }
    try part.finish(appending: appending, look)
  }

  /// Flushes the partial file, so that it can be read.
  package mutating func flush() throws(FileError) { try part.flush() }

  /// Completes the run with a file that has its records and those of the old FILE; the partial file stays.
  ///
  /// - Parameters:
  ///   - look: receives the path of the new FILE before it takes FILE's place.
  ///   - line: returns the journal's last line, from the size and the hash of the new FILE.
  package mutating func finish(
    with merged: inout MergedFile, _ look: (_ path: String) throws(FileError) -> Void,
    _ line: (PartialFile.Position) -> [UInt8]
  ) throws(FileError) {
    try merged.flush()
    try journal.add(line(merged.position))
    // A second merge would find no changes.
    try journal.sync()
    try merged.finish(look)
  }

  /// Syncs both files, so that the run can be resumed.
  package mutating func sync() throws(FileError) {
    try part.sync()
    try journal.sync()
    synced = .now
  }

  /// Lets a later run resume or replace the partial file, although this value still has it open.
  package func unlock() { part.unlock() }

  /// Deletes both files, since no run will resume them.
  package func discard() throws(FileError) {
    try part.discard()
    try outputPath.remove(outputPath.journal, calls)
  }

  private static func limit(_ size: Int) -> Int { size * 2 + (8 << 20) }
}

// MARK: What a file has, so that a reader can tell a whole file from another one

/// Size, number of lines and hash of a file.
package struct FileReceipt: Sendable, Hashable {
  package let bytes: Int
  package let records: Int
  /// SHA-256 in lower case hexadecimal digits.
  package let sha256: String
  /// False if the format of the file is damaged, or cut.
  package private(set) var isIntact = true
  /// False if the last line has no line feed.
  package private(set) var endsLine = true

  package init(bytes: Int, records: Int, sha256: String) {
    (self.bytes, self.records, self.sha256) = (bytes, records, sha256)
  }

  /// Reads a regular file; nil if it does not exist.
  ///
  /// - Parameter format: unpacks the lines, which are counted; size and hash are those of the file.
  package init?(
    of path: String, as format: (any FileFormat)? = nil, calls: SystemCalls = .system
  ) throws(FileError) {
    guard let file = try Descriptor(at: path, calls: calls) else { return nil }
    guard try file.metadata().kind == .regular else { throw .failed("cannot read '\(path)': it is not a regular file") }
    var hash = SHA256()
    var (bytes, records, isIntact) = (0, 0, true)
    var last = UInt8(ascii: "\n")
    let unpacker = try format?.unpacker()
    func count(_ lines: [UInt8]) {
      records += lineCount(of: lines)
      last = lines.last ?? last
    }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while case let size = try file.read(into: &buffer), size > 0 {
      let piece = size == buffer.count ? buffer : Array(buffer[..<size])
      hash.combine(piece)
      bytes += size
      guard let unpacker else {
        count(piece)
        continue
      }
      isIntact = try unpacker.unpack(piece, count) && isIntact
    }
    let endsLine = last == UInt8(ascii: "\n")
    self.init(bytes: bytes, records: records + (endsLine ? 0 : 1), sha256: hash.finalize().hexadecimal)
    (self.isIntact, self.endsLine) = (isIntact && unpacker?.isComplete != false, endsLine)
  }
}
