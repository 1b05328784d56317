package import JSONText
import Primitives

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
