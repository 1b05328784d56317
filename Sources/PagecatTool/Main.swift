// Passes the process's streams and environment to the command, and exits with its code.

import Engine
import CProcess
import Primitives

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@main
struct Main {
  nonisolated static func main() {
    guardStandardDescriptors()
    OpenFiles.allowMore()
    Memory.shareHeap()
    if let refusal = OpenFiles.refusal {
      Console(Streams(environment: .process)).error(refusal)
      _exit(ExitCode.usage.rawValue)
    }
    Memory.keepFreed()
    let shortage = "no thread could be started for a while: see 'ulimit -u' (processes) and 'ulimit -v' (memory)"
    cprocess_end_when_short("pagecat: error: \(shortage)\n", ExitCode.fetch.rawValue)
    // A reader that leaves becomes an error of `write`, and ends the run quietly. libcurl handles its own sockets.
    signal(SIGPIPE, SIG_IGN)
    // A file over the size limit becomes an error of `write`, too (`ulimit -f`).
    signal(SIGXFSZ, SIG_IGN)
    let loop = MainThreadExecutor()
    let streams = Streams(environment: .process, on: loop)
    Task(executorPreference: loop) {
      do throws(UsageError) {
        leave(with: await Command.run(try arguments, streams))
      } catch {
        leave(with: CommandFailure(error).report(to: Console(streams)))
      }
    }
    loop.run()
  }

  /// The arguments after the program's name, also without `/proc`, and after a library has called `setenv`.
  private static var arguments: [String] {
    get throws(UsageError) {
      let count = cprocess_argument_count()
      guard count > 0 else { return Array(CommandLine.arguments.dropFirst()) }
      return try Arguments.texts(
        (1..<max(count, 1)).compactMap { index in
          cprocess_argument(index).map { (text: String(cString: $0), isText: String(validatingCString: $0) != nil) }
        })
    }
  }

  /// Ends the process at once; all output has been checked before.
  ///
  /// The exit handlers of libraries take longer than a small request. Only the sanitizer's leak check needs them.
  private static func leave(with code: ExitCode) -> Never {
    #if DEBUG
      exit(code.rawValue)
    #else
      _exit(code.rawValue)
    #endif
  }

  /// Opens `/dev/null` for each closed standard stream, so that no other file gets its number.
  ///
  /// Otherwise records could be written to a socket. The mode of the substitute makes each use of the stream an error,
  /// except for messages.
  private static func guardStandardDescriptors() {
    for (descriptor, mode) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDWR)] where fcntl(descriptor, F_GETFD) == -1
    {
      _ = open("/dev/null", mode)
    }
  }
}
