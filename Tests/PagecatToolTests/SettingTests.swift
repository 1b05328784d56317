import Foundation
import TestSupport
import Testing

#if os(Linux)
  @Suite("Records that pass through with members set", .limitedConcurrency)
  struct SettingTests {
    @Test("cost no more memory however many they are, and no libcurl")
    func memory() async throws {
      let folder = try TemporaryFolder()
      _ = try folder.write("set: { copy: \"${input.n}\", day: \"${today}\" }\n", to: "set.yaml")
      let program = try RunningProgram(["set.yaml", "-o", "/dev/null"], in: folder.path)
      let line = #"{"n":[1,2,3],"text":"0123456789012345678901234567890123456789"}"# + "\n"
      let lines = String(repeating: line, count: 8_192)
      try await blocking {
        program.write(lines)
        let before = try Self.kilobytes("VmHWM", of: program.number)
        for _ in 0..<24 { program.write(lines) }
        // 12 MB more. (A sanitizer keeps what was given back, and has terabytes of addresses.)
        let after = try Self.kilobytes("VmHWM", of: program.number)
        let isSanitized = try Self.kilobytes("VmPeak", of: program.number) > 1 << 30
        #expect(isSanitized || after < before + 6_000)
        let maps = try Self.read("maps", of: program.number)
        #expect(!maps.contains("libcurl") && maps.contains("libc"))
      }
      program.endInput()
      let result = try await program.result()
      #expect(result.code == 0 && result.error == "")
    }

    /// To its end: such a file has no size.
    private static func read(_ name: String, of process: Int32) throws -> String {
      let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/\(name)"))
      defer { try? file.close() }
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// What `/proc` says of a process's memory.
    private static func kilobytes(_ name: String, of process: Int32) throws -> Int {
      let status = try read("status", of: process)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name + ":") })
      return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }
  }
#endif
