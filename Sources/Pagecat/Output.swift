// Where records go: standard output or a file, with every write checked.

import Emitting

/// Why output ended.
package enum OutputError: Error, Hashable, Sendable {
  /// The reader went away: no message, exit code 141.
  case readerGone
  /// What could not be written and why: exit code 5.
  case failed(String)
  /// Another run holds the file, and which: exit code 75.
  case busy(String)

  init(_ fault: FileError) {
    switch fault {
    case .readerGone: self = .readerGone
    case .failed(let problem): self = .failed(problem)
    case .busy(let path, let owner):
      self = .busy("'\(path)' is held by another run" + (owner.isEmpty ? "" : " (process \(owner))"))
    }
  }
}

/// What takes a run's records.
protocol RecordSink: ~Copyable {
  /// The records are out of our hands when it returns.
  ///
  /// - Parameter facts: what is so with these records.
  mutating func take(_ batch: Batch, _ counters: Report.Counters) throws(OutputError)
  /// Whether that may have to wait for a reader.
  func mayWait(toTake batch: Batch) -> Bool
  /// Whether nobody is there any more to read them.
  var isReaderGone: Bool { get }
}

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

extension Run {
  /// Writes all records. What was written is flushed before anything more is asked for, so that a reader sees each page
  /// when it is there, and a reader that left ends the run before its next request.
  ///
  /// - Parameter output: where records go when the run has no file of its own to write them to.
  package func write(to output: inout Output) async throws(OutputError) {
    if !requests, checkpointedOutput == nil { output.widen() }
    do throws(OutputError) {
      try await withTaskExecutorPreference(executor) { () async throws(OutputError) in
        if var checkpointedOutput {
          try await writeAll(to: &checkpointedOutput)
        } else {
          try await writeAll(to: &output)
        }
      }
    } catch {
      if case .failed(let problem) = error {
        report.tellFailure()
        report.failOutput(problem)
      }
      await stop()
      throw error
    }
  }

  private func writeAll(to output: inout some RecordSink & ~Copyable) async throws(OutputError) {
    while let batch = await nextUnlessCancelled() {
      var counters = report.counters
      counters.records += batch.count
      try await hand(batch, counters, to: &output)
      report.count { $0.records = counters.records }
      if output.isReaderGone { throw .readerGone }
    }
    // Whatever failed because of that is no failure.
    if output.isReaderGone { throw .readerGone }
    report.tellFailure()
  }

  /// Where a slow reader may make it wait, that is not for the thread of the transfers to do: nothing would be sent or
  /// received meanwhile, and what is under way would be taken for stalled.
  private func hand(
    _ batch: Batch, _ counters: Report.Counters, to output: inout some RecordSink & ~Copyable
  ) async throws(OutputError) {
    guard executor != nil, output.mayWait(toTake: batch) else { return try output.take(batch, counters) }
    try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(OutputError) in
      try output.take(batch, counters)
    }
  }

  /// Cancelling ends between two writes: what is under way is given up at once.
  private func nextUnlessCancelled() async -> Batch? {
    await withTaskCancellationHandler {
      await next()
    } onCancel: {
      Task { await stop() }
    }
  }
}
