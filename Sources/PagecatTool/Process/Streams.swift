// The environment of a command: three streams and the environment variables.

import Engine
import Diagnostics
import Primitives
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The work that a command leaves for the very end.
final class Ending: Sendable {
  private let held = Locked<[LastJournal]>([])

  /// The journals of the last runs, which are removed at the end.
  var journals: [LastJournal] {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }
}

/// The streams and variables of a command.
///
/// Records go to `output`, everything else to `error`, unless files are named.
struct Streams: Sendable {
  var input: Int32 = 0
  var output: Int32 = 1
  var error: Int32 = 2
  var environment: Environment
  /// The destination without any files; tests change it.
  var destination = Destination()
  let signals = Signals()
  let ending = Ending()
  /// The main thread, if it can run tasks while the command is waited for.
  let thread: MainThreadExecutor?

  init(
    input: Int32 = 0, output: Int32 = 1, error: Int32 = 2, environment: Environment,
    on thread: MainThreadExecutor? = nil
  ) {
    self.thread = thread
    self.input = input
    self.output = output
    self.error = error
    self.environment = environment
  }

  var isErrorTerminal: Bool { isatty(error) == 1 }

  /// True if messages go to a terminal that understands control sequences.
  var errorTakesSequences: Bool {
    let term = environment.text(of: "TERM")
    return isErrorTerminal && term != "dumb" && !term.isEmpty
  }

  /// True if messages may have colours: not with NO_COLOR (no-color.org).
  var errorTakesColors: Bool { errorTakesSequences && environment.text(of: "NO_COLOR").isEmpty }

  var isInputTerminal: Bool { isatty(input) == 1 }

  /// True if records and messages go to one terminal.
  var isOutputSameTerminal: Bool {
    var (records, messages) = (stat(), stat())
    guard isatty(output) == 1, fstat(output, &records) == 0, fstat(error, &messages) == 0 else { return false }
    return records.st_rdev == messages.st_rdev
  }
}
