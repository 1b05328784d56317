import Engine
import Pagecat
import PipelineSpec
import TestSupport
import Testing

@Suite("Answers of real APIs", .limitedConcurrency, .timeLimit(.minutes(20)))
struct APIAnswerTests {
  /// What a run said about an answer.
  private struct Outcome {
    var verdict: Verdict
    var reason: String
    var warnings: [String]
    var requests: Int

    /// The signs that the messages name.
    var signs: Set<String> {
      let texts = warnings.map { String($0.prefix { $0 != "\n" }) } + [reason]
      let named = texts.flatMap { $0.matches(of: #/\[([a-z]+)\]/#).map { String($0.1) } }
      return Set(named).intersection(Sign.allCases.map(\.rawValue))
    }
  }

  @Test("are many, of many APIs, each with the address of its documentation")
  func count() throws {
    let answers = try APIAnswer.read()
    #expect(answers.count >= 300 && Set(answers.map(\.api)).count >= 100)
    #expect(Set(answers.map(\.name)).count == answers.count)
    for answer in answers {
      #expect(answer.spec.hasPrefix("# https://") && !answer.responses.isEmpty, "\(answer.name)")
      #expect(answer.truth == .whole ? answer.signs.isEmpty : !answer.signs.isEmpty, "\(answer.name)")
    }
    #expect(answers.count { $0.truth == .whole } >= 120)
    #expect(KnownMistakes.answers.names.isSubset(of: answers.map(\.name)))
  }

  @Test("a whole answer is complete, and any other is not, with a sign that fits", arguments: APIAnswer.all)
  func verdict(_ answer: APIAnswer) async throws {
    let outcome = try await outcome(of: answer)
    let problem = KnownMistakes.answers.news(about: answer.name, problem(outcome, answer))
    if let problem { Issue.record("\(answer.name): \(problem)\n\(outcome.reason)\n\(answer.spec)") }
  }

  /// Whole answers of whose pages `auto` can't tell how they go on, or that come in another order than it asks.
  private static let undecided: Set = [
    "CoinGecko: markets, all pages until one is short", "Datadog: logs, all pages: records of status error are data",
    "Discord: messages of a channel, all pages", "GitHub: runs of a workflow, all pages by number",
    "ServiceNow: incidents, all pages by offset", "Stack Exchange: questions, all pages, and a quota",
    "Terraform Cloud: workspaces, all pages", "WordPress: posts, all pages, the one after the last is an error",
  ]

  @Test("with 'pages: auto' in place of the pager, no answer is complete that is not whole", arguments: APIAnswer.all)
  func auto(_ answer: APIAnswer) async throws {
    let spec = answer.spec.replacing(#/(?m)^pages:.*\n(?: +.*\n)*/#, with: "")
    guard !spec.contains("\nsteps:"), !spec.contains("maxPages"), !spec.contains("until:") else { return }
    let outcome = try await outcome(of: answer, spec + "pages: auto\n")
    let isComplete = [.complete, .capped].contains(outcome.verdict)
    let isWanted = answer.truth == .whole && !Self.undecided.contains(answer.name)
    #expect(isComplete == isWanted, "\(answer.name): \(outcome.verdict), \(outcome.reason)\n\(answer.spec)")
  }

  /// Runs the job on the responses of its API.
  private func outcome(of answer: APIAnswer, _ spec: String? = nil) async throws -> Outcome {
    let transport = OrderedTransport(answer.responses)
    var options = PipelineOptions()
    options.transport = transport
    options.skipsWaits = true
    let run = try Pipeline(spec: spec ?? answer.spec, environment: [:]).run(options)
    let events = run.events
    let observer = Task {
      var warnings: [String] = []
      for await event in events { if case .warning(let text) = event { warnings.append(text) } }
      return warnings
    }
    do {
      for try await _ in run.records() {}
    } catch {
      // The summary has the verdict.
    }
    let summary = try #require(run.summary)
    let reason = summary.error.map { "\($0)" } ?? summary.reason
    return Outcome(
      verdict: summary.verdict, reason: reason, warnings: await observer.value, requests: transport.requests)
  }

  /// What is wrong about an outcome; nil if nothing is.
  private func problem(_ outcome: Outcome, _ answer: APIAnswer) -> String? {
    let isWhole = answer.truth == .whole
    switch outcome.verdict {
    // The last page may be an empty one, which need not be requested.
    case .complete where isWhole: return outcome.requests < answer.responses.count - 1 ? "pages are missing" : nil
    case .complete, .capped: return "MISS: \(outcome.verdict), but \(answer.truth)"
    case .failed, .short, .partial: break
    }
    if isWhole { return "FALSE ALARM: \(outcome.verdict), though the answer is whole" }
    if outcome.verdict == .failed { return answer.signs.contains("failed") ? nil : "failed, and not short" }
    guard outcome.signs.isDisjoint(with: answer.signs) else { return nil }
    return "WRONG SIGN: \(outcome.signs.sorted()) and not one of \(answer.signs.sorted())"
  }
}
