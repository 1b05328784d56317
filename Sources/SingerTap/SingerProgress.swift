import Engine
import JSONText

/// The positions of a stream while it is written, and the times at which STATE messages carry them.
///
/// A STATE is written at most once a second, since a target may write all pending records for each STATE.
struct SingerProgress {
  private static let interval: Duration = .seconds(1)

  private let stream: String
  /// True if the stream was resumed at a position.
  private let isResumed: Bool
  /// The last moment at which the stream can be resumed, if no STATE has carried it.
  private var moment: Run.Moment?
  private var written: ContinuousClock.Instant?
  /// True if the run has moved on from its first position.
  private var hasMoved = false

  init(_ stream: String, isResumed: Bool) {
    (self.stream, self.isResumed) = (stream, isResumed)
  }

  /// True if it is time for a STATE with the last moment.
  var isDue: Bool { moment != nil && written.map { .now - $0 >= Self.interval } ?? true }

  mutating func move(to moment: Run.Moment?) {
    guard let moment else { return }
    self.moment = moment
    hasMoved = true
  }

  /// Puts the last moment into the state; returns false if no moment can be written.
  mutating func store(_ run: Run, in state: inout SingerState) -> Bool {
    guard let moment else { return false }
    (self.moment, written) = (nil, .now)
    guard let position = run.position(at: moment) else { return false }
    state.store(stream, at: position)
    return true
  }

  /// Puts the end of the stream's run into the state; returns false if a STATE would have nothing new.
  mutating func end(_ run: Run, in state: inout SingerState) -> Bool {
    let counters = run.report.counters
    if counters.verdict == .failed {
      if hasMoved { return store(run, in: &state) }
      // A position that the run refused would be refused in every run.
      guard isResumed, counters.refusal != nil || counters.isPositionLost else { return false }
    }
    let hasPosition = state.position(of: stream) != nil
    state.endPosition(of: stream)
    return counters.verdict == .complete || hasPosition
  }
}
