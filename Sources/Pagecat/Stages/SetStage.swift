// Records pass through, with members set. Nothing is requested.

import FetchPlan
import JSONText
import PipelineSpec
import Wire

/// The stage of a job without `endpoint`.
actor SetStage: Stage {
  private let job: JobContext
  private let upstream: any Stage
  private var isOver = false
  private var inputProgress: InputProgress
  /// Sets members of records that need no individual handling.
  private var setter: MemberSetter?

  /// Creates the stage.
  ///
  /// - Parameters:
  ///   - isInputReplayable: true if a resumed run can read the input again, from the position in the checkpoint.
  ///   - checkpoint: position at which another process stopped.
  init(_ job: JobContext, upstream: any Stage, isInputReplayable: Bool, resuming checkpoint: StageCheckpoint? = nil) {
    self.job = job
    self.upstream = upstream
    inputProgress = InputProgress(job, isInputReplayable: isInputReplayable, resuming: checkpoint)
    setter = MemberSetter(for: job.plan)
  }

  func next() async -> Batch? {
    guard !isOver, let batch = await upstream.next() else { return nil }
    if job.plan.job.set.isEmpty {
      inputProgress.number += batch.count
      return inputProgress.marked(batch.lines, behind: batch)
    }
    var editor = BatchEditor(batch)
    while !isOver, let record = editor.next(&setter) {
      do {
        editor.put(try changed(record, number: inputProgress.number + editor.count))
      } catch {
        await answer(error, record, number: inputProgress.number + editor.count)
      }
    }
    return inputProgress.through(editor, of: batch, isWhole: !isOver)
  }

  func stop() async {
    isOver = true
    await upstream.stop()
  }

  private func changed(_ record: JSONValue, number: Int) throws(NetworkingError) -> [UInt8] {
    let additions: [(name: String, value: JSONValue)]
    do {
      additions = try job.plan.additions(for: record)
    } catch {
      throw NetworkingError(error, hiding: job.fetcher.secrets)
    }
    return try adding(additions, to: record, of: "input", number: number).line
  }

  /// Handles an input record that lacks a needed member, as `onError` says.
  private func answer(_ error: NetworkingError, _ record: JSONValue, number: Int) async {
    let failure = Failure(error: error, job: job.name, record: number)
    guard job.plan.job.onError == .stop else { return inputProgress.reject(failure, record) }
    job.report.fail(failure)
    await stop()
  }
}
