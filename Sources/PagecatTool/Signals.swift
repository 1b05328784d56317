// SIGINT and SIGTERM: the first one ends a run in good order, a second one ends the process at once. So does the first
// one where the run can't end: it may wait for the reader of a full pipe, or for one to open it.

import Dispatch
import Pagecat
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The signals by which people and machines end a process. Nothing is changed about them until someone listens.
///
/// Signals that were ignored when the process began (`nohup`, a shell's `&`) stay ignored.
final class Signals: Sendable {
  private struct State {
    var first: Interruption?
    var listener: (@Sendable (Interruption) -> Void)?
    var sources: [any DispatchSourceSignal] = []
  }

  /// How long a run may take to end: what it does then is to sync and rename what is whole.
  private static let grace = DispatchTimeInterval.seconds(5)

  private let state = Mutex(State())

  /// The one that came first, if one has come.
  var first: Interruption? { state.withLock { $0.first } }

  /// Whoever can end in good order says so here, and hears at once of a signal that has come already.
  func listen(_ listener: @escaping @Sendable (Interruption) -> Void) {
    let first = state.withLock { state in
      state.listener = listener
      if state.sources.isEmpty {
        state.sources = [source(of: SIGINT, .interrupt), source(of: SIGTERM, .terminate)].compactMap { $0 }
      }
      return state.first
    }
    if let first { listener(first) }
  }

  /// Whoever listened has ended. Nothing of it is kept; the next signal ends the process.
  func stopListening() {
    state.withLock { $0.listener = nil }
  }

  private func source(of number: Int32, _ interruption: Interruption) -> (any DispatchSourceSignal)? {
    let before = signal(number, SIG_IGN)
    guard unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else { return nil }
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
    source.setEventHandler { [self] in came(interruption) }
    source.activate()
    return source
  }

  private func came(_ interruption: Interruption) {
    let listener = state.withLock { state in
      guard state.first == nil else { return nil as (@Sendable (Interruption) -> Void)? }
      state.first = interruption
      return state.listener
    }
    guard let listener else { _exit(interruption.exitCode.rawValue) }
    DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + Self.grace) {
      _exit(interruption.exitCode.rawValue)
    }
    listener(interruption)
  }
}
