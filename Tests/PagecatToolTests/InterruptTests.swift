#if os(Linux)
  import CProcess
  import TestSupport
  import Testing

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  @Suite("A signal that interrupts a call changes nothing", .timeLimit(.minutes(20)))
  struct InterruptTests {
    @Test("every call for a spec, an input, an export, a state, rejects, a recording and a download is made again")
    func interrupted() async throws {
      let server = try LoopbackServer { request in
        switch request.path {
        case "/1": .json("[{\"text\":\"\(String(repeating: "x", count: 600_000))\",\"at\":1}]")
        case "/file": .json("content")
        default: .status(404)
        }
      }
      let folder = try TemporaryFolder()
      _ = try folder.write(
        "endpoint: \(server.origin)/${input}\nonError: skip\nincremental: { mark: at, start: 0 }\n", to: "a.yaml")
      _ = try folder.write("download: { url: \"\(server.origin)/file\", to: \"saved/${input.n}\" }\n", to: "b.yaml")
      _ = try folder.write("{\"old\":1}\n", to: "out")
      let result = try await Shell.run(
        """
        export LD_PRELOAD="$FAULTS"
        printf '1\\n2\\n' > input
        "$PAGECAT" a.yaml -o out --append --rejects rejects --record a.har -q --summary none < input; echo "exit $?"
        echo 1 | "$PAGECAT" a.yaml -o whole --state state -q; echo "exit $?"
        "$PAGECAT" a.yaml --replay a.har -q --summary none < input > again; echo "exit $?"
        echo '{"n":1}' | "$PAGECAT" b.yaml -q; echo "exit $?"
        """, in: folder.path, environment: ["FAULTS": try Preload.interrupts.path])
      #expect(result.error.isEmpty)
      let saved = #"{"n":1,"file":{"path":"saved/1","name":"1","bytes":7,"contentType":"application/json"}}"#
      #expect(result.output == "exit 1\nexit 0\nexit 1\n\(saved)\nexit 0\n")
      #expect(try folder.read("out") == "{\"old\":1}\n" + folder.read("again"))
      #expect(try folder.read("again") == folder.read("whole"))
      #expect(try folder.read("again").utf8.count > 600_000)
      #expect(try folder.read("rejects").hasPrefix("{\"step\":\"a.yaml\",\"record\":2,"))
      #expect(try folder.read("state").hasPrefix("{\"since\":{\"a.yaml\":1}"))
      #expect(try folder.read("saved/1") == "content")
      #expect(
        folder.names.sorted() == [
          "a.har", "a.yaml", "again", "b.yaml", "input", "out", "rejects", "saved", "state", "whole",
        ])
    }
  }

  @Suite("A run writes only where its command says, whatever goes wrong in it", .timeLimit(.minutes(20)))
  struct WriteLimitTests {
    /// The option, and its file; records go to standard output beside other options than `-o`.
    private static let outputs = [
      "-o in/out", "-o in/new/", "--record in/a.har", "--rejects in/r", "--state in/s -o in/out", "--dir in",
    ]

    @Test("a file is planted beside an output, and nowhere else (where the kernel has Landlock)", arguments: outputs)
    func planted(_ output: String) async throws {
      let server = try LoopbackServer { $0.path == "/file" ? .json("content") : .json("[{\"at\":1}]") }
      let folder = try TemporaryFolder()
      let lines =
        switch output.split(separator: " ").first {
        case "--state": "incremental: { mark: at }\n"
        case "--dir": "download: { url: \"\(server.origin)/file\", to: \"${input.at}\" }\n"
        case "--rejects": "onError: skip\n"
        default: ""
        }
      let request = "endpoint: \(server.origin)/list\(output.hasPrefix("--rejects") ? "/${input.at}" : "")"
      let text =
        switch output {
        case "--dir in": lines
        case "-o in/new/": "streams: { s: { \(request) } }\n"
        default: "\(request)\n\(lines)"
        }
      _ = try folder.write(text, to: "a.yaml")
      let result = try await Shell.run(
        """
        mkdir in out tmp
        echo '{"at":1}' | TMPDIR=tmp INSIDE="$PWD/in/planted" OUTSIDE="$PWD/out/planted" LD_PRELOAD="$FAULTS" \
          "$PAGECAT" a.yaml \(output) -q --summary none > /dev/null
        echo "exit $?"; ls in | grep planted; ls out
        """, in: folder.path, environment: ["FAULTS": try Preload.planted.path])
      let limits = cprocess_write_limits()
      let isLimited = limits >= 0
      if isLimited { close(limits) }
      #expect(result.output == "exit 0\nplanted\n" + (isLimited ? "" : "planted\n"), "\(result.error)")
    }
  }
#endif
