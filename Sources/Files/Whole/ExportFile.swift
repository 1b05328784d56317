// `-o FILE` during writing: the growing partial file, and the journal that describes it.

/// A partial file and its journal.
///
/// The system gets the output before the journal line that describes it. So if the process is killed, the journal never
/// says more than the file has. A power cut may lose unsynced bytes of either file. A position that the partial file
/// does not confirm is then dropped.
package struct ExportFile: ~Copyable, Sendable {
  /// Time between two syncs: a sync takes as long as many pages, and a power cut may cost the work of that time.
  private static let syncInterval = Duration.seconds(5)

  private let place: OutputPath
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
    _ place: OutputPath, as format: (any FileFormat)? = nil, resuming known: PartialFile.Known?,
    calls: SystemCalls = .system, beginning: (inout Journal.Start) throws(FileError) -> Void
  ) throws(FileError) {
    // Every check that can fail comes first: from the next line on, no run can resume the previous one.
    let beginning = try Journal.Beginning(place, calls: calls, beginning)
    let part = try Self.part(place, format, known, calls)
    journal = try Journal(beginning)
    self.part = part
    self.place = place
    self.calls = calls
    journalLimit = Self.limit(journal.size)
  }

  private static func part(
    _ place: OutputPath, _ format: (any FileFormat)?, _ known: PartialFile.Known?, _ calls: SystemCalls
  ) throws(FileError) -> PartialFile {
    guard let known else { return try PartialFile(place, as: format, calls: calls) }
    return try PartialFile(place, as: format, resuming: known, calls: calls)
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
  package mutating func note(_ lines: [UInt8]) throws(FileError) {
    try journal.add(lines)
  }

  /// True if most of the journal may be obsolete.
  package var isJournalLarge: Bool { journal.size > journalLimit }

  /// Replaces the journal by a compacted one.
  package mutating func replaceJournal(_ beginning: (inout Journal.Start) throws(FileError) -> Void) throws(FileError) {
    try sync()
    journal = try Journal(Journal.Beginning(place, calls: calls, beginning))
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
    try part.endMembers()
    try part.flush()
    try journal.add(line(part.position, appending ? AtomicFile.facts(of: place.path, calls) : nil))
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
    try place.remove(place.journal, calls)
  }

  private static func limit(_ size: Int) -> Int { size * 2 + (8 << 20) }
}
