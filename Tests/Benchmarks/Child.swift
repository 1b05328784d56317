// A child process, timed from spawn to exit, with its peak memory.

import Foundation

struct Child {
  let seconds: Double
  /// Peak resident memory in bytes.
  let memory: Int
  let code: Int32

  /// Runs a command line of words; standard input from a file, standard output to one.
  static func run(_ words: [String], input: String = "/dev/null", output: String = "/dev/null") -> Child {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let begun = DispatchTime.now().uptimeNanoseconds
    guard posix_spawnp(&process, words[0], &actions, nil, arguments, environ) == 0 else {
      return Child(seconds: .infinity, memory: 0, code: 127)
    }
    var status: Int32 = 0
    var usage = rusage()
    wait4(process, &status, 0, &usage)
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9
    return Child(
      seconds: seconds, memory: usage.ru_maxrss * (isDarwin ? 1 : 1024),
      code: status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f)
  }

  static func exists(_ program: String) -> Bool { run([program, "--version"]).code == 0 }

  #if canImport(Darwin)
    private static let isDarwin = true
  #else
    private static let isDarwin = false
  #endif
}
