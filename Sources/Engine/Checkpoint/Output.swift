// The output of records: standard output or a file, with every write checked.

package import Files

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
      try Descriptor(path: path, .inPlace, calls: .system)
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
