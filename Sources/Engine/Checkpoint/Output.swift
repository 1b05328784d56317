// The output of records: standard output or a file, with every write checked.

package import Files
package import JSONText
import Unwrapping

/// Standard output or its substitute, or an existing path that is not a regular file, written in place.
package struct Output: ~Copyable, RecordSink {
  private let file: Descriptor?
  private var writer: LineWriter

  package init(descriptor: Int32) {
    file = nil
    writer = LineWriter(descriptor: descriptor, name: "standard output")
  }

  /// Opens a pipe, a device or a terminal.
  package init(path: String) throws(FileError) {
    let file = try FileError.of("-o") { () throws(FileError) in
      try Descriptor(path: path, .output, calls: .system)
    }
    writer = LineWriter(descriptor: file.number, name: "'\(path)'")
    self.file = consume file
  }

  package mutating func write(_ lines: [UInt8]) throws(FileError) {
    try writer.write(lines)
  }

  /// Enlarges the buffer of a pipe, for records that cost no request.
  func widen() {
    writer.widen()
  }

  package mutating func flush() throws(FileError) {
    try writer.flush()
  }

  mutating func take(_ batch: Batch, _ counters: RunCounters) throws(FileError) {
    try write(batch.lines)
    try flush()
  }

  func mayWait(toTake batch: Batch) -> Bool { writer.mayWait(toWrite: batch.lines.count) }

  package var isReaderGone: Bool { writer.isReaderGone }

  /// Reports that the reader of a descriptor has left.
  package static func isReaderGone(_ descriptor: Int32) -> Bool {
    LineWriter.isReaderGone(descriptor)
  }
}

/// The consumer of a run's records.
protocol RecordSink: ~Copyable {
  /// Writes a batch, and returns when the operating system has it.
  ///
  /// - Parameter counters: counters of the run after this batch.
  mutating func take(_ batch: Batch, _ counters: RunCounters) throws(FileError)
  /// Reports that writing the batch may have to wait for a reader.
  func mayWait(toTake batch: Batch) -> Bool
  /// True if the reader of the records has left.
  var isReaderGone: Bool { get }
}

/// Takes the progress of the stages before the last one, so that another process can resume the run.
protocol ProgressLog: Sendable {
  /// True if all bookmarks of a stream are kept; otherwise only the last one.
  var keepsEachBookmark: Bool { get }
  /// The way to start over, for a message.
  var wayToStartOver: String { get }
  /// Keeps input records of a stage, before their page is complete.
  ///
  /// Returns false if that failed.
  func keep(_ lines: [UInt8], for stage: Int) -> Bool
  /// Ends the input records of a page, with the progress of the previous stages.
  ///
  /// Returns false if that failed.
  func endPage(from start: Int, count: Int, for stage: Int, _ progress: [StageProgress], _ counters: RunCounters)
    -> Bool
  /// Keeps the hash of a saved file's path, so that no other record gets the path.
  func appendSavedPath(_ hash: Int, stage: Int, record: Int)
}

// MARK: The unit that stages pass on: whole NDJSON lines, a chunk of a page at a time

/// Some records as NDJSON: whole compact lines, each with its LF.
package struct Batch: Sendable {
  package private(set) var lines: [UInt8]
  /// Number of records, if it is already known.
  private var known: Int?
  /// Index of the lines' tokens, as far as it was found and the consumer of the batch wants it.
  var tokenIndex = TokenIndex()
  /// Number of fetched records, if they are joined to those of the batch; nil if these are the fetched ones.
  var fetchedCount: Int?
  /// Number of pages that begin in this batch, for the stage that gives it.
  var pages = 0
  /// Number of records of those pages in which a list was cut.
  var nested = 0
  /// Number of records that were left out, since they came before on another page.
  private(set) var repeats = 0
  /// Number of records whose key came before on another page, with other bytes.
  var changed = 0
  /// Hashes of the records by `unique`, for a job whose records a resumed run can't read again.
  var keys: [UInt64] = []
  /// Progress of the stages after this batch; empty if the run can't be resumed before the next batch.
  var progress: [StageProgress] = []

  package init(lines: [UInt8]) {
    self.lines = lines
  }

  init(_ lines: [UInt8], _ tokenIndex: TokenIndex) {
    self.lines = lines
    self.tokenIndex = tokenIndex
  }

  init(_ held: HeldLines) {
    lines = held.lines
    known = held.count
    tokenIndex = held.tokenIndex
  }

  /// Number of records.
  package var count: Int { known ?? lineCount(of: lines) }

  /// The records one at a time, sharing the batch's storage.
  package var records: TokenIndexedRecords { TokenIndexedRecords(lines, tokenIndex) }

  /// Leaves out some of the lines, and counts them.
  mutating func leaveOut(_ repeated: [Range<Int>]) {
    guard !repeated.isEmpty else { return }
    known = count - repeated.count
    repeats += repeated.count
    var kept: [UInt8] = []
    kept.reserveCapacity(lines.count)
    var start = 0
    for line in repeated {
      kept += lines[start..<line.lowerBound]
      start = line.upperBound
    }
    lines = kept + lines[start...]
    tokenIndex = TokenIndex()
  }

  /// Adds the counts of records that came again, from batches that this one has in itself.
  mutating func addRepeats(of other: Batch) {
    repeats += other.repeats
    changed += other.changed
  }

  /// Keeps the first `limit` records, and returns their number.
  package mutating func cut(to limit: Int) -> Int {
    var records = records
    var kept = 0
    var end = 0
    while kept < limit, let record = records.next() {
      kept += 1
      end = record.bytes.endIndex + 1
    }
    if end < lines.count { lines.removeLast(lines.count - end) }
    known = kept
    return kept
  }
}

extension JSONValue {
  /// The value as an NDJSON line.
  package var line: [UInt8] { Array(bytes) + [UInt8(ascii: "\n")] }

  /// The input record that `each` could not expand, if this value stands for one: expanded records are never arrays.
  var unexpandedRecord: JSONValue? { kind == .array ? elements.first { _ in true } : nil }
}
