// `plan`: its commands make the requests of a run.

import Foundation
import TestSupport
import Testing

@Suite("The commands of a plan", .limitedConcurrency, .needs("curl", "jq", "dash", "bash"))
struct PlanTests {
  /// Every spec in `pipelines/`.
  static let paths: [String] = ["pipelines", "pipelines/apis"].flatMap { folder in
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Shell.package + "/" + folder)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.map { "\(folder)/\($0)" }.sorted()
  }

  /// One answer for all that is asked: a token too, and a report that failed, so that no run waits for one.
  private static let answer =
    #"{"access_token":"token-1","id":"token-1","token":"token-1","data":{"token":"token-1"},"status":"failed"}"#

  /// Returns the spec with the test's server in place of every other.
  private func spec(_ path: String, _ server: LoopbackServer) throws -> String {
    try String(contentsOfFile: Shell.package + "/" + path, encoding: .utf8)
      .replacing(#/https:\/\/[^\/\s"]+/#, with: server.origin)
  }

  @Test("ask for the first page as the run does, to the byte, in every shell", arguments: paths)
  func first(_ path: String) async throws {
    let server = try LoopbackServer { _ in .json(Self.answer) }
    let folder = try TemporaryFolder()
    let text = try spec(path, server)
    _ = try folder.write(text, to: "a.yaml")
    let names = Set(text.matches(of: #/env\.([A-Za-z0-9_]+)/#).map { String($0.1) })
    let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "value-of-\($0)") })

    let plan = try await Shell.run("pagecat plan a.yaml", in: folder.path, environment: environment)
    #expect(plan.code == 0, "\(plan.error)")
    #expect(server.requests.isEmpty && names.allSatisfy { !plan.output.contains("value-of-\($0)") })
    let own = plan.output.components(separatedBy: "\n# 2. ")[0]
    let count = own.matches(of: #/curl -sS/#).count

    _ = try await Shell.run(
      "pagecat a.yaml --pages 1 --limit 1 --concurrency 1", in: folder.path, environment: environment)
    let made = server.requests.map(Self.line)
    #expect(made.count >= count)
    for shell in ["sh", "dash", "bash"] {
      let before = server.requests.count
      _ = try folder.write(own, to: "plan.sh")
      let result = try await Shell.run("\(shell) -eu plan.sh", in: folder.path, environment: environment)
      #expect(result.code == 0, "\(result.error)")
      let planned = server.requests.dropFirst(before).map(Self.line)
      #expect(planned.count == count && planned.allSatisfy(made.contains), "\(planned)\n\(made)")
    }
  }

  /// A request without what is different each time: the time of a signature, and the signature.
  private static func line(_ request: SeenRequest) -> String {
    let isSigned = request["X-Amz-Date"] != nil
    let fields = request.fields.map { field in
      isSigned && ["authorization", "x-amz-date"].contains(field.name.lowercased())
        ? field.name : "\(field.name): \(field.value)"
    }
    return ([request.method, request.target] + fields.sorted() + [request.text]).joined(separator: "\n")
  }
}
