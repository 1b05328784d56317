// The reasons why a run must end early.

/// An event that ends a run in an orderly way.
package enum Interruption: Sendable {
  /// SIGHUP: the terminal was closed.
  case hangUp
  /// SIGINT: Ctrl-C.
  case interrupt
  /// SIGTERM.
  case terminate
  /// The reader of standard output has left.
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
