import Diagnostics
import Foundation
import Pagecat
import PipelineSpec
import JSONText
import TestSupport
import Testing

@testable import PagecatTool

/// A Markdown page with specs (```yaml, whose first line names the file), what an API says (`<!-- reply TARGET`, and the
/// body on the same line or the next ones), and commands with what they print (```console).
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
        let words = line.split(separator: " ", maxSplits: 3)
        let isOneLine = words.count == 4 && words[3].hasSuffix("-->")
        replies[String(words[2])] = .json(
          isOneLine
            ? words[3].dropLast("-->".count).trimmingCharacters(in: .whitespaces)
            : Self.take(&lines, until: "-->").joined(separator: "\n"))
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

  /// The anchors of the headings, as code hosts make them.
  var anchors: Set<String> {
    Set(
      prose.filter { $0.hasPrefix("#") }.map { Self.anchor(String($0.drop { $0 == "#" || $0 == " " })) })
  }

  static func anchor(_ heading: String) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
      .replacingOccurrences(of: " ", with: "-")
  }

  /// The headings of the second level.
  var parts: [String] { prose.filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) } }

  /// The bodies of requests that the page names: "The body that was sent is `…`".
  var bodies: [String] {
    text.matches(of: #/The body that was sent is `([^`]+)`/#).map { String($0.1) }
  }

  /// The targets of the links to this page or within the folder.
  var links: [String] {
    prose.flatMap { $0.matches(of: #/\]\(([^)]+)\)/#).map { String($0.1) } }.filter { !$0.contains("://") }
  }

  /// The headings of the third level, each with the text below it.
  var sections: [(heading: String, text: String)] {
    var sections: [(heading: String, text: String)] = []
    var isCode = false
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") { isCode.toggle() }
      if !isCode, line.hasPrefix("#") {
        sections.append((line.hasPrefix("### ") ? String(line.dropFirst(4)) : "", ""))
      } else if !sections.isEmpty {
        sections[sections.count - 1].text += line + "\n"
      }
    }
    return sections.filter { !$0.heading.isEmpty }
  }

  /// The lines that stand in no block of code.
  private var prose: [String] {
    var isCode = false
    return text.components(separatedBy: "\n").filter { line in
      let isFence = line.hasPrefix("```")
      if isFence { isCode.toggle() }
      return !isFence && !isCode
    }
  }

  /// The table between `<!-- keys NAME -->` and `<!-- end -->`, or of another kind than keys.
  func table(_ name: String, of kind: String = "keys") -> String? {
    guard let start = text.range(of: "<!-- \(kind) \(name) -->\n"),
      let end = text.range(of: "<!-- end -->", range: start.upperBound..<text.endIndex)
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }
}

@Suite("The pages say what is so", .limitedConcurrency)
struct ReferenceTests {
  private static let origin = "https://api.example.com"

  /// The pages about the program, whose examples all run.
  private static let pages = ["GUIDE", "README", "RUNNING", "DECIDES", "COOKBOOK"].map { "pipelines/\($0).md" }

  private static let otherPages = [
    "README.md", "pipelines/apis/README.md", "Sources/README.md", ".github/CONTRIBUTING.md", "Tests/Cases/README.md",
  ]

  /// Runs the commands of a page in a folder with its files, against a server that gives its replies.
  @Test("every example prints what the page says", arguments: pages)
  func examples(_ name: String) async throws {
    let page = try Self.page(name)
    let server = try LoopbackServer { page.replies[$0.target] ?? .status(404) }
    let folder = try TemporaryFolder()
    for name in ["pipelines", "samples"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(of: name), withDestinationPath: Shell.package + "/" + name)
    }
    for (name, text) in page.files {
      _ = try folder.write(text.replacingOccurrences(of: Self.origin, with: server.origin), to: name)
    }
    for command in page.commands {
      let result = try await Shell.run("{ \(command.line)\n} 2>&1", in: folder.path)
      let printed = result.output.replacingOccurrences(of: server.origin, with: Self.origin)
      #expect(Self.calm(printed) == Self.calm(command.expected), "\(name): \(command.line)")
    }
    for body in page.bodies { #expect(server.requests.contains { $0.text == body }, "\(name): \(body)") }
  }

  /// How long something took is the machine's.
  private static func calm(_ text: String) -> String {
    text.replacing(#/ in [0-9.]+ s:/#, with: " in … s:").replacing(#/began at [0-9T:-]+Z/#, with: "began at …")
  }

  @Test("the pages have examples and links")
  func hasExamples() throws {
    let all = try Self.pages.map(Self.page)
    #expect(all.map(\.commands.count).reduce(0, +) >= 100)
    #expect(all.flatMap(\.bodies).count >= 2)
    #expect(all.map(\.links.count).reduce(0, +) >= 400)
  }

  @Test("every spec on a page is one that 'check' accepts, unless the page shows its mistakes", arguments: pages)
  func specs(_ name: String) async throws {
    let page = try Self.page(name)
    let folder = try TemporaryFolder()
    for (name, text) in page.files where name.hasSuffix(".yaml") {
      _ = try folder.write(text, to: name)
      guard !page.text.contains("pagecat check \(name)\n\(name):") else { continue }
      let result = try await Shell.run("pagecat check \(name)", in: folder.path)
      #expect(result.code == 0, "\(name): \(result.error)")
    }
  }

  @Test("the spec in the picture of a file is one that 'check' accepts")
  func picture() throws {
    let text = try Self.page("pipelines/README.md").text
    let picture = try #require(text.components(separatedBy: "\n## A file\n").last).components(separatedBy: "```")[1]
    let lines = picture.components(separatedBy: "\n").drop { !$0.hasPrefix("  params:") }.prefix { !$0.isEmpty }
    let spec = lines.map { line -> String in
      let indent = line.prefix { $0 == " " }
      return "\(indent.dropFirst(2))\(line.dropFirst(indent.count).components(separatedBy: "  ")[0])\n"
    }.joined()
    let read = try Spec(reading: SourceText(name: "shop.yaml", bytes: Array(spec.utf8)))
    #expect(lines.count >= 15 && read.jobs.count == 2)
  }

  @Test("every pager of the table 'which pager is mine' is one that 'check' accepts")
  func pagers() async throws {
    let texts = try Self.pages.map { try Self.page($0).text }
    let section = texts.compactMap { text in
      text.range(of: "\n### Which pager is mine\n").map { text[$0.upperBound...].prefix { $0 != "#" } }
    }
    #expect(section.count == 1)
    let rows = section.joined().split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
    let pagers = rows.flatMap { row in
      row.components(separatedBy: " | ").last?.matches(of: #/`(\{ .*? \}|one)`/#).map { String($0.1) } ?? []
    }
    #expect(pagers.count == rows.count && pagers.count >= 10)
    let folder = try TemporaryFolder()
    for pager in pagers {
      let spec = "base: https://api.example.com/\nendpoint: x\nbody: { variables: {} }\npages: \(pager)\n"
      _ = try folder.write(spec, to: "pager.yaml")
      let result = try await Shell.run("pagecat check pager.yaml", in: folder.path)
      #expect(result.code == 0, "\(pager): \(result.error)")
    }
  }

  @Test("the contents of a page lead to each of its parts", arguments: pages)
  func contents(_ name: String) throws {
    let page = try Self.page(name)
    let contents = page.text.components(separatedBy: "\n## ").first { $0.hasPrefix("Contents\n") } ?? ""
    for part in page.parts where part != "Contents" {
      #expect(contents.contains("(#\(ReferencePage.anchor(part)))"), "\(name): '\(part)' is not in the contents")
    }
  }

  @Test("every link within the repository leads to a file, and to one of its headings", arguments: pages + otherPages)
  func links(_ name: String) throws {
    let folder = URL(fileURLWithPath: Shell.package + "/" + name).deletingLastPathComponent()
    for link in try Self.page(name).links {
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let path = parts[0].isEmpty ? Shell.package + "/" + name : folder.appendingPathComponent(parts[0]).path
      #expect(FileManager.default.fileExists(atPath: path), "\(name): \(link)")
      guard parts.count > 1 else { continue }
      #expect(try ReferencePage(path: path).anchors.contains(parts[1]), "\(name): \(link)")
    }
  }

  private static func page(_ name: String) throws -> ReferencePage {
    try ReferencePage(path: Shell.package + "/" + name)
  }

  /// The table of that name, which stands on one of the pages.
  private static func table(_ name: String, of kind: String = "keys") throws -> String {
    let tables = try pages.compactMap { try page($0).table(name, of: kind) }
    #expect(tables.count == 1, "\(tables.count) pages have the table '\(kind) \(name)'")
    return tables.first ?? ""
  }

  /// The keys of each map of a spec, with the path to that map, and the name of the map in the JSON Schema.
  private static let maps: [(schema: String, path: String, keys: [KeyEntry])] = [
    ("", "", SpecKeys.file), ("step", "", SpecKeys.job), ("tests", "", SpecKeys.condition),
    ("pages", "pages.", SpecKeys.pages), ("link", "pages.link.", SpecKeys.link), ("span", "each.", SpecKeys.span),
    ("incremental", "incremental.", SpecKeys.incremental), ("decode", "decode.", SpecKeys.decode),
    ("attach", "attach.", SpecKeys.attach), ("csv", "read.csv.", SpecKeys.csv), ("poll", "poll.", SpecKeys.poll),
    ("download", "download.", SpecKeys.download), ("retry", "retry.", SpecKeys.retry), ("auth", "auth.", SpecKeys.auth),
    ("basic", "auth.basic.", SpecKeys.basic), ("oauth2", "auth.oauth2.", SpecKeys.oauth2),
    ("jwt", "auth.oauth2.jwt.", SpecKeys.jwt),
    ("login", "auth.login.", SpecKeys.login), ("aws", "auth.aws.", SpecKeys.aws), ("tls", "tls.", SpecKeys.tls),
  ]

  /// Keys that a map has in addition, and maps whose keys are those of another map.
  private static let otherKeys = ["streams.of", "streams.steps", "read.csv"]
  private static let sameMaps = ["stream": "step", "then": "step", "use": "auth"]

  @Test("each key has a heading by its path, and below it what the program says of the key and an example")
  func keys() throws {
    let sections = try Self.page("pipelines/README.md").sections
    for map in Self.maps {
      for key in map.keys {
        let path = map.path + key.name
        let own = sections.filter { $0.heading == path }
        #expect(own.count == 1, "\(own.count) headings '### \(path)'")
        let line =
          "Takes \(key.value)\(Self.standard(of: key)). \(key.summary.prefix(1).uppercased())\(key.summary.dropFirst(1))."
        let text = own.first?.text ?? ""
        #expect(text.hasPrefix(line), "'### \(path)' should begin:\n\(line)")
        #expect(text.contains("Example: `") || text.contains("```yaml"), "no example below '### \(path)'")
        #expect(Self.sentences(text) <= 4, "more than three sentences after the first: '### \(path)'")
      }
    }
  }

  /// The number of sentences in the first paragraph, without the example.
  private static func sentences(_ text: String) -> Int {
    let paragraph = text.components(separatedBy: "\n\n")[0].components(separatedBy: "Example:")[0]
    return paragraph.replacing(#/`[^`]*`|\([^)]*\)/#, with: "X").matches(of: #/[.!?](\s|$)/#).count
  }

  private static func standard(of key: KeyEntry) -> String {
    if key.isRequired { return "; required" }
    return key.standard.isEmpty ? "" : "; default: \(key.standard)"
  }

  @Test("the headings name each key of the JSON Schema, and no other")
  func schema() async throws {
    let result = try await Shell.run("pagecat schema", in: Shell.package)
    let root = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    let definitions = try #require(root["definitions"] as? [String: [String: Any]])
    let paths = Dictionary(uniqueKeysWithValues: Self.maps.map { ($0.schema, $0) })
    var named = Set(Self.otherKeys)
    for (name, definition) in definitions.merging(["": root], uniquingKeysWith: { $1 }) {
      guard let properties = definition["properties"] as? [String: Any] else { continue }
      let map = try #require(paths[Self.sameMaps[name] ?? name], "no headings for the keys of '\(name)'")
      let own =
        map.keys.map(\.name) + (name.isEmpty ? SpecKeys.job.map(\.name) : name == "stream" ? ["of", "steps"] : [])
      #expect(Set(properties.keys).isSubset(of: own), "'\(name)' has other keys: \(properties.keys.sorted())")
      named.formUnion(map.keys.map { map.path + $0.name })
    }
    let headings = try Self.page("pipelines/README.md").sections.map(\.heading)
    let keys = headings.filter { $0.wholeMatch(of: #/[a-z$][\w.]*/#) != nil }
    #expect(Set(keys) == named && keys.count == named.count)
  }

  /// Examples of a map's keys are about this map, with these keys.
  private static let companions: [String: [String]] = [
    "auth.oauth2": [#"tokenUrl: "https://api.example.com/token""#, "clientId: me", #"clientSecret: "${env.S}""#],
    "auth.login": ["endpoint: sessions", "token: body.id"],
    "auth.aws": [#"id: "${env.A}""#, #"secret: "${env.B}""#, "region: eu-west-1", "service: ce"],
  ]

  @Test("each example of a key is one that 'check' accepts")
  func keyExamples() throws {
    for (path, text) in try Self.page("pipelines/README.md").sections {
      guard let example = text.firstMatch(of: #/Example: `([^`]+)`/#).map({ String($0.1) }) else { continue }
      let base = "base: https://api.example.com/v1/\n"
      var specs = ["", "\(base)endpoint: items\n", "\(base)endpoint: items/${input.id}\n", base].map {
        $0 + example + "\n"
      }
      let names = path.split(separator: ".").dropLast()
      if let companions = Self.companions[names.joined(separator: ".")] {
        let key = example.prefix { $0 != ":" } + ":"
        let members = companions.filter { !$0.hasPrefix(key) } + [example]
        let map = "\(names.joined(separator: ": { ")): { \(members.joined(separator: ", ")) }"
        specs.append("\(base)endpoint: items\n\(map)\(String(repeating: " }", count: names.count - 1))\n")
      }
      let isAccepted = specs.contains { text in
        (try? Spec(reading: SourceText(name: "a.yaml", bytes: Array(text.utf8)))) != nil
      }
      #expect(isAccepted, "'### \(path)': \(example)")
    }
  }

  @Test("the table of a run's options in Swift names them all")
  func runOptions() throws {
    let table = try Self.table("options of a run")
    let named = Set(table.split(separator: "`").filter { $0.allSatisfy(\.isLetter) }.map(String.init))
    #expect(named == Set(Mirror(reflecting: PipelineOptions()).children.compactMap(\.label)))
  }

  @Test("the tables of options are those of '--help'", arguments: ["run", "new"])
  func options(_ name: String) throws {
    let command = try #require(Command.all.first { $0.name == name })
    var rows = "| option | does |\n| --- | --- |\n"
    for flag in command.flags {
      let short = flag.short.map { "-\($0), " } ?? ""
      let value = flag.value.map { " \($0)" } ?? ""
      rows += "| `\(short)--\(flag.name)\(value.replacingOccurrences(of: "|", with: "\\|"))` | \(flag.help) |\n"
    }
    let table = try Self.table(name, of: "options")
    #expect(table == rows, "the page should say:\n\(rows)")
  }

  @Test("each option of each command stands on the page about running", arguments: Command.all.map(\.name))
  func allOptions(_ name: String) throws {
    let text = try Self.page("pipelines/RUNNING.md").text
    for flag in Command.all.first(where: { $0.name == name })?.flags ?? [] {
      #expect(text.contains("--\(flag.name)"), "\(name): '--\(flag.name)'")
    }
  }

  @Test("each sign, and each code of an error, has its row")
  func signsAndCodes() throws {
    let signs = try Self.page("pipelines/DECIDES.md").text
    for sign in Sign.allCases { #expect(signs.contains("\n| `\(sign.rawValue)` |"), "\(sign.rawValue)") }
    let codes = try Self.page("pipelines/RUNNING.md").text
    let errors = try Self.page("Sources/Engine/Outcome/NetworkingError.swift").text
    let names = errors.matches(of: #/\n  case (\w+)\(/#).map { String($0.1) }
    #expect(names.count >= 10)
    for name in names { #expect(codes.contains("`\(name)`"), "\(name)") }
  }

  @Test("each member of the summary, of the log, and each code of an error stands in its schema and on the page")
  func schemas() throws {
    let page = try Self.page("pipelines/RUNNING.md").text
    for name in ["summary", "log"] {
      let text = try Self.page("pipelines/\(name).schema.json").text
      let schema = try JSONValue(parsing: Array(text.utf8))
      for definition in (schema["$defs"] ?? .null).members {
        for member in (definition.value["properties"] ?? .null).members {
          #expect(page.contains("`\(member.name)`"), "\(name): '\(member.name)'")
        }
      }
    }
    let summary = try Self.page("pipelines/summary.schema.json").text
    let errors = try Self.page("Sources/Engine/Outcome/NetworkingError.swift").text
    // This one occurs in Swift only.
    for match in errors.matches(of: #/\n  case (\w+)\(/#) where match.1 != "invalidDecoderConfiguration" {
      #expect(summary.contains("\"\(match.1)\""), "\(match.1)")
    }
  }
}
