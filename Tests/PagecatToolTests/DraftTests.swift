import Foundation
import TestSupport
import Testing

/// What `new` writes, beside what was written by hand for the same answers.
@Suite("A spec that 'new' writes", .limitedConcurrency)
struct DraftTests {
  /// The answers to `new`, and to the spec that it writes.
  enum Source: CaseIterable {
    case loopback, recording
  }

  /// One draft, and how its records compare with those of the spec by hand.
  struct Outcome {
    /// The same records as the whole spec by hand.
    var isWhole = false
    /// The same records as the first job by hand, as the server sent them.
    var isSame = false
    /// The draft gives the first records, and lacks others.
    var isShort = false
    var draft = ""
    /// Reasons why the draft is no good, whatever its records are.
    var faults: [String] = []
  }

  private static func outcome(of name: String, from source: Source) async throws -> Outcome {
    let (hand, folder) = (try SpecByHand(name), try TemporaryFolder())
    let server = source == .loopback ? try RecordedServer(name) : nil
    let environment = ["HAR": "\(SpecByHand.samples)/\(name).har"]
    let arguments = server?.arguments.map(quoted).joined(separator: " ") ?? "--har $HAR"
    let made = try await Shell.run(
      "pagecat new -q -o draft.yaml \(arguments)", in: folder.path, environment: environment)
    guard made.code == 0 else { return Outcome(faults: ["exit \(made.code): \(made.error)"]) }
    var outcome = Outcome()
    outcome.draft = try String(contentsOfFile: "\(folder.path)/draft.yaml", encoding: .utf8)
    if let server, server.requestCount > 2 { outcome.faults.append("\(server.requestCount) requests") }
    server?.restart()
    // Recordings have asterisks in place of secrets.
    var variables = environment
    for match in outcome.draft.matches(of: #/\$\{env\.([A-Z0-9_]+)/#) { variables[String(match.1)] = "***" }
    let check = try await Shell.run("pagecat check draft.yaml -q", in: folder.path, environment: variables)
    if check.code != 0 { outcome.faults.append("check: \(check.error)") }
    let replay = server == nil ? "--replay $HAR" : ""
    let run = try await Shell.run(
      "pagecat draft.yaml \(replay) --summary none -q", in: folder.path, environment: variables)
    let whole = try String(contentsOfFile: "\(SpecByHand.samples)/\(name).ndjson", encoding: .utf8)
    let fetched = try await hand.fetched()
    if fetched.output.isEmpty { outcome.faults.append("the first job by hand has no records") }
    func moved(_ text: String) -> String { server?.moved(text) ?? text }
    outcome.isWhole = run.code == 0 && run.output == moved(whole)
    // Without the wishes of its author, a spec by hand may go on where the recording ends, and so may a draft.
    let isWhole = [0, 1, fetched.code].contains(run.code) || run.error.contains("has no answer to")
    outcome.isSame = run.output == moved(fetched.output) && isWhole
    outcome.isShort = moved(fetched.output).hasPrefix(run.output)
    if source == .loopback, hand.hasWindowInQuery, !outcome.draft.contains("look like a window of time") {
      outcome.faults.append("no comment about the window")
    }
    if hand.followsRecords, !outcome.draft.contains("two steps:") { outcome.faults.append("no comment about steps") }
    if let server, hand.polls, server.startsJob, !outcome.draft.contains("The server has started a job") {
      outcome.faults.append("no comment about the job")
    }
    return outcome
  }

  private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }

  /// Comments about pages that may be missing.
  private static let ofPages = [
    "If the API turns pages", "This was tried, and is not right", "This could not be tried",
    "The server refused the second page", "No pager is known", "At first, the second page",
    "add 'empty: missing'",
  ]
  /// Comments about records that may be elsewhere, or of another form.
  private static let ofContent = [
    "write 'contentIdentifier:", "leave 'contentIdentifier' out", "add 'columns:", "Each is '",
  ]

  @Test(
    "gives the records of the spec by hand for 9 of 10 real APIs, and says in a comment what else it may lack",
    arguments: Source.allCases)
  func recordings(_ source: Source) async throws {
    var (whole, same, others): ([String], [String], [String]) = ([], [], [])
    for name in APISpecTests.names {
      let outcome = try await Self.outcome(of: name, from: source)
      #expect(outcome.faults.isEmpty, "\(name): \(outcome.faults)")
      if outcome.isWhole { whole.append(name) }
      if outcome.isWhole || outcome.isSame {
        same.append(name)
        continue
      }
      others.append(name)
      let comments = outcome.isShort ? Self.ofPages : Self.ofContent
      #expect(
        comments.contains { outcome.draft.contains($0) }, "\(name) differs, and does not say so:\n\(outcome.draft)")
    }
    print(
      "drafts from \(source): \(whole.count) as the whole spec by hand, \(same.count) as its first job, not \(others)")
    #expect(APISpecTests.names.count >= 84)
    #expect(same.count * 10 >= APISpecTests.names.count * 9, "not the same: \(others)")
    // More than these take keys that no answer can tell: steps, models, windows.
    #expect(whole.count >= 45, "\(whole)")
  }
}
