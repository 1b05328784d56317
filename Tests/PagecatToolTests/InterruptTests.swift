#if os(Linux)
  import TestSupport
  import Testing

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
      let saved = #"{"n":1,"file":{"path":"saved/1","bytes":7,"contentType":"application/json"}}"#
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
#endif
