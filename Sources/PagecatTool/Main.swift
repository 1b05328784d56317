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
    // A reader that goes away is an error of `write`, and ends the run quietly; a socket's is libcurl's business.
    signal(SIGPIPE, SIG_IGN)
    let streams = Streams(environment: ProcessInfo.processInfo.environment)
    let code = await Command.run(Array(CommandLine.arguments.dropFirst()), streams)
    exit(code.rawValue)
  }
}
