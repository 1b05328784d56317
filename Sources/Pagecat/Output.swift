// Where records go: standard output, with every write checked.

import Emitting

/// Why output ended.
package enum OutputFault: Error, Hashable, Sendable {
  /// The reader went away: no message, exit code 141.
  case readerGone
  /// What could not be written and why: exit code 5.
  case failed(String)

  fileprivate init(_ fault: EmitFault) {
    switch fault {
    case .readerGone: self = .readerGone
    case .failed(let problem): self = .failed(problem)
    }
  }
}

/// Standard output, or whatever stands for it.
package struct Output: ~Copyable {
  private var writer: LineWriter

  package init(descriptor: Int32) {
    writer = LineWriter(descriptor: descriptor, name: "standard output")
  }

  package mutating func write(_ lines: [UInt8]) throws(OutputFault) {
    do {
      try writer.write(lines)
    } catch {
      throw OutputFault(error)
    }
  }

  package mutating func flush() throws(OutputFault) {
    do {
      try writer.flush()
    } catch {
      throw OutputFault(error)
    }
  }

  var isReaderGone: Bool { writer.isReaderGone }
}

extension Run {
  /// Writes all records. What was written is flushed before anything more is asked for, so that a reader sees each page
  /// when it is there, and a reader that left ends the run before its next request.
  package func write(to output: inout Output) async throws(OutputFault) {
    do throws(OutputFault) {
      try await withTaskExecutorPreference(executor) { () async throws(OutputFault) in
        try await writeAll(to: &output)
      }
    } catch {
      if case .failed(let problem) = error { report.failOutput(problem) }
      await stop()
      throw error
    }
  }

  private func writeAll(to output: inout Output) async throws(OutputFault) {
    while let batch = await next() {
      try output.write(batch.lines)
      try output.flush()
      count(batch)
      if output.isReaderGone { throw .readerGone }
    }
  }
}
