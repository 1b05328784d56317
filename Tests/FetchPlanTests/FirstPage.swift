// First pages as APIs send them, from the files of `Tests/Shapes`.

import Diagnostics
import Foundation
import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

/// A response with the keys of the job that has asked for it.
struct FirstPage: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The keys of the job, as lines of a spec.
  private(set) var keys = "endpoint: https://h/items\n"
  private(set) var body = ""
  private(set) var fields: [HTTPFields.Field] = []
  /// The line that the job needs for the rest.
  private(set) var line: String?

  init(_ name: String, _ body: String, keys: String = "", line: String? = nil) {
    (testDescription, self.body, self.line) = (name, body, line)
    self.keys += keys
  }

  private init(block: [Substring]) {
    testDescription = block.first.map(String.init) ?? ""
    for line in block.dropFirst() {
      if line.hasPrefix("reply ") {
        body = String(line.dropFirst(6))
      } else if line.hasPrefix("field "), let colon = line.firstRange(of: ": ") {
        let name = String(line[..<colon.lowerBound].dropFirst(6))
        fields.append(HTTPFields.Field(name: name, value: Redactable(String(line[colon.upperBound...]))))
      } else if line.hasPrefix("pages: ") {
        self.line = String(line)
      } else {
        keys += line + "\n"
      }
    }
  }

  /// The pages of a file: what it says of itself, then blocks that `---` begins.
  static func all(of file: String) throws -> [FirstPage] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: folder.appending(path: "Shapes/\(file)"), encoding: .utf8)
    return text.split(separator: "--- ").dropFirst().map {
      FirstPage(block: $0.split(separator: "\n"))
    }
  }

  /// The job, perhaps with a further line.
  func job(with line: String = "") throws -> Job {
    try Spec(reading: SourceText(name: "t.yaml", bytes: Array((keys + line + "\n").utf8))).jobs[0]
  }

  /// What the run would know of the page.
  func pageFacts(captures: [JSONPath] = []) throws -> PageFacts {
    let content = try makePlan(job()).content(for: nil)
    var scanner = EnvelopeScanner(WantedPaths(content: content, captures: captures), wantsOutline: true)
    try scanner.append(Array(body.utf8))
    try scanner.finish()
    var captured: [String: [UInt8]] = [:]
    for (path, value) in zip(captures, scanner.metadata.captured) {
      captured[path.description] = value.map { Array($0.bytes) }
    }
    return PageFacts(
      number: 1, status: 200, url: Redactable("https://h/items"), fields: HTTPFields(fields),
      body: PageBody(
        recordCount: scanner.recordCount, captured: captured,
        outline: scanner.metadata.outline.map {
          EnvelopeMember(path: $0.path, text: $0.text, isWhole: $0.isWhole, isInner: $0.isInner)
        }, isSingle: scanner.recordCount == 1 && !scanner.metadata.isList))
  }
}
