import Foundation
import TestSupport
import Testing

@Suite("The pipelines of this repository, from their recordings", .limitedConcurrency)
struct PipelineTests {
  /// The name, what is said beside it, and the exit code: space-photos has a date that fails and one that is a video,
  /// which is told.
  static let all: [(name: String, arguments: String, code: Int32)] = [
    ("cocktails", "", 0), ("coins", "", 0), ("space-photos", "--dir FOLDER", 1), ("users-and-posts", "", 0),
    ("bookmarks", "", 1),
  ]

  @Test("gives what is expected, to the byte, whatever the concurrency", arguments: all)
  func replay(_ name: String, _ arguments: String, _ code: Int32) async throws {
    let expected = try String(contentsOfFile: Shell.package + "/samples/\(name).ndjson", encoding: .utf8)
    for concurrency in ["", "--concurrency 1", "--concurrency 7"] {
      let folder = try TemporaryFolder()
      let arguments = arguments.replacingOccurrences(of: "FOLDER", with: folder.path)
      let result = try await Shell.run(
        "pagecat pipelines/\(name).yaml \(arguments) --replay samples/\(name).har \(concurrency)", in: Shell.package)
      #expect(result.output == expected, "\(result.error)")
      #expect(result.code == code, "\(result.error)")
    }
  }

  @Test("saves the pictures as they were recorded")
  func pictures() async throws {
    let folder = try TemporaryFolder()
    let run = "pagecat pipelines/space-photos.yaml --replay samples/space-photos.har --dir \(folder.path) 2>&1"
    let result = try await Shell.run(run, in: Shell.package)
    #expect(result.output.contains("8 records") && result.output.contains("partial (2 input records failed)"))
    let har = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: Shell.package + "/samples/space-photos.har")))
    let entries = ((har as? [String: Any])?["log"] as? [String: Any])?["entries"] as? [[String: Any]] ?? []
    let recorded = entries.compactMap { (($0["response"] as? [String: Any])?["content"] as? [String: Any]) }
      .filter { $0["encoding"] as? String == "base64" }.compactMap { $0["text"] as? String }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/photos").sorted()
    let saved = try names.map { try Data(contentsOf: URL(fileURLWithPath: folder.path + "/photos/" + $0)) }
    #expect(names.first == "2024-01-01.jpg" && names.count == 8)
    #expect(saved.map { $0.base64EncodedString() } == recorded)
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
    let command = "swift run pagecat pipelines/cocktails.yaml --replay samples/cocktails.har"
    #expect(readme.contains("    \(command)\n") && readme.contains("    swift test\n"))
    let result = try await Shell.run(
      command.replacingOccurrences(of: "swift run pagecat", with: "pagecat"), in: Shell.package)
    #expect(result.code == 0 && result.error.isEmpty)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 11)
    #expect(readme.contains("```\n" + lines.prefix(2).map { "\($0.prefix(112))…\n" }.joined() + "```\n"))
  }
}
