// `--every`: repeats a run at an interval.

import Engine
import Files

/// Repeats a run at an interval that counts from start to start.
///
/// A run that takes longer than the interval skips the ticks that it misses. A failed run is reported, and retried at
/// the next tick.
struct RepeatingRun {
  private let interval: Duration
  private let isToFile: Bool
  private let signals: Signals
  private let console: Console

  /// Prepares the repetition.
  ///
  /// - Parameter isToFile: true if records go to a file, so that a later run may succeed where this run could not
  ///   write.
  init(interval: Duration, isToFile: Bool, _ signals: Signals, _ console: Console) {
    self.interval = interval
    self.isToFile = isToFile
    self.signals = signals
    self.console = console
  }

  /// Runs until a signal arrives, or until no further run could succeed.
  ///
  /// - Throws: errors in the command line or a spec, if the first run shows them.
  func run(_ once: () async throws -> ExitCode) async throws -> ExitCode {
    let begun = ContinuousClock.now
    var ticks = 0
    while true {
      let code = try await refresh(isFirst: ticks == 0, once)
      if let signal = signals.first { return signal.exitCode }
      if code == .readerGone || code == .output && !isToFile { return code }
      repeat { ticks += 1 } while begun + interval * ticks <= .now
      if let signal = await sleep(until: begun + interval * ticks) { return signal.exitCode }
    }
  }

  private func refresh(isFirst: Bool, _ once: () async throws -> ExitCode) async throws -> ExitCode {
    do {
      return try await once()
    } catch let error as FileError {
      return CommandFailure(error).told(by: console)
    } catch {
      guard !isFirst else { throw error }
      return CommandFailure(error).told(by: console)
    }
  }

  /// Sleeps until a tick, and returns the signal that ended the sleep, if any.
  private func sleep(until tick: ContinuousClock.Instant) async -> Interruption? {
    let sleeping = Task { try await Task.sleep(until: tick, clock: .continuous) }
    signals.listen { _ in sleeping.cancel() }
    _ = await sleeping.result
    return signals.first
  }
}
