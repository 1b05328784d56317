// SIGINT and SIGTERM: the first one ends a run in good order, a second one ends the process at once. So does the first
// one where the run can't end: it may wait for the reader of a full pipe, or for one to open it. A reader that leaves is
// noticed in the same place, as a signal is, so that no request and no wait keeps a run from ending that nobody reads.
//
// Many who end a process signal it and its group (`timeout`, make, containers): what comes twice at a time is one signal.

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
  private struct State: Sendable {
    var first: Interruption?
    var firstTime = ContinuousClock.now
    var listener: (@Sendable (Interruption) -> Void)?
    /// Whose reader may leave.
    var watched: Int32?
    var isOpen = false
  }

  /// How long a run may take to end: what it does then is to sync and rename what is whole.
  private static let grace = DispatchTimeInterval.seconds(5)

  /// How soon after the first one the same signal may come again and be meant once.
  private static let echo = Duration.milliseconds(500)

  private let state = SharedValue(State())
  /// A thread of its own, which does nothing but wait. (A source of events would start four of them.)
  private let queue = DispatchQueue(label: "pagecat.signals", qos: .userInteractive)

  /// The one that came first, if one has come.
  var first: Interruption? { state.withLock { $0.first } }

  /// Whoever can end in good order says so here, and hears at once of a signal that has come already.
  ///
  /// - Parameter output: a descriptor whose reader may leave. What the first listener says of it holds for all.
  func listen(watching output: Int32? = nil, _ listener: @escaping @Sendable (Interruption) -> Void) {
    let first = state.withLock { state in
      state.listener = listener
      if !state.isOpen { state.watched = output }
      if !state.isOpen {
        state.isOpen = true
        open()
      }
      return state.first
    }
    if let first { listener(first) }
  }

  /// Leaves them to the thread that waits for them. To be called by a thread that does the transfers: nothing that it does
  /// is interrupted then.
  static func leaveToListener() {
    SignalPipe.block()
  }

  /// Whoever listened has ended. Nothing of it is kept; the next signal ends the process.
  ///
  /// - Parameter forGood: there is nothing left that a signal could end. What has been said of the run stays true: none
  ///   changes the exit code any more, unless the process does not come to its end.
  func stopListening(forGood: Bool) {
    let nobody: @Sendable (Interruption) -> Void = { _ in }
    state.withLock { $0.listener = forGood ? nobody : nil }
  }

  /// Lets the signals come through a pipe: whatever a handler does, it may do at any moment, and writing is all it does.
  /// Nothing that is sent from here on is lost.
  private func open() {
    guard let pipe = SignalPipe.open() else { return }
    for number in [SIGINT, SIGTERM] {
      let before = signal(number, SignalPipe.handler)
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
    queue.async { [self] in
      SignalPipe.unblock()
      var watched = state.withLock { $0.watched }
      while let reason = SignalPipe.next(from: pipe, watching: &watched) { came(reason) }
    }
  }

  private func came(_ interruption: Interruption) {
    let (listener, isEcho) = state.withLock { state -> ((@Sendable (Interruption) -> Void)?, Bool) in
      guard state.first == nil else {
        return (nil, state.first == interruption && state.firstTime.duration(to: .now) < Self.echo)
      }
      (state.first, state.firstTime) = (interruption, .now)
      return (state.listener, false)
    }
    if isEcho { return }
    guard let listener else { _exit(interruption.exitCode.rawValue) }
    DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + Self.grace) {
      _exit(interruption.exitCode.rawValue)
    }
    listener(interruption)
  }
}

/// From the handler of a signal to those who hear of it.
private enum SignalPipe {
  /// The end that is written to; less than nothing before there is one.
  private static let end = Atomic<Int32>(-1)

  /// The end that is read from; nil where there can be no pipe.
  static func open() -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    end.store(ends[1], ordering: .sequentiallyConsistent)
    return ends[0]
  }

  /// Lets them come to this thread, also where whoever started the process had blocked them.
  static func unblock() { mask(SIG_UNBLOCK) }

  /// Lets them come to another thread. Those that come before there is one wait for it.
  static func block() { mask(SIG_BLOCK) }

  private static func mask(_ change: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
    pthread_sigmask(change, &signals, nil)
  }

  /// What comes next: a signal, or that the reader of a descriptor has left, which is told once and not watched any more
  /// then. Nil where nothing can come any more.
  static func next(from pipe: Int32, watching output: inout Int32?) -> Interruption? {
    while true {
      // A descriptor below 0 is not looked at.
      var entries = [
        pollfd(fd: pipe, events: Int16(POLLIN), revents: 0), pollfd(fd: output ?? -1, events: 0, revents: 0),
      ]
      let count = poll(&entries, 2, output == nil ? -1 : longestWait)
      if count < 0, errno != EINTR { return nil }
      if count > 0, entries[0].revents != 0 { return signal(from: pipe) }
      guard let watched = output else { continue }
      let isGone = Output.isReaderGone(watched)
      // Whatever else is told of it would be told again and again.
      if isGone || entries[1].revents != 0 { output = nil }
      if isGone { return .readerGone }
    }
  }

  #if canImport(Darwin)
    /// There a descriptor that nothing is asked of tells nothing: it is asked now and then.
    private static let longestWait: Int32 = 250
  #else
    private static let longestWait: Int32 = -1
  #endif

  private static func signal(from pipe: Int32) -> Interruption? {
    var byte: UInt8 = 0
    while true {
      switch read(pipe, &byte, 1) {
      case 1: return Int32(byte) == SIGINT ? .interrupt : .terminate
      case -1 where errno == EINTR: continue
      default: return nil
      }
    }
  }

  /// Of what signal-safety(7) allows: `write`, and nothing that takes a lock.
  static let handler: @convention(c) (Int32) -> Void = { number in
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(end.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = code
  }
}
