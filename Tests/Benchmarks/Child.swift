// A child process, timed from spawn to exit; and, in a run of its own, its peak memory.

import Dispatch
import Foundation

struct Child {
  let seconds: Double
  let code: Int32

  /// Runs a command line of words; standard input from a file, standard output to one.
  static func run(_ words: [String], input: String = "/dev/null", output: String = "/dev/null") -> Child {
    let begun = DispatchTime.now().uptimeNanoseconds
    guard let process = spawn(words, input, output) else { return Child(seconds: .infinity, code: 127) }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9
    return Child(seconds: seconds, code: status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f)
  }

  /// Peak resident memory in bytes, looked up every half a millisecond in `/proc` (what `wait4` tells begins with the
  /// memory of the process that forked); nil where there is none.
  static func memory(_ words: [String], input: String = "/dev/null") -> Int? {
    guard let process = spawn(words, input, "/dev/null") else { return nil }
    var peak: Int?
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
      if let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }) {
        peak = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 } ?? peak
      }
      usleep(500)
    }
    return peak
  }

  private static func spawn(_ words: [String], _ input: String, _ output: String) -> pid_t? {
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
    return posix_spawnp(&process, words[0], &actions, nil, arguments, environ) == 0 ? process : nil
  }

  static func exists(_ program: String) -> Bool { run([program, "--version"]).code == 0 }
}
