import Foundation
import TestSupport
import Testing

@Suite("Cases: one file each", .limitedConcurrency, .timeLimit(.minutes(20)))
struct CaseTests {
  private static let writesAnew = ProcessInfo.processInfo.environment["WRITE_CASES"] == "1"

  @Test("there are cases of every topic")
  func topics() throws {
    let topics = Set(try FileManager.default.contentsOfDirectory(atPath: CaseFile.folder))
    #expect(topics.isSuperset(of: ["auth", "bad-input", "chaining", "content", "download", "exports", "faults"]))
  }

  @Test("a case runs as its file says", arguments: try CaseFile.all)
  func run(_ file: CaseFile) async throws {
    let server = try file.makeServer()
    let folder = try TemporaryFolder()
    for section in file.sections where section.name == "file" {
      _ = try folder.write(placed(section.text, server), to: section.words)
    }
    let script = placed(try #require(file.text("sh")), server)
    let result = try await Shell.run(script, in: folder.path, input: file.text("stdin") ?? "")

    let messages = result.error.replacing(server.origin, with: "SERVER").replacing(server.neighbour, with: "NEIGHBOUR")
    let words = file.words("requests")?.split(separator: " ").map(String.init) ?? []
    let made = server.requests.map { line(of: $0, fields: words.filter { $0 != "sorted" }) }
    let requests = (words.contains("sorted") ? made.sorted() : made).joined()
    let expected = file.text("stderr") ?? ""
    let code = Int32(file.words("exit") ?? "0")
    if Self.writesAnew {
      let output = result.output.replacing(server.origin, with: "SERVER").replacing(server.neighbour, with: "NEIGHBOUR")
      return try file.write(
        stdout: output == file.text("stdout") ?? "" ? nil : output,
        stderr: Self.matches(messages, expected) ? nil : messages, exit: result.code == code ? nil : result.code,
        requests: requests == file.text("requests") ?? requests ? nil : requests)
    }

    #expect(result.output == placed(file.text("stdout") ?? "", server))
    #expect(Self.matches(messages, expected), "standard error was:\n\(messages)\nand not:\n\(expected)")
    #expect(result.code == code)
    if let expected = file.text("requests") { #expect(requests == expected) }
  }

  private func placed(_ text: String, _ server: LoopbackServer) -> String {
    text.replacing("SERVER", with: server.origin).replacing("NEIGHBOUR", with: server.neighbour)
  }

  private func line(of request: SeenRequest, fields: [String]) -> String {
    let fields = fields.compactMap { name in
      name == "body" ? request.body.isEmpty ? nil : " \(request.text)" : request[name].map { " \(name): \($0)" }
    }
    return "\(request.method) \(request.target)\(fields.joined())\n"
  }

  /// `[...]` in the expected text stands for anything within a line.
  static func matches(_ text: String, _ pattern: String) -> Bool {
    let (lines, patterns) = (text.components(separatedBy: "\n"), pattern.components(separatedBy: "\n"))
    return lines.count == patterns.count
      && zip(lines, patterns).allSatisfy { line, pattern in
        var rest = line[...]
        let pieces = pattern.components(separatedBy: "[...]")
        guard rest.hasPrefix(pieces[0]) else { return false }
        rest = rest.dropFirst(pieces[0].count)
        for piece in pieces.dropFirst().dropLast() {
          guard let range = rest.range(of: piece) else { return false }
          rest = rest[range.upperBound...]
        }
        return pieces.count == 1 ? rest.isEmpty : rest.hasSuffix(pieces[pieces.count - 1])
      }
  }
}
