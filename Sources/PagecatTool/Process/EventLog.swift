// The lines of `-v`, `-vv` and `--log json`, and of long waits.

import Engine

/// Prints the events of a run.
struct EventLog: Sendable {
  private let console: Console
  private let form: Invocation.LogForm
  private let verbosity: Int
  /// True if long waits are printed even if no other event is.
  private let printsWaits: Bool

  /// Waits below this length are not printed.
  private static let longWait = Duration.seconds(2)

  init(_ console: Console, _ invocation: Invocation, printsWaits: Bool) {
    self.console = console
    form = invocation.log
    verbosity = form == .json ? max(1, invocation.verbosity) : invocation.verbosity
    self.printsWaits = printsWaits
  }

  var listener: RunListener {
    var kinds: [RunEvent.Kind] = []
    if verbosity > 0 || printsWaits { kinds.append(.wait) }
    if verbosity > 0 { kinds.append(.request) }
    if verbosity > 1 { kinds += [.sending, .receiving] }
    return RunListener(to: kinds) { [self] event in hear(event) }
  }

  private func hear(_ event: RunEvent) {
    // The waits of a `rate` are expected, since the spec asks for them.
    if event.kind == .wait, event.duration < Self.longWait || event.isWaitForRate, verbosity == 0 { return }
    if event.isWaitForRate, event.duration < Self.longWait { return }
    switch form {
    case .json: console.sayAsItIs(event.json(label: console.label))
    case .text: for line in event.lines { console.say("pagecat: \(line)") }
    }
  }
}
