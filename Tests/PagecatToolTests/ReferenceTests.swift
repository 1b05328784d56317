import Foundation
import PipelineSpec
import TestSupport
import Testing

/// A Markdown page with specs (```yaml, whose first line names the file), what an API says (`<!-- reply TARGET`), and
/// commands with what they print (```console).
struct ReferencePage {
  struct Command {
    let line: String
    var expected: String
  }

  private(set) var files: [(name: String, text: String)] = []
  private(set) var replies: [String: Answer] = [:]
  private(set) var commands: [Command] = []
  let text: String

  init(path: String) throws {
    text = try String(contentsOfFile: path, encoding: .utf8)
    var lines = text.components(separatedBy: "\n")[...]
    while let line = lines.popFirst() {
      if line.hasPrefix("```yaml") {
        let block = Self.take(&lines, until: "```")
        files.append((String(block[0].dropFirst(2)), block.joined(separator: "\n") + "\n"))
      } else if line.hasPrefix("<!-- reply ") {
        replies[String(line.dropFirst("<!-- reply ".count))] = .json(
          Self.take(&lines, until: "-->").joined(separator: "\n"))
      } else if line.hasPrefix("```console") {
        for line in Self.take(&lines, until: "```") { add(line) }
      }
    }
  }

  private static func take(_ lines: inout ArraySlice<String>, until end: String) -> [String] {
    var block: [String] = []
    while let line = lines.popFirst(), line != end { block.append(line) }
    return block
  }

  private mutating func add(_ line: String) {
    if line.hasPrefix("$ ") {
      commands.append(Command(line: String(line.dropFirst(2)), expected: ""))
    } else if !commands.isEmpty {
      commands[commands.count - 1].expected += line + "\n"
    }
  }

  /// The table of keys that stands between `<!-- keys NAME -->` and `<!-- end -->`.
  func table(_ name: String) -> String? {
    guard let start = text.range(of: "<!-- keys \(name) -->\n"),
      let end = text.range(of: "<!-- end -->", range: start.upperBound..<text.endIndex)
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }
}

@Suite("The reference page says what is so")
struct ReferenceTests {
  private static let path = Shell.package + "/pipelines/README.md"
  private static let origin = "https://api.example.com"

  @Test("every example prints what the page says")
  func examples() async throws {
    let server = try await Self.runExamples(of: ReferencePage(path: Self.path), atLeast: 15)
    #expect(server.requests.contains { $0.text == #"{"ids":[1,2],"note":"for Ann","price":1.50}"# })
    #expect(server.requests.contains { $0.text.contains(#""variables":{"name":"a\"b"}"#) })
  }

  @Test("every example of the tutorial prints what the page says")
  func tutorial() async throws {
    let page = try ReferencePage(path: Shell.package + "/pipelines/TUTORIAL.md")
    _ = try await Self.runExamples(of: page, atLeast: 5)
  }

  /// Runs the commands of a page in a folder with its files, against a server that gives its replies.
  private static func runExamples(of page: ReferencePage, atLeast count: Int) async throws -> LoopbackServer {
    let replies = page.replies
    let server = try LoopbackServer { replies[$0.target] ?? .status(404) }
    let folder = try TemporaryFolder()
    for name in ["pipelines", "samples"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(of: name), withDestinationPath: Shell.package + "/" + name)
    }
    for (name, text) in page.files {
      _ = try folder.write(text.replacingOccurrences(of: origin, with: server.origin), to: name)
    }
    #expect(page.commands.count >= count)
    for command in page.commands {
      let result = try await Shell.run("{ \(command.line)\n} 2>&1", in: folder.path)
      let printed = result.output.replacingOccurrences(of: server.origin, with: origin)
      #expect(calm(printed) == calm(command.expected), "\(command.line)")
    }
    return server
  }

  /// How long something took is the machine's.
  private static func calm(_ text: String) -> String {
    text.replacing(#/ in [0-9.]+ s:/#, with: " in … s:")
  }

  @Test(
    "the tables of keys are those of the reader",
    arguments: [
      ("file", SpecKeys.file), ("job", SpecKeys.job), ("pages", SpecKeys.pages), ("incremental", SpecKeys.incremental),
      ("retry", SpecKeys.retry),
      ("auth", SpecKeys.auth), ("oauth2", SpecKeys.oauth2),
      ("download", SpecKeys.download),
    ])
  func tables(_ name: String, _ keys: [KeyEntry]) throws {
    var rows = "| key | takes | says | default |\n| --- | --- | --- | --- |\n"
    for key in keys {
      let standard = key.isRequired ? "required" : key.standard
      rows += "| `\(key.name)` | \(key.value) | \(key.summary) | \(standard) |\n"
    }
    let table = try ReferencePage(path: Self.path).table(name) ?? ""
    #expect(table == rows, "the page should say:\n\(rows)")
  }
}
