import FetchPlan
package import Files
package import JSONText
import Primitives
import Wire

extension Run {
  /// The outcome of the run, for the member `_run` of its recording.
  var outcome: JSONValue {
    let counters = report.counters
    let jobs = jobNames.enumerated().map { (counters.jobs[$0] ?? JobCounters()).json(named: secrets.redacting($1)) }
    let begin = [
      ("name", JSONValue(secrets.redacting(name))), ("started", JSONValue(started)), ("seconds", elapsed.jsonSeconds),
    ]
    let resumedFrom = resumption.map { [("resumedFrom", JSONValue($0.start))] } ?? []
    let end = [
      ("verdict", JSONValue(counters.verdict.rawValue)), ("reason", JSONValue(secrets.redacting(counters.reason))),
      ("jobs", JSONValue(elements: jobs)), ("timeline", counters.timeline.json),
      ("exit", JSONValue(Int(exitCode.rawValue))),
    ]
    return JSONValue(members: begin + resumedFrom + counters.figures + end)
  }
}

extension Run {
  /// The pagers that jobs with `pages: auto` have chosen, by the jobs' names; nil if there are none.
  package var chosenPages: JSONValue? { ChosenPages.json(of: report.counters.chosenPages) }

  /// Returns the part of the run's file in a manifest.
  func manifestPart(_ name: String, _ counters: RunCounters) -> ExportManifest.Part {
    ExportManifest.Part(
      name: name, title: jobNames.last ?? name, verdict: counters.verdict, reason: secrets.redacting(counters.reason),
      exitCode: exitCode,
      marks: marks)
  }
}

extension Run {
  /// A moment at which all stages of the run can be resumed.
  package struct Moment {
    fileprivate let stages: [StageProgress]
    fileprivate let counters: RunCounters
  }

  /// Hash of the run's identity among those that keep positions; nil for other runs.
  package var identity: Int? { files.tracker?.identity.map { Array($0.bytes).fingerprint } }

  /// Returns the moment after a batch that has been counted; nil if the run can't be resumed there.
  ///
  /// Must be called once for each batch, in order.
  package func moment(after batch: Batch) -> Moment? {
    files.tracker?.progress(after: batch).map { Moment(stages: $0, counters: report.counters) }
  }

  /// Returns the position at a moment; nil if it can't be written.
  ///
  /// The marks may be ahead of the moment. That is harmless, since the resumed run reads their records again.
  package func position(at moment: Moment) -> JSONValue? {
    guard let identity = files.tracker?.identity else { return nil }
    return RunPosition.json(
      start: start, identity: identity, moment.stages, moment.counters, marks: marks, hiding: secrets)
  }
}

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
