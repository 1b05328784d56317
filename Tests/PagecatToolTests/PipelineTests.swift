import Foundation
import Testing

@Suite("The pipelines of this repository, from their recordings")
struct PipelineTests {
  /// The name, what is said beside it, and the exit code: space-photos has a date that fails, which is told.
  static let all: [(name: String, arguments: String, code: Int32)] = [
    ("cocktails", "", 0), ("coins", "", 0), ("space-photos", "", 1), ("users-and-posts", "", 0), ("bookmarks", "", 0),
  ]

  @Test("gives what is expected, to the byte, whatever the concurrency", arguments: all)
  func replay(_ name: String, _ arguments: String, _ code: Int32) async throws {
    let expected = try String(contentsOfFile: Shell.package + "/samples/\(name).ndjson", encoding: .utf8)
    for concurrency in ["", "--concurrency 1", "--concurrency 7"] {
      let result = try await Shell.run(
        "pagecat pipelines/\(name).yaml \(arguments) --replay samples/\(name).har \(concurrency)", in: Shell.package)
      #expect(result.output == expected, "\(result.error)")
      #expect(result.code == code, "\(result.error)")
    }
  }

  @Test("every spec in the folder is without mistakes, and has its recording")
  func check() async throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Shell.package + "/pipelines")
      .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
    #expect(Set(names) == Set(Self.all.map(\.name)))
    let result = try await Shell.run("pagecat check pipelines/*.yaml", in: Shell.package)
    #expect(result.code == 0, "\(result.error)")
  }

  @Test("the README's first command prints what the README shows")
  func readme() async throws {
    let readme = try String(contentsOfFile: Shell.package + "/README.md", encoding: .utf8)
    let command = "swift run -c release pagecat pipelines/cocktails.yaml --replay samples/cocktails.har"
    #expect(readme.contains("    \(command)\n") && readme.contains("    swift test\n"))
    let result = try await Shell.run(
      command.replacingOccurrences(of: "swift run -c release pagecat", with: "pagecat"), in: Shell.package)
    #expect(result.code == 0 && result.error.isEmpty)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 11)
    #expect(readme.contains(lines.map { "\($0.prefix(112))…" }.joined(separator: "\n")))
  }
}
