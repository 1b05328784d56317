// Where records go: standard output or a file, with every write checked.

import Files

/// Standard output, or whatever stands for it; or what is there under a path and no regular file, written as it stands.
package struct Output: ~Copyable, RecordSink {
  private let file: Descriptor?
  private var writer: LineWriter

  package init(descriptor: Int32) {
    file = nil
    writer = LineWriter(descriptor: descriptor, name: "standard output")
  }

  /// A pipe, a device, a terminal.
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

  /// Lets a pipe hold more: for records that cost no request.
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

  mutating func take(_ batch: Batch, _ counters: Report.Counters) throws(OutputError) {
    try write(batch.lines)
    try flush()
  }

  func mayWait(toTake batch: Batch) -> Bool { writer.mayWait(toWrite: batch.lines.count) }

  var isReaderGone: Bool { writer.isReaderGone }

  /// The same of a descriptor that somebody else writes to.
  package static func isReaderGone(_ descriptor: Int32) -> Bool {
    LineWriter.isReaderGone(descriptor)
  }
}
