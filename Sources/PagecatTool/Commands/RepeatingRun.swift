// `--every`: the same run again and again.

import Pagecat

/// Runs from start to start. A run that takes longer than the interval drops the ticks that it misses; what fails is
/// told, and tried again at the next tick.
struct RepeatingRun {
  private let interval: Duration
  private let isToFile: Bool
  private let signals: Signals
  private let console: Console

  /// - Parameter isToFile: whether records go to a file, which the next run may write where this one could not.
  init(interval: Duration, isToFile: Bool, _ signals: Signals, _ console: Console) {
    self.interval = interval
    self.isToFile = isToFile
    self.signals = signals
    self.console = console
  }

  /// Ends by a signal, or where no run could do better than the one before.
  ///
  /// - Throws: what is wrong with the command line or a spec, when it shows on the first run.
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
    } catch let error as OutputError {
      return CommandFailure(error).told(by: console)
    } catch {
      guard !isFirst else { throw error }
      return CommandFailure(error).told(by: console)
    }
  }

  /// Gives the signal that ended it, if one did.
  private func sleep(until tick: ContinuousClock.Instant) async -> Interruption? {
    let sleeping = Task { try await Task.sleep(until: tick, clock: .continuous) }
    signals.listen { _ in sleeping.cancel() }
    _ = await sleeping.result
    return signals.first
  }
}
