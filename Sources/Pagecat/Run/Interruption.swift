// What asks a run to end before it is done.

/// What ends a run in good order.
package enum Interruption: Sendable {
  /// SIGHUP: the terminal was closed.
  case hangUp
  /// SIGINT: Ctrl-C.
  case interrupt
  /// SIGTERM.
  case terminate
  /// Whoever read standard output has left.
  case readerGone

  package var exitCode: ExitCode {
    switch self {
    case .hangUp: .hungUp
    case .interrupt: .interrupted
    case .terminate: .terminated
    case .readerGone: .readerGone
    }
  }

  var sentence: String {
    switch self {
    case .hangUp: "hung up"
    case .interrupt: "interrupted"
    case .terminate: "terminated"
    case .readerGone: "nobody reads the records any more"
    }
  }
}
