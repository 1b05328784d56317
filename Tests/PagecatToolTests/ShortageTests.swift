#if os(Linux)
  import TestSupport
  import Testing

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// True in a build with a sanitizer, which needs terabytes of addresses and must be the first library of a process.
  private let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  @Suite(
    "Where the system has no thread or no memory, the program says so and ends", .limitedConcurrency,
    .timeLimit(.minutes(20)),
    .disabled(if: isSanitized, "a sanitizer takes the memory and the library's place that these tests need"))
  struct ShortageTests {
    private static let light = "endpoint: SERVER/a\n"
    private static let heavy = """
      base: SERVER/
      steps:
        - endpoint: a
          set: { n: "${input}" }
        - endpoint: b/${input.n}
          concurrency: 4
          attach: b
          set: { a: "${input.n}" }
      """

    private func server() throws -> LoopbackServer {
      try LoopbackServer { $0.path == "/a" ? .json("[1,2,3]") : .json("[{\"n\":1},{\"n\":2}]") }
    }

    /// A hang ends with 137, a crash with 128 and its signal.
    private func check(_ result: Shell.Result, _ note: Comment) {
      #expect([0, 2, 3].contains(result.code), note)
      if result.code != 0 {
        #expect(result.error.contains("pagecat: error: "), note)
        #expect(result.error.contains("ulimit") || result.error.contains("libcurl"), note)
      }
    }

    @Test("no thread, or only a few", arguments: 0...5, [light, heavy])
    func threads(_ most: Int, _ spec: String) async throws {
      let folder = try TemporaryFolder()
      let server = try server()
      _ = try folder.write(spec.replacing("SERVER", with: server.origin), to: "a.yaml")
      for options in ["", "-o out"] {
        let result = try await Shell.run(
          "exec timeout -s KILL 60 env LD_PRELOAD=\"$FAULTS\" \"$PAGECAT\" a.yaml \(options)", in: folder.path,
          environment: ["FAULTS": try Preload.noThreads.path, "THREADS": "\(most)"])
        check(result, "\(most) threads: \(result.code), \(result.error)")
        #expect(most > 0 || result.code == 2 && server.requests.isEmpty)
        #expect(most > 0 || folder.names == ["a.yaml"], "a run that can't begin leaves nothing")
      }
    }

    @Test("little memory", arguments: Array(stride(from: 20, to: 100, by: 4)) + [120, 160, 200, 300, 400])
    func memory(_ megabytes: Int) async throws {
      let folder = try TemporaryFolder()
      let server = try server()
      _ = try folder.write(Self.light.replacing("SERVER", with: server.origin), to: "a.yaml")
      let result = try await Shell.run(
        "ulimit -v \(megabytes * 1_000); exec timeout -s KILL 60 "
          + "env LD_DEBUG=files LD_DEBUG_OUTPUT=loader \"$PAGECAT\" a.yaml", in: folder.path)
      // The libraries of the program must be loaded before it can say a word: else the system's loader says it, or a
      // library that can't begin ends the process.
      let notes = folder.names.filter { $0.hasPrefix("loader.") }
      let isLoaded = try notes.contains { try folder.read($0).contains("transferring control") }
      if isLoaded { check(result, "\(megabytes) MB: \(result.code), \(result.error)") }
      #expect(isLoaded || result.code != 0)
      #expect(isLoaded || megabytes < 100)
    }

    @Test("arguments are there without /proc, and where a library has moved the environment")
    func arguments() async throws {
      let folder = try TemporaryFolder()
      let result = try await Shell.run(
        "LD_PRELOAD=\"$FAULTS\" \"$PAGECAT\" --version", in: folder.path,
        environment: ["FAULTS": try Preload.noArguments.path])
      #expect(result.code == 0 && result.output.hasPrefix("pagecat "), "\(result.error)")
    }
  }
#endif
