// Answers as real APIs send them, from the files of `Tests/Answers`.

import Foundation
import Pagecat
import Primitives
import Synchronization
import Testing

/// The answers of an API to a job: one response, or the pages of a list in order.
struct APIAnswer: CustomTestStringConvertible, Sendable {
  /// What a reader of the API's documentation knows about the records that the job gets.
  enum Truth: String, Sendable {
    case whole, more, partial, error
  }

  struct FormatError: Error { let line: String }

  let api: String
  /// API and answer: the name in lists of known mistakes.
  let name: String
  let truth: Truth
  /// The signs that the run may name, and `failed` if it may fail.
  let signs: Set<String>
  let spec: String
  private(set) var responses: [PipelineResponse] = []

  var testDescription: String { name }

  /// All answers of all files.
  static let all: [APIAnswer] = (try? read()) ?? []

  static func read() throws -> [APIAnswer] {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = tests.appending(path: "Answers")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".txt") }
    return try names.sorted().flatMap { name in
      let text = "\n" + (try String(contentsOf: folder.appending(path: name), encoding: .utf8))
      return try text.components(separatedBy: "\n=== ").dropFirst().map(APIAnswer.init)
    }
  }

  /// Reads one block: its title, the job, then the responses that `--- STATUS` begins.
  private init(_ block: String) throws {
    let parts = block.components(separatedBy: "\n--- ")
    let lines = parts[0].components(separatedBy: "\n")
    let words = lines[0].components(separatedBy: " | ")
    guard words.count >= 3, let truth = Truth(rawValue: words[2]) else { throw FormatError(line: lines[0]) }
    (api, name, self.truth) = (words[0], "\(words[0]): \(words[1])", truth)
    signs = words.count > 3 ? Set(words[3].split(separator: " ").map(String.init)) : []
    spec = lines.dropFirst().joined(separator: "\n") + "\n"
    responses = try parts.dropFirst().map(Self.response)
  }

  private static func response(_ text: String) throws -> PipelineResponse {
    var lines = text.components(separatedBy: "\n")[...]
    guard let status = Int(lines.removeFirst()) else { throw FormatError(line: text) }
    var headers: [(name: String, value: String)] = []
    while let line = lines.first, let field = line.firstMatch(of: #/^([A-Za-z0-9-]+): (.*)$/#) {
      headers.append((String(field.1), String(field.2)))
      lines.removeFirst()
    }
    if lines.first == "" { lines.removeFirst() }
    let body = lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
    if !headers.contains(where: { $0.name == "Content-Type" }) {
      headers.insert(("Content-Type", "application/json"), at: 0)
    }
    return PipelineResponse(status: status, headers: headers, body: Array((body.isEmpty ? "" : body + "\n").utf8))
  }
}

/// Gives the responses in order, whatever is asked.
final class OrderedTransport: PipelineTransport {
  private let responses: [PipelineResponse]
  private let count = Locked(0)

  init(_ responses: [PipelineResponse]) {
    self.responses = responses
  }

  var requests: Int { count.withLock { $0 } }

  func response(to request: PipelineRequest) async throws -> PipelineResponse {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    return number < responses.count ? responses[number] : PipelineResponse(status: 404, json: "null")
  }
}
