import Files

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
