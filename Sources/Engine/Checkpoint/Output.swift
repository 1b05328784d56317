// The output of records: standard output or a file, with every write checked.

package import Files
import JSONText

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
