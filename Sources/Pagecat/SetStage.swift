// Records pass through, with members set. Nothing is requested.

import FetchPlan
import JSONText
import PipelineSpec
import Wire

/// The stage of a job without `endpoint`.
actor SetStage: Stage {
  private let job: RunningJob
  private let upstream: any Stage
  private var isOver = false
  private var passage: Passage
  /// Sets members of records that need no closer look.
  private var setter: MemberSetter?

  /// - Parameters:
  ///   - comesAgain: whether input records come again, from where the standing says, when the run is gone on with.
  ///   - standing: where another process has left off.
  init(_ job: RunningJob, upstream: any Stage, comesAgain: Bool, resuming standing: Standing? = nil) {
    self.job = job
    self.upstream = upstream
    passage = Passage(job, comesAgain: comesAgain, resuming: standing)
    setter = MemberSetter(for: job.plan)
  }

  func next() async -> Batch? {
    guard !isOver, let batch = await upstream.next() else { return nil }
    if job.plan.job.set.isEmpty {
      passage.number += batch.count
      return passage.marked(batch.lines, behind: batch)
    }
    var pass = SettingPass(batch)
    while !isOver, let record = pass.next(&setter) {
      do {
        pass.put(try changed(record, number: passage.number + pass.count))
      } catch {
        await answer(error, record, number: passage.number + pass.count)
      }
    }
    return passage.through(pass, of: batch, isWhole: !isOver)
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
    return try with(additions, record, of: "input", number: number).line
  }

  /// What `onError` says to do about an input record that lacks what is needed.
  private func answer(_ error: NetworkingError, _ record: JSONValue, number: Int) async {
    let failure = Failure(error: error, job: job.name, record: number)
    guard job.plan.job.onError == .stop else { return passage.reject(failure, record) }
    job.report.fail(failure)
    await stop()
  }
}
