// pipelines/cron/quiet, around a program that says and does what a test wants.

import TestSupport
import Testing

@Suite(.limitedConcurrency) struct QuietTests {
  /// What stands in for `pagecat`: it says `MESSAGES`, and ends with `CODE`.
  private static let program = #"""
    #!/bin/sh
    echo "$*" >> calls
    cat >> input
    if [ -n "${STOPS:-}" ]; then trap '' TERM; kill -TERM "$PPID"; fi
    [ -z "${MESSAGES:-}" ] || printf '%s\n' "$MESSAGES" >&2
    exit "$CODE"
    """#

  private struct Outcome {
    let result: Shell.Result
    let calls: [String]
    let folder: TemporaryFolder

    /// Files beside those of the test itself.
    var names: [String] { folder.names.filter { !["a b", "calls", "input"].contains($0) } }
  }

  private func quiet(
    _ arguments: String, code: Int, messages: String = "", input: String = "", stops: Bool = false,
    programs: [String: String] = [:], log: String? = nil
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    for (name, text) in programs.merging(["pagecat": Self.program], uniquingKeysWith: { $1 }) {
      try folder.write(text, to: "a b/\(name)")
    }
    // The time of the log of a run before; the empty one is now.
    let before = log.map { $0.isEmpty ? "touch log; " : "touch -t \($0) log; " } ?? ""
    let result = try await Shell.run(
      "\(before)chmod +x 'a b'/*; PATH=\"$PWD/a b:$PATH\" '\(Shell.package)/pipelines/cron/quiet' \(arguments)",
      in: folder.path,
      input: input,
      environment: ["PAUSE": "0", "CODE": "\(code)", "MESSAGES": messages, "STOPS": stops ? "yes" : ""])
    let calls = (try? folder.read("calls")) ?? ""
    return Outcome(result: result, calls: calls.split(separator: "\n").map(String.init), folder: folder)
  }

  @Test("A failed run is tried three times, where '--resume' can go on with it")
  func tries() async throws {
    let failed = try await quiet(
      "'the log' s.yaml -o 'an out'", code: 3, messages: "pagecat: error: e\n{}", input: "{}\n")
    #expect(failed.calls.map { $0.contains("--resume") } == [false, true, true])
    #expect(failed.result.code == 3 && failed.result.error == "pagecat: error: e\n{}\n")
    #expect(try failed.folder.read("input") == "{}\n{}\n{}\n" && failed.names == ["the log"])
    let once = try await quiet("log s.yaml", code: 3, messages: "pagecat: error: e\n{}")
    #expect(once.calls.count == 1 && once.result.error == "pagecat: error: e\n{}\n")
    let lasting = try await quiet("log s.yaml -o out", code: 3, messages: #"{"error":{"status":404}}"#)
    #expect(lasting.calls.count == 1)
  }

  @Test("A run during which the list moved is made twice more, from the start")
  func moved() async throws {
    for sign in ["moved", "overlap"] {
      let moved = try await quiet("log s.yaml -o out", code: 1, messages: "{\"reason\":\"the list [\(sign)]\"}")
      #expect(moved.calls.count == 3 && moved.result.code == 1 && moved.result.error.hasPrefix("{"))
      #expect(!moved.calls.contains { $0.contains("--resume") })
    }
    for other in ["log s.yaml", "log s.yaml -o out"] {
      let sign = other.hasSuffix("out") ? "total" : "moved"
      let once = try await quiet(other, code: 1, messages: "{\"reason\":\"the list [\(sign)]\"}")
      #expect(once.calls.count == 1 && once.result.code == 1)
    }
  }

  @Test("A run that has been on for more than a day is told")
  func hangs() async throws {
    let held = "{'out' is held by another run}"
    let hangs = try await quiet("log s.yaml -o out", code: 75, messages: held, log: "202001010000")
    #expect(hangs.calls.count == 1 && hangs.result.code == 75 && hangs.names == ["log"])
    #expect(hangs.result.error == "\(held)\nquiet: 'log' is over a day old: see what the run does that is on\n")
    let young = try await quiet("log s.yaml -o out", code: 75, messages: held, log: "")
    #expect(young.result.code == 0 && young.result.error.isEmpty)
  }

  @Test("The run before is no failure, and one that has the file of the tokens is")
  func held() async throws {
    let before = try await quiet("log s.yaml -o out", code: 75, messages: "{'out' is held by another run}")
    #expect(before.calls.count == 1 && before.result.code == 0 && before.result.error.isEmpty && before.names.isEmpty)
    for option in ["--tokens 't 1.json'", "'--tokens=t 1.json'"] {
      let tokens = try await quiet(
        "log s.yaml -o out \(option)", code: 75, messages: "{'t 1.json' is held by another run}")
      #expect(tokens.calls.count == 3 && tokens.result.code == 75 && tokens.result.error.hasPrefix("{"))
    }
  }

  @Test(
    "Warnings are printed, as text and as JSON",
    arguments: ["pagecat: warning: w\n{}", #"{"event":"message","text":"pagecat: warning: w"}"# + "\n{}"])
  func warnings(messages: String) async throws {
    let warned = try await quiet("log s.yaml", code: 0, messages: messages)
    #expect(warned.result.code == 0 && warned.result.error == messages + "\n")
    let calm = try await quiet("log s.yaml", code: 0, messages: "{}")
    #expect(calm.result.code == 0 && calm.result.error.isEmpty)
  }

  @Test("A disk that takes no messages, or not all of the input, is no silence")
  func fullDisk() async throws {
    for code in [0, 3] {
      let lost = try await quiet("log s.yaml", code: code)
      #expect(lost.result.code == code)
      #expect(lost.result.error == "quiet: exit \(code), and 'log' does not end with a summary\n")
    }
    let cut = try await quiet(
      "log s.yaml", code: 0, messages: "{}", input: "{}\n", programs: ["cat": "#!/bin/sh\nexit 1\n"])
    #expect(cut.calls.isEmpty && cut.result.code == 5 && cut.names.isEmpty)
    let nowhere = try await quiet("no/log s.yaml", code: 0, messages: "{}")
    #expect(nowhere.calls.isEmpty && nowhere.result.code == 5 && !nowhere.result.error.isEmpty)
  }

  @Test("After a signal nothing is tried again, and nothing is left behind")
  func signal() async throws {
    let stopped = try await quiet("log s.yaml -o out", code: 3, messages: "{}", input: "{}\n", stops: true)
    #expect(stopped.calls.count == 1 && stopped.result.code == 3 && stopped.names == ["log"])
  }
}
