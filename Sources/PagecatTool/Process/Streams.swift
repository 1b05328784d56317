// What a process is given: three streams and an environment.

import Diagnostics
import Pagecat
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The streams and the environment of a command. Records go to `output`, everything else to `error`, if no files are named.
struct Streams: Sendable {
  var input: Int32 = 0
  var output: Int32 = 1
  var error: Int32 = 2
  var environment: Variables
  /// With no file in it yet.
  var destination = Destination()
  let signals = Signals()
  /// The thread that waits for the command, if it can do something meanwhile.
  let thread: MainThreadExecutor?

  init(
    input: Int32 = 0, output: Int32 = 1, error: Int32 = 2, environment: Variables, on thread: MainThreadExecutor? = nil
  ) {
    self.thread = thread
    self.input = input
    self.output = output
    self.error = error
    self.environment = environment
  }

  var isErrorTerminal: Bool { isatty(error) == 1 }
}
