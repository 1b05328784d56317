// What asks a run to end before it is done.

/// A signal that ends a run in good order.
package enum Interruption: Sendable {
  /// SIGINT: Ctrl-C.
  case interrupt
  /// SIGTERM.
  case terminate

  package var exitCode: ExitCode { self == .interrupt ? .interrupted : .terminated }
  var sentence: String { self == .interrupt ? "interrupted" : "terminated" }
}
