// `-o FILE` while it is written: the part that grows, and the journal that says what stands in it.

/// A part and its journal. What a line of the journal speaks of has been handed to the system before the line is: so
/// whatever kills the process, the journal never says too much. A power cut may lose what was not synced yet, the part and
/// the journal each by itself; then a position that the part does not bear out is no position.
package struct ExportFile: ~Copyable, Sendable {
  /// Syncing takes as long as many pages: what a power cut may cost is the work of so long.
  private static let syncInterval = Duration.seconds(5)

  private let place: OutputPath
  private let calls: SystemCalls
  private var part: PartialFile
  private var journal: Journal
  private var synced = ContinuousClock.now
  /// How large the journal may grow before it is written anew.
  private var journalLimit = 0

  /// - Parameters:
  ///   - known: how far the part is good that another run has left; nil to begin anew.
  ///   - beginning: writes the first lines of the journal.
  package init(
    _ place: OutputPath, resuming known: PartialFile.Known?, calls: SystemCalls = .system,
    beginning: (inout AtomicFile) throws(FileError) -> Void
  ) throws(FileError) {
    // What can fail comes first: from the next line on nobody can go on with what another run has left.
    let beginning = try Journal.Beginning(place, calls: calls, beginning)
    let part = try Self.part(place, known, calls)
    journal = try Journal(beginning)
    self.part = part
    self.place = place
    self.calls = calls
    journalLimit = Self.limit(journal.size)
  }

  private static func part(
    _ place: OutputPath, _ known: PartialFile.Known?, _ calls: SystemCalls
  ) throws(FileError) -> PartialFile {
    guard let known else { return try PartialFile(place, calls: calls) }
    return try PartialFile(place, resuming: known, calls: calls)
  }

  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    try part.write(lines)
  }

  /// Says in the journal what is so with all that was written.
  package mutating func commit(_ line: (PartialFile.Position) -> [UInt8]) throws(FileError) {
    try part.flush()
    try journal.add(line(part.position))
    guard ContinuousClock.now - synced > Self.syncInterval else { return }
    try sync()
  }

  /// Says something in the journal that has nothing to do with the part.
  package mutating func note(_ lines: [UInt8]) throws(FileError) {
    try journal.add(lines)
  }

  /// Whether most of the journal may be of no use any more.
  package var isJournalLarge: Bool { journal.size > journalLimit }

  /// Writes the journal anew, without what is of no use any more.
  package mutating func replaceJournal(_ beginning: (inout AtomicFile) throws(FileError) -> Void) throws(FileError) {
    try sync()
    journal = try Journal(Journal.Beginning(place, calls: calls, beginning))
    journalLimit = Self.limit(journal.size)
  }

  /// It is whole: becomes the file, or what the file ends with. The journal is there until `tidy()`.
  ///
  /// - Parameter line: says in the journal that it is whole; takes what all of it is, and which file it is to be added to.
  package mutating func finish(
    appending: Bool, _ line: (PartialFile.Position, _ old: FileMetadata?) -> [UInt8]
  ) throws(FileError) {
    try part.flush()
    try journal.add(line(part.position, appending ? AtomicFile.facts(of: place.path, calls) : nil))
    // What is added twice is wrong; what has FILE's name already is only fetched again, should the power fail just then.
    if appending { try journal.sync() }
    try part.finish(appending: appending)
  }

  /// Nothing is left to be done for it.
  package func tidy() throws(FileError) {
    try place.remove(place.journal, calls)
  }

  /// It is to be gone on with.
  package mutating func sync() throws(FileError) {
    try part.sync()
    try journal.sync()
    synced = .now
  }

  /// Nobody will go on with it.
  package func discard() throws(FileError) {
    try part.discard()
    try place.remove(place.journal, calls)
  }

  private static func limit(_ size: Int) -> Int { size * 2 + (8 << 20) }
}
