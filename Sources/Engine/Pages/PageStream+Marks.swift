// The marks of a stream: what its pages are compared with, and what the next run begins with. What is too large for it.

import Diagnostics
import FetchPlan
import Files
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import Unwrapping
import Wire

extension PageStream {
  /// Warns if another input record has the same mark: records that one of them has seen count as known for the other.
  func warnOfSharedMark() {
    guard let markID, !job.highWaterMarks.isFirst(job.plan.markOwner(of: record), withID: markID, in: job.name) else {
      return
    }
    job.report.adviseOnce(
      "\(job.name): input records that differ have the same values of 'by' (\(job.fetcher.secrets.redacting(markID.text).printable)), "
        + "and so one mark: what one of them has seen is taken for known by the other; if they stand for different things, name "
        + "what tells them apart in 'by', which takes a list", about: "by \(job.name)")
  }

  /// Returns the mark of the input record, if `mark` is a template.
  func readInputMark() throws(ParameterError) -> HighWaterMark? {
    guard let value = try job.plan.inputMark(of: record), let incremental = job.plan.job.incremental else { return nil }
    var mark = HighWaterMark(form: incremental.form)
    do {
      try mark.see(value)
    } catch {
      throw markFault(error, of: "the mark of the input record")
    }
    return mark
  }

  func markReading() throws(ParameterError) -> MarkReading? {
    guard let incremental = job.plan.job.incremental, case .member(let path) = incremental.mark else { return nil }
    let isCompared = incremental.only == .new || job.plan.job.pages?.until.contains(.known) == true
    let since = job.plan.since(for: record)
    let saved =
      incremental.only == .all || isWithoutMark
      ? RecordHashes() : job.highWaterMarks.savedRecords(of: job.name, by: markID)
    do {
      return try MarkReading(
        path: path, form: incremental.form, known: isCompared ? since?.value : nil,
        keepsEqual: since?.isStart == true,
        leavesOut: incremental.only == .new,
        repeated: (mark: since.flatMap { $0.isStart ? nil : $0.value }, records: saved),
        wantsHashes: incremental.only != .all && job.highWaterMarks.remembersRecords(of: job.name))
    } catch {
      throw markFault(error, of: "the mark to compare with")
    }
  }

  private func markFault(_ error: HighWaterMark.Mixed, of mark: String) -> ParameterError {
    ParameterError(
      template: "incremental", position: job.name, problem: "\(mark): expected \(error.expected), found \(error.found)")
  }

  /// Throws if the next run could not start with the first mark of the job, before any record comes out.
  func checkFirst(_ mark: HighWaterMark) throws(NetworkingError) {
    guard let check = job.markCheck, let value = mark.value, job.highWaterMarks.isFirstMark(of: job.name) else {
      return
    }
    do throws(FileError) {
      let marks = markID.map { JSONValue(members: [(name: $0.text, value: value)]) } ?? value
      try check.check([(name: job.name, value: marks)])
    } catch {
      throw .outputFailure(reason: error.problem)
    }
  }
}

// MARK: Pages and windows that are too large for the server: `smaller` and `split`

extension PageStream {
  /// Fetches a page; one that the server can't give in time is asked for with a smaller size (`smaller`).
  func fetchSmaller(
    _ request: Request, _ wants: PageWants
  ) async throws(NetworkingError) -> (Page, PageFacts) {
    guard job.plan.job.pages?.smallest != nil else { return try await fetch(request, wants) }
    var (request, wants) = (request, wants)
    while true {
      wants.size = pager?.canShrink == true ? SizeProbe() : nil
      do {
        return try await fetch(request, wants)
      } catch {
        guard wants.size?.isTooLarge.load(ordering: .relaxed) == true, !isStopped, let next = pager?.shrink() else {
          throw error
        }
        job.advise(next.note, about: "smaller \(next.note)")
        request = next.request
      }
    }
  }

  /// Reports evidence that the set is not whole, unless the job says that it is meant, or the window can be halved.
  ///
  /// Evidence about a window that may be halved is held until the window is known to be whole.
  func raise(_ evidence: Evidence) {
    guard splits else {
      return job.raise(evidence, of: record.map { FetchedInput(record: $0, numbers: numbers, url: firstURL) })
    }
    if [.total, .more, .full].contains(evidence.sign), !job.plan.job.ignored.contains(evidence.sign) {
      excess = excess ?? evidence
    } else {
      held.append(evidence)
    }
  }

  /// Reports that the user's limit ended the pages; of a window that may be halved, once it is known to be whole.
  func tellCap() {
    guard let cap else { return }
    job.report.cap("\(job.name): limit of \(cap.counted("page"))")
  }

  /// Number of records so far, the number that the server has announced, and whether both count what comes out.
  var counts: (records: Int, total: Int?, isOfOutput: Bool) {
    // Without 'pages', the pager counts nothing.
    if job.plan.job.pages == nil, let body = pageFacts?.body {
      return (body.itemCount, pager?.knownTotal, body.itemCount == body.recordCount)
    }
    return (pager?.recordCount ?? 0, pager?.knownTotal, pager?.countsRecords == true)
  }
}

extension NetworkingError {
  /// True for a status by which servers refuse a question whose answer would be too large.
  var refusesWindow: Bool {
    guard case .invalidResponseStatus(_, let context) = self, let status = context.status else { return false }
    return [400, 413, 414, 416, 422].contains(status)
  }
}
