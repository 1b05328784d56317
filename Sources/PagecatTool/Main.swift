// Hands over the process's own streams and environment, and ends with the code that comes back.

import Pagecat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@main
struct Main {
  static func main() async {
    guardStandardDescriptors()
    // A reader that goes away is an error of `write`, and ends the run quietly; a socket's is libcurl's business.
    signal(SIGPIPE, SIG_IGN)
    let streams = Streams(environment: ProcessInfo.processInfo.environment)
    let code = await Command.run(Array(CommandLine.arguments.dropFirst()), streams)
    exit(code.rawValue)
  }

  /// A standard stream that was closed must not become whatever is opened next: records would go into a socket. What
  /// stands in for it can't be read or written either, so that each use is an error, but for messages.
  private static func guardStandardDescriptors() {
    for (descriptor, mode) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDWR)] where fcntl(descriptor, F_GETFD) == -1
    {
      _ = open("/dev/null", mode)
    }
  }
}
