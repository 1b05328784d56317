import Foundation
import TestSupport
import Testing

/// A test in one file: what the server says, what is run, what must come out.
///
/// `Tests/Cases/README.md` has the format.
struct CaseFile: CustomTestStringConvertible, Sendable {
  let path: String
  let title: String
  private(set) var sections: [Section] = []

  struct Section: Sendable {
    let name: String
    /// What stands behind the name on its line.
    let words: String
    var text: String
  }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Cases").path

  /// All cases, or those whose paths begin with one of the texts of `CASE=exports/append,pages/`; without those that write
  /// to `/dev/full` where the system has none.
  static var all: [CaseFile] {
    get throws {
      let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      let wanted = ProcessInfo.processInfo.environment["CASE"]?.split(separator: ",") ?? [""]
      return try names.filter { name in name.hasSuffix(".case") && wanted.contains { name.hasPrefix($0) } }.sorted()
        .map { try CaseFile(name: $0) }.filter { hasFullDevice || $0.text("sh")?.contains("/dev/full") != true }
    }
  }

  private static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")
  private static let names: Set = ["file", "reply", "sh", "stdin", "stdout", "stderr", "exit", "requests"]
  private static let replyWords: Set = [
    "chunk-cut", "gzip", "gzip-cut", "reset", "hang", "empty", "not-http", "keep-alive", "hex", "packed", "packed-cut",
    "unsized",
  ]
  private static let replyValues: Set = [
    "status", "type", "field", "trailer", "cut", "bomb", "stall", "trickle", "head", "packed-bomb",
  ]

  /// What nobody would look at.
  private struct Diagnostic: Error, CustomStringConvertible {
    let description: String
  }

  init(name: String) throws {
    path = name
    let lines = try String(contentsOfFile: Self.folder + "/" + name, encoding: .utf8).components(separatedBy: "\n")
    title = String(lines[0].drop { $0 == "#" || $0 == " " })
    for line in lines.dropFirst() {
      if line.hasPrefix("--- ") {
        let words = line.dropFirst(4).split(separator: " ", maxSplits: 1).map(String.init)
        sections.append(Section(name: words[0], words: words.count > 1 ? words[1] : "", text: ""))
      } else if !sections.isEmpty {
        sections[sections.count - 1].text += line + "\n"
      }
    }
    for section in sections { try check(section) }
    // The blank line before the next section, or at the end of the file, belongs to nobody.
    for index in sections.indices where sections[index].text.hasSuffix("\n\n") || sections[index].text == "\n" {
      sections[index].text.removeLast()
    }
  }

  private func check(_ section: Section) throws {
    guard Self.names.contains(section.name) else {
      throw Diagnostic(description: "\(path): no section \(section.name)")
    }
    for word in section.name == "reply" ? section.words.split(separator: " ").dropFirst().map(String.init) : [] {
      let isKnown = word.split(separator: "=").first.map { word.contains("=") && Self.replyValues.contains(String($0)) }
      guard Self.replyWords.contains(word) || isKnown == true else {
        throw Diagnostic(description: "\(path): no reply is '\(word)'")
      }
    }
  }

  /// Writes expectations anew, as the program has just met them (`WRITE_CASES=1`); nil keeps a section.
  ///
  /// Lines of standard error that still match keep their `[...]`.
  func write(stdout: String?, stderr: String?, exit: Int32?, requests: String?) throws {
    var lines = try String(contentsOfFile: Self.folder + "/" + path, encoding: .utf8).components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    let patterns = (text("stderr") ?? "").components(separatedBy: "\n").filter { $0.contains("[...]") && $0 != "[...]" }
    let messages = stderr?.components(separatedBy: "\n").map { line in
      // Figures of time differ from run to run.
      patterns.first { CaseTests.matches(line, $0) }
        ?? line.replacing(#/ in [0-9.]+ s: /#, with: " in [...] s: ")
        .replacing(#/began at [0-9T:Z.-]+: /#, with: "began at [...]: ")
    }.joined(separator: "\n")
    for case (let name, let text?) in [("stdout", stdout), ("stderr", messages), ("requests", requests)] {
      set(name, to: text, in: &lines)
    }
    if let exit { set("exit", words: exit == 0 ? nil : "\(exit)", to: "", in: &lines) }
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: Self.folder + "/" + path, atomically: true, encoding: .utf8)
  }

  private func set(_ name: String, words: String? = nil, to text: String, in lines: inout [String]) {
    let old = lines.firstIndex { $0 == "--- \(name)" || $0.hasPrefix("--- \(name) ") }
    let heading = words.map { "--- \(name) \($0)" } ?? old.map { lines[$0] } ?? "--- \(name)"
    if let old { lines.removeSubrange(old..<(lines[(old + 1)...].firstIndex { $0.hasPrefix("--- ") } ?? lines.count)) }
    guard !text.isEmpty || words != nil else { return }
    let start = old ?? lines.count
    let section = [heading] + text.components(separatedBy: "\n").dropLast()
    let isLast = start == lines.count
    let gap = isLast && lines.last != "" ? [""] : []
    lines.insert(contentsOf: gap + section + (isLast ? [] : [""]), at: start)
  }

  func text(_ name: String) -> String? { sections.first { $0.name == name }?.text }
  func words(_ name: String) -> String? { sections.first { $0.name == name }?.words }

  var testDescription: String { "\(path): \(title)" }
}

extension CaseFile {
  /// The server's answers: the n-th request for a target gets its n-th reply, and the last one again after that.
  func makeServer() throws -> LoopbackServer {
    var replies: [String: [Section]] = [:]
    for section in sections where section.name == "reply" {
      replies[String(section.words.prefix { $0 != " " }), default: []].append(section)
    }
    let script = Watched(replies)
    return try LoopbackServer { request in
      let section: Section? = script.update { replies in
        guard let sections = replies[request.target], let first = sections.first else { return nil }
        if sections.count > 1 { replies[request.target] = Array(sections.dropFirst()) }
        return first
      }
      return section.map { Self.answer($0, to: request["Host"] ?? "") } ?? .status(404)
    }
  }

  /// What the words (`replyWords`, `replyValues`) say; with `hex` the body is written in hexadecimal digits.
  private static func answer(_ section: Section, to host: String) -> Answer {
    let port = host.drop { $0 != ":" }
    let other = host.hasPrefix("localhost") ? "127.0.0.1\(port)" : "localhost\(port)"
    func placed(_ text: String) -> String {
      text.replacing("SERVER", with: "http://\(host)").replacing("NEIGHBOUR", with: "http://\(other)")
    }
    let words = placed(section.words).components(separatedBy: " ").dropFirst()
    let text = placed(section.text)
    func value(_ name: String) -> String? {
      words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    var body = words.contains("hex") ? bytes(hex: section.text) : Array(text.utf8.dropLast())
    if words.contains("packed") { body = gzip(body) }
    if words.contains("packed-cut") { body = gzip(body).dropLast(4) }
    if let count = value("packed-bomb").flatMap({ Int($0) }) { body = gzip(repeating: 32, count: count) }
    if let total = value("cut").flatMap({ Int($0) }) { return .cut(String(decoding: body, as: UTF8.self), of: total) }
    if words.contains("chunk-cut") { return .cutChunked([String(decoding: body, as: UTF8.self)]) }
    if words.contains("gzip-cut") { return .coded(gzip(body).dropLast(4)) }
    if let count = value("bomb").flatMap({ Int($0) }) { return .coded(gzip(repeating: 32, count: count)) }
    if let total = value("stall").flatMap({ Int($0) }) { return .stall(after: text, of: total) }
    if let total = value("trickle").flatMap({ Int($0) }) { return .trickle(after: text, of: total) }
    if let count = value("head").flatMap({ Int($0) }) { return .manyLines(count) }
    if words.contains("gzip") { return .gzipped(String(decoding: body, as: UTF8.self)) }
    if words.contains("reset") { return .reset }
    if words.contains("hang") { return .hang }
    if words.contains("empty") { return .empty }
    if words.contains("not-http") { return .notHTTP }
    let type = value("type") ?? "application/json"
    var fields = type == "none" ? [] : [("Content-Type", type)]
    func named(_ kind: String) -> [(String, String)] {
      words.filter { $0.hasPrefix(kind) }.map { word in
        let parts = word.dropFirst(kind.count).split(separator: ":", maxSplits: 1).map(String.init)
        let texts = parts.map { $0.replacingOccurrences(of: "␣", with: " ") }
        return (texts[0], texts.count > 1 ? texts[1] : "")
      }
    }
    fields += named("field=")
    let trailers = named("trailer=").map { "\($0): \($1)\r\n" }
    let staysOpen = words.contains("keep-alive")
    if !staysOpen { fields.append(("Connection", "close")) }
    if !trailers.isEmpty {
      fields.append(("Transfer-Encoding", "chunked"))
      let end = Array("\r\n0\r\n\(trailers.joined())\r\n".utf8)
      body =
        (body.isEmpty ? [] : Array("\(String(body.count, radix: 16))\r\n".utf8) + body)
        + (body.isEmpty ? Array(end.dropFirst(2)) : end)
    } else if !words.contains("unsized") {
      fields.append(("Content-Length", "\(body.count)"))
    }
    let head = (["HTTP/1.1 \(value("status") ?? "200") Said"] + fields.map { "\($0): \($1)" }).joined(separator: "\r\n")
    let answer = Answer.raw([.send(Array("\(head)\r\n\r\n".utf8) + body)])
    return staysOpen ? answer.stayingOpen() : answer
  }

  private static func bytes(hex: String) -> [UInt8] {
    let digits = hex.filter(\.isHexDigit)
    return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
    }
  }
}
