package import Files

extension Run {
  /// Writes all records, and flushes each batch before the next request.
  ///
  /// So a reader sees each page as soon as it is complete. If the reader leaves, the run ends before its next request.
  ///
  /// - Parameter output: output for the records, unless the run has its own file.
  package func write(to output: inout Output) async throws(FileError) {
    if !makesRequests, checkpointedOutput == nil { output.widen() }
    do throws(FileError) {
      try await withTaskExecutorPreference(executor) { () async throws(FileError) in
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

  private func writeAll(to output: inout some RecordSink & ~Copyable) async throws(FileError) {
    while let batch = await nextUnlessCancelled() {
      var counters = report.counters
      counters.records += batch.count
      try await hand(batch, counters, to: &output)
      count(batch)
      if output.isReaderGone { throw .readerGone }
    }
    // A failure after the reader left is a consequence of that.
    if output.isReaderGone { throw .readerGone }
    report.tellFailure()
  }

  /// Writes a batch, on another thread than the transfers' if a slow reader may block the write.
  ///
  /// A blocked thread of the transfers could neither send nor receive, and transfers in progress would seem to stall.
  private func hand(
    _ batch: Batch, _ counters: RunCounters, to output: inout some RecordSink & ~Copyable
  ) async throws(FileError) {
    guard executor != nil, output.mayWait(toTake: batch) else { return try output.take(batch, counters) }
    try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(FileError) in
      try output.take(batch, counters)
    }
  }

  /// Returns the next batch; cancelling the task stops the run between two writes.
  private func nextUnlessCancelled() async -> Batch? {
    await withTaskCancellationHandler {
      await next()
    } onCancel: {
      // Interrupt the run before `stop`, which looks like the end of all records.
      interrupt(.interrupt)
      Task { await stop() }
    }
  }
}
