// SIGHUP, SIGINT and SIGTERM: the first signal ends a run in good order, a second one ends the process at once.
//
// The first signal also ends the process at once if the run can't end: it may wait for the reader of a full pipe, or
// for one to open it. The same thread notices a reader that leaves, so that no request and no wait delays the end of a
// run without a reader.
//
// Programs that end a process often signal it and its group (`timeout`, make, containers). So two equal signals within
// a short time count as one.

import Engine
import CProcess
import Primitives
import PipelineSpec
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The signals with which users and programs end a process; they have their normal effect until someone listens.
///
/// Signals that were ignored when the process began (`nohup`, a shell's `&`) stay ignored.
final class Signals: Sendable {
  private struct State: Sendable {
    var first: Interruption?
    var firstTime = ContinuousClock.now
    var listener: (@Sendable (Interruption) -> Void)?
    var isOpen = false
  }

  /// Time for a run to end, in which it syncs and renames its files.
  private static let grace = Duration.seconds(5)

  /// Time after the first signal in which the same signal counts as a repetition.
  private static let echo = Duration.milliseconds(500)

  private static let nobody: @Sendable (Interruption) -> Void = { _ in }

  private let state = Locked(State())

  /// The signal that arrived first, if any.
  var first: Interruption? { state.withLock { $0.first } }

  /// Starts the thread that waits for signals.
  ///
  /// From now on no signal is lost: a signal waits for a listener, for as long as a run may take to end. A second call
  /// does nothing.
  ///
  /// - Parameter output: a descriptor whose reader may leave.
  /// - Throws: `SpecError` when the system has no thread.
  func open(watching output: Int32?) throws(SpecError) {
    let isOpen = state.withLock { state in
      defer { state.isOpen = true }
      if !state.isOpen { state.listener = Self.nobody }
      return state.isOpen
    }
    guard !isOpen, let pipe = SignalPipe.open() else { return }
    try NewThread.start { [self] in wait(on: pipe, watching: output) }
    for number in SignalPipe.numbers where !isIgnored(number) { signal(number, SignalPipe.handler) }
  }

  /// Registers the listener, which can end in good order; it hears at once of a signal that has already come.
  func listen(_ listener: @escaping @Sendable (Interruption) -> Void) {
    let first = state.withLock { state in
      state.listener = listener
      return state.first
    }
    if let first { listener(first) }
  }

  /// Blocks the signals on the calling thread, so that they interrupt only the waiting thread.
  ///
  /// The thread of the transfers calls it.
  static func leaveToListener() {
    SignalPipe.block()
  }

  /// Removes the listener; the next signal ends the process.
  ///
  /// - Parameter forGood: true if nothing is left to end. Then a signal no longer changes the exit code, unless the
  ///   process fails to exit.
  func stopListening(forGood: Bool) {
    state.withLock { $0.listener = forGood ? Self.nobody : nil }
  }

  /// Waits on a thread of its own. (A dispatch source would start four threads.)
  private func wait(on pipe: Int32, watching output: Int32?) {
    SignalPipe.unblock()
    var watched = output
    var end: ContinuousClock.Instant?
    while let event = SignalPipe.next(from: pipe, watching: &watched, until: end) {
      switch event {
      case .came(let reason): if handle(reason) { end = .now + Self.grace }
      // Its time is bounded by 'timeout'.
      case .timeIsUp where isExchangingRefreshTokens: end = .now + .milliseconds(100)
      case .timeIsUp: _exit((first ?? .terminate).exitCode.rawValue)
      }
    }
  }

  /// Handles an event; returns true if a run has been asked to end, and has limited time for that.
  private func handle(_ interruption: Interruption) -> Bool {
    let (listener, isEcho) = state.withLock { state -> ((@Sendable (Interruption) -> Void)?, Bool) in
      guard state.first == nil else {
        return (nil, state.first == interruption && state.firstTime.duration(to: .now) < Self.echo)
      }
      (state.first, state.firstTime) = (interruption, .now)
      return (state.listener, false)
    }
    if isEcho { return false }
    guard let listener else { _exit(interruption.exitCode.rawValue) }
    listener(interruption)
    return true
  }
}

/// Reports that the process was started with this signal ignored.
private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0 else { return false }
  #if canImport(Darwin)
    let handler = action.__sigaction_u.__sa_handler
  #elseif canImport(Musl)
    let handler = action.__sa_handler.sa_handler
  #else
    let handler = action.__sigaction_handler.sa_handler
  #endif
  return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}

/// Threads that this program starts.
private enum NewThread {
  /// The work of threads that have just been started.
  private static let work = Locked<[@Sendable () -> Void]>([])

  /// Starts a thread that does some work.
  ///
  /// All signals are blocked in the thread.
  static func start(_ run: @escaping @Sendable () -> Void) throws(SpecError) {
    work.withLock { $0.append(run) }
    let code = cprocess_start_thread {
      let run = NewThread.work.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      run?()
    }
    guard code != 0 else { return }
    work.withLock { _ = $0.popLast() }
    throw SpecError(messages: [
      "no thread can be started here (\(String(cString: strerror(code)))): see 'ulimit -u' (processes) and 'ulimit -v' (memory)"
    ])
  }
}

/// The pipe from the handler of a signal to the waiting thread.
///
/// A handler may run at any moment, so this one only writes to the pipe.
private enum SignalPipe {
  enum Event {
    case came(Interruption)
    case timeIsUp
  }

  static let numbers = [SIGHUP, SIGINT, SIGTERM]

  /// The write end; negative before there is one.
  private static let end = Atomic<Int32>(-1)

  /// Creates the pipe and returns its read end; nil if that fails.
  static func open() -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    end.store(ends[1], ordering: .sequentiallyConsistent)
    return ends[0]
  }

  /// Unblocks the signals on this thread, even if the parent of the process had blocked them.
  static func unblock() { mask(SIG_UNBLOCK) }

  /// Blocks the signals on this thread; they wait for a thread that accepts them.
  static func block() { mask(SIG_BLOCK) }

  private static func mask(_ change: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(change, &signals, nil)
  }

  /// Waits for the next event: a signal, the reader of a descriptor that leaves, or the end of the time.
  ///
  /// The leaving of the reader is reported once, and no longer watched after that. Nil if no event can come any more.
  static func next(
    from pipe: Int32, watching output: inout Int32?, until end: ContinuousClock.Instant?
  ) -> Event? {
    while true {
      let rest = end.map { ContinuousClock.now.duration(to: $0) }
      if let rest, rest <= .zero { return .timeIsUp }
      // `poll` ignores a descriptor below 0.
      var entries = [
        pollfd(fd: pipe, events: Int16(POLLIN), revents: 0), pollfd(fd: output ?? -1, events: 0, revents: 0),
      ]
      let count = poll(&entries, 2, wait(atMost: rest, isWatching: output != nil))
      if count < 0, errno != EINTR { return nil }
      if count > 0, entries[0].revents != 0 { return signal(from: pipe).map { .came($0) } }
      guard let watched = output else { continue }
      let isGone = Output.isReaderGone(watched)
      // Any other event on the descriptor would be reported again and again.
      if isGone || entries[1].revents != 0 { output = nil }
      if isGone { return .came(.readerGone) }
    }
  }

  /// Returns the time in milliseconds; -1 for no limit.
  ///
  /// On macOS, `poll` reports nothing of a descriptor without requested events, so the descriptor is checked now and
  /// then.
  private static func wait(atMost rest: Duration?, isWatching: Bool) -> Int32 {
    let rest = rest.map { Int32($0 / .milliseconds(1)) + 1 }
    #if canImport(Darwin)
      if isWatching { return min(rest ?? .max, 250) }
    #endif
    return rest ?? -1
  }

  private static func signal(from pipe: Int32) -> Interruption? {
    var byte: UInt8 = 0
    while true {
      switch read(pipe, &byte, 1) {
      case 1: return Interruption(signal: Int32(byte))
      case -1 where errno == EINTR: continue
      default: return nil
      }
    }
  }

  /// The signal handler: signal-safety(7) allows `write`, but nothing that takes a lock.
  static let handler: @convention(c) (Int32) -> Void = { number in
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(end.load(ordering: .sequentiallyConsistent), &byte, 1)
    errno = code
  }
}

extension Interruption {
  fileprivate init(signal number: Int32) {
    switch number {
    case SIGHUP: self = .hangUp
    case SIGINT: self = .interrupt
    default: self = .terminate
    }
  }
}
