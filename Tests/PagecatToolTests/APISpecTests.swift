// The specs in `pipelines/apis/`: what people copy has to work, and to stay small.

import Foundation
import TestSupport
import Testing

@Suite("The specs of real APIs", .limitedConcurrency)
struct APISpecTests {
  private static let all = (try? files(in: "pipelines/apis", ending: ".yaml")) ?? []
  /// Specs with one output.
  static let names = all.filter { (try? streams(of: $0).isEmpty) ?? true }
  /// Specs with several.
  private static let several = all.filter { !names.contains($0) }

  private static func streams(of name: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: Shell.package + "/samples/apis/" + name) else { return [] }
    return try files(in: "samples/apis/" + name, ending: ".ndjson")
  }

  private static func files(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Shell.package + "/" + folder)
      .filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: Shell.package + "/" + path, encoding: .utf8)
  }

  @Test("are many; each has its recording, its records, and its line in the table")
  func counterparts() throws {
    #expect(Self.names.count >= 20)
    #expect(Self.several.count >= 5)
    #expect(try Self.files(in: "samples/apis", ending: ".har") == Self.all)
    #expect(try Self.files(in: "samples/apis", ending: ".ndjson") == Self.names)
    let row = #/\| \[([a-z0-9-]+)\.yaml\]\(([a-z0-9-]+)\.yaml\) \|/#
    let rows = try Self.text("pipelines/apis/README.md").matches(of: row)
    #expect(rows.map { String($0.1) } == Self.all && rows.allSatisfy { $0.1 == $0.2 })
  }

  @Test(
    "have 15 lines at most and one for editors; the first says what they show, and where the API says it",
    arguments: all)
  func size(_ name: String) throws {
    let modeline = "# yaml-language-server: $schema=../pagecat.schema.json\n"
    let text = try Self.text("pipelines/apis/\(name).yaml")
    #expect(text.hasSuffix("\n" + modeline))
    let lines = text.dropLast(modeline.count).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 16 && lines.last == "", "\(lines.count - 1) lines")
    #expect(lines[0].hasPrefix("# pipelines/apis/\(name).yaml: "))
    #expect(lines[1].hasPrefix("# ") && lines[1].contains("https://"))
    #expect(lines.allSatisfy { $0.count <= 120 })
  }

  @Test("are without mistakes")
  func check() async throws {
    let result = try await Shell.run("pagecat check pipelines/apis/*.yaml", in: Shell.package)
    #expect(result.code == 0, "\(result.error)")
  }

  @Test("give what is expected to the byte, from every page of their recording, and are complete", arguments: names)
  func replay(_ name: String) async throws {
    let expected = try Self.text("samples/apis/\(name).ndjson")
    let requests = try Self.requests(of: name)
    for options in ["", "--concurrency 5"] {
      let folder = try TemporaryFolder()
      let result = try await Shell.run(
        "pagecat $PACKAGE/pipelines/apis/\(name).yaml --replay $PACKAGE/samples/apis/\(name).har --summary json \(options)",
        in: folder.path, environment: ["PACKAGE": Shell.package])
      #expect(result.output == expected)
      #expect(result.code == 0, "\(result.error)")
      let summary = try #require(try JSONSerialization.jsonObject(with: Data(result.error.utf8)) as? [String: Any])
      #expect(summary["verdict"] as? String == "complete")
      #expect(summary["records"] as? Int == expected.count { $0 == "\n" })
      let saved = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(summary["pages"] as? Int == requests - saved.count && requests >= 2)
    }
  }

  @Test("of several streams give what is expected of each, to the byte, and are complete", arguments: several)
  func replayStreams(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let result = try await Shell.run(
      "pagecat $PACKAGE/pipelines/apis/\(name).yaml --replay $PACKAGE/samples/apis/\(name).har --summary json -o data/",
      in: folder.path, environment: ["PACKAGE": Shell.package])
    #expect(result.code == 0, "\(result.error)")
    let summary = try #require(try JSONSerialization.jsonObject(with: Data(result.error.utf8)) as? [String: Any])
    #expect(summary["verdict"] as? String == "complete")
    let requests = try Self.requests(of: name)
    #expect(summary["pages"] as? Int == requests && requests >= 2)
    let streams = try Self.streams(of: name)
    let written = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data")
    #expect(written.sorted() == streams.map { $0 + ".ndjson" })
    for stream in streams {
      #expect(try folder.read("data/\(stream).ndjson") == Self.text("samples/apis/\(name)/\(stream).ndjson"))
    }
  }

  /// How many of the recorded answers are pages or files: no tokens, which are hidden, and of what is polled the last.
  private static func requests(of name: String) throws -> Int {
    let file = try JSONSerialization.jsonObject(with: Data(try text("samples/apis/\(name).har").utf8)) as? [String: Any]
    let entries = (file?["log"] as? [String: Any])?["entries"] as? [[String: Any]] ?? []
    let requests = entries.compactMap { entry -> String? in
      let response = entry["response"] as? [String: Any]
      let content = response?["content"] as? [String: Any]
      // What `empty` names is no page.
      if let status = response?["status"] as? Int, status >= 400 { return nil }
      let request = entry["request"] as? [String: Any]
      guard let url = request?["url"] as? String, content?["text"] as? String != "***" else { return nil }
      let body = (request?["postData"] as? [String: Any])?["text"] as? String
      let fields = (request?["headers"] as? [[String: String]] ?? []).map { "\($0.sorted { $0.key < $1.key })" }
      return "\(request?["method"] ?? "") \(url) \(fields) \(body ?? "")"
    }
    return Set(requests).count
  }
}
