import Engine
import Files
import Primitives
import Diagnostics
import JSONText
import PipelineSpec
import Synchronization
import Wire

/// A run of the library that has started: it informs the observer, and ends once.
final class RunSession: Sendable {
  private let run: Run
  private let name: String
  private let label: String?
  private let feed: RecordFeed?
  private let queue: EventQueue
  /// The first input record that was left out or answered empty.
  private let firstReject = FirstReject()
  private let isEnded = Atomic(false)
  private let ended = Locked<RunSummary?>(nil)

  /// - Throws: `SpecError`, or `NetworkingError.busy` or `outputFailure`, if the run can't begin.
  init(
    _ specs: [Spec], _ options: RunOptions, _ given: PipelineOptions, _ destination: Destination, _ feed: RecordFeed?,
    _ queue: EventQueue
  ) throws {
    (self.feed, self.queue, label) = (feed, queue, given.label)
    name = specs.map(\.name).joined(separator: " | ").printable
    do {
      run = try Run(
        specs, options: options, source: given.source, destination: destination, recording: given.recording,
        input: feed.map { Input(pipe: $0.pipe) } ?? Input(descriptor: 0),
        listener: RunListener(to: queue.isObserved ? [.request, .wait] : []) { _ in queue.advance() },
        warn: { queue.add(.warning($0)) },
        tell: { [firstReject] failure, isFinal in
          guard !isFinal else { return }
          firstReject.record(failure)
          queue.add(.reject(PipelineEvent.Reject(failure)))
        })
    } catch let fault as FileError {
      throw NetworkingError(fault)
    }
    queue.watch(run.report)
    feed?.start()
  }

  deinit {
    guard !isEnded.load(ordering: .relaxed) else { return }
    feed?.stop()
    queue.finish()
  }

  /// Summary of the run, if it has ended.
  var summary: RunSummary? { ended.withLock { $0 } }

  var secrets: SecretStore { run.secrets }

  /// Returns the next records; nil at the end of a run that is complete or was capped by a limit.
  func next() async throws -> Batch? {
    do {
      try Task.checkCancellation()
      let batch = await withTaskCancellationHandler {
        await run.next()
      } onCancel: {
        Task { [run] in await run.stop() }
      }
      guard let batch else {
        try Task.checkCancellation()
        try await end()
        return nil
      }
      run.count(batch)
      queue.advance()
      return batch
    } catch let error as CancellationError {
      await abandon()
      throw error
    }
  }

  /// Writes all records to the run's file.
  func write() async throws {
    var output = Output(descriptor: -1)
    do {
      try await run.write(to: &output)
    } catch {
      try? await end()
      throw NetworkingError(error)
    }
    guard !Task.isCancelled else {
      await abandon()
      throw CancellationError()
    }
    try await end()
  }

  /// Ends a run whose records nobody requests any more.
  ///
  /// A later run can resume from the files.
  func abandon() async {
    run.interrupt(.interrupt)
    try? await end()
  }

  /// Ends the run: its files, its events and its input.
  ///
  /// - Throws: the failure of the run, or `IncompleteError` if records are missing.
  private func end() async throws {
    guard !isEnded.exchange(true, ordering: .relaxed) else { return }
    await run.stop()
    feed?.stop()
    let fault = closeFiles()
    queue.finish()
    if let error = feed?.error { throw error }
    try throwFailure()
    if let fault { throw NetworkingError(fault) }
  }

  /// Completes and releases the files.
  ///
  /// The summary is made before the release, since the files know which run was resumed.
  private func closeFiles() -> FileError? {
    do throws(FileError) {
      defer { ended.withLock { $0 = RunSummary(of: run, name: name, label: label) } }
      _ = try run.close()
    } catch {
      return error
    }
    do throws(FileError) {
      try run.release()
      return nil
    } catch {
      return error
    }
  }

  private func throwFailure() throws {
    let counters = run.report.counters
    if let refusal = counters.refusal { throw SpecError(messages: [refusal]) }
    if let failure = counters.failure { throw failure.error.located(inRecord: failure.record) }
    // The verdict is one that the options allow.
    if run.exitCode == .complete { return }
    let first = firstReject.description.map { "; the first: \($0)" } ?? ""
    switch counters.verdict {
    case .short, .failed: throw IncompleteError(verdict: counters.verdict, reason: counters.reason)
    case .partial: throw IncompleteError(verdict: .partial, reason: counters.reason + first)
    case .complete, .capped: break
    }
  }
}

/// Stores the first failure that it receives.
private final class FirstReject: Sendable {
  private let first = Locked<Failure?>(nil)

  func record(_ failure: Failure) { first.withLock { $0 = $0 ?? failure } }

  var description: String? { first.withLock { $0?.description } }
}

extension NetworkingError {
  /// Returns this error with the input record's number, if no other part of the error names the record.
  fileprivate func located(inRecord number: Int?) -> NetworkingError {
    guard let number, case .invalidParameter(let template, let position, let context) = self else { return self }
    return .invalidParameter(template: template, position: "\(position), input record \(number)", context)
  }
}
