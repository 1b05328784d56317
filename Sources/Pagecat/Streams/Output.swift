// The output of records: standard output or a file, with every write checked.

import Files

/// Standard output or its substitute, or an existing path that is not a regular file, written in place.
package struct Output: ~Copyable, RecordSink {
  private let file: Descriptor?
  private var writer: LineWriter

  package init(descriptor: Int32) {
    file = nil
    writer = LineWriter(descriptor: descriptor, name: "standard output")
  }

  /// Opens a pipe, a device or a terminal.
  package init(path: String) throws(OutputError) {
    do {
      let file = try Descriptor(path: path, .inPlace, calls: .system)
      writer = LineWriter(descriptor: file.number, name: "'\(path)'")
      self.file = consume file
    } catch {
      throw OutputError(error)
    }
  }

  package mutating func write(_ lines: [UInt8]) throws(OutputError) {
    do {
      try writer.write(lines)
    } catch {
      throw OutputError(error)
    }
  }

  /// Enlarges the buffer of a pipe, for records that cost no request.
  func widen() {
    writer.widen()
  }

  package mutating func flush() throws(OutputError) {
    do {
      try writer.flush()
    } catch {
      throw OutputError(error)
    }
  }

  mutating func take(_ batch: Batch, _ counters: RunCounters) throws(OutputError) {
    try write(batch.lines)
    try flush()
  }

  func mayWait(toTake batch: Batch) -> Bool { writer.mayWait(toWrite: batch.lines.count) }

  var isReaderGone: Bool { writer.isReaderGone }

  /// Reports that the reader of a descriptor has left.
  package static func isReaderGone(_ descriptor: Int32) -> Bool {
    LineWriter.isReaderGone(descriptor)
  }
}
