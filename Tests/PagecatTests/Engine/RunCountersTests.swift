import Primitives
import Files
import JSONText
import TestSupport
import Testing
import PipelineSpec
import Wire

@testable import Engine

@Suite("The verdict of a run")
struct RunCountersTests {
  private static let error = NetworkingError.transportFailure(.init(url: "https://a.test/", page: 1, hint: "reset"))

  private let total: Shortfalls = {
    var shortfalls = Shortfalls()
    shortfalls.add("2 of 3", .total)
    return shortfalls
  }()

  private func counters(_ change: (inout RunCounters) -> Void) -> RunCounters {
    var counters = RunCounters()
    change(&counters)
    return counters
  }

  @Test("is the worst of what happened, and has its reason and its exit code")
  func verdicts() {
    let failure = Failure(error: Self.error, job: "a", record: nil)
    let table: [(RunCounters, Verdict, String, ExitCode)] = [
      (counters { _ in }, .complete, "", .complete),
      (counters { $0.cap = "limit of 1 page" }, .capped, "limit of 1 page", .complete),
      (counters { ($0.rejected, $0.cap) = (2, "limit") }, .partial, "2 input records failed", .incomplete),
      (
        counters { ($0.rejected, $0.shortfalls) = (1, total) }, .short, "2 of 3 [total]; 1 input record failed",
        .incomplete
      ),
      (counters { ($0.failure, $0.shortfalls) = (failure, total) }, .failed, "no complete answer", .fetch),
      (counters { $0.outputFault = "disk full" }, .failed, "disk full", .output),
      (counters { ($0.interruption, $0.failure) = (.terminate, failure) }, .failed, "", .terminated),
      (counters { ($0.refusal, $0.interruption) = ("another run", .terminate) }, .failed, "another run", .usage),
    ]
    for (counters, verdict, reason, code) in table {
      #expect(counters.verdict == verdict && counters.exitCode() == code)
      if !reason.isEmpty { #expect(counters.reason == reason) }
    }
  }

  @Test("may be allowed, and is told all the same")
  func allowed() {
    let partial = counters { $0.rejected = 1 }
    #expect(partial.exitCode(allowing: [.partial]) == .complete && partial.verdict == .partial)
    #expect(partial.exitCode(allowing: [.short]) == .incomplete)
    let failed = counters { $0.outputFault = "disk full" }
    #expect(failed.exitCode(allowing: [.partial, .short]) == .output)
  }

  @Test("A limit of the user hides evidence about the rest, and no other")
  func limited() {
    var shortfalls = total
    let rest = counters { ($0.cap, $0.isAtLimit, $0.shortfalls) = ("limit", true, shortfalls) }
    #expect(rest.verdict == .capped)
    shortfalls.add("a record came twice", .moved)
    let wrong = counters { ($0.cap, $0.isAtLimit, $0.shortfalls) = ("limit", true, shortfalls) }
    #expect(wrong.reason == "a record came twice [moved]")
    #expect(wrong.exitCode() == .incomplete)
  }

  @Test("evidence counts once, also beyond what is kept of it")
  func once() {
    var shortfalls = Shortfalls()
    for _ in 1...2 {
      for input in 1...150 { shortfalls.add("a list was cut (\(input))", .nested, of: "\(input)") }
    }
    #expect(shortfalls.sentence(isCut: false)?.hasSuffix("(3) [nested]; and 147 more") == true)
    let isNews = (shortfalls.add("again", .nested, of: "150"), shortfalls.add("another", .total, of: "150"))
    #expect(isNews == (false, true))
  }

  @Test("a limit of the user's asks for no more; a sign of more does")
  func incomplete() {
    #expect(!counters { _ in }.isIncomplete && !counters { $0.cap = "limit" }.isIncomplete)
    #expect(counters { ($0.cap, $0.shortfalls) = ("limit", total) }.isIncomplete)
    #expect(counters { $0.rejected = 1 }.isIncomplete)
  }

  @Test(
    "what a journal holds of the counters is read again; inputs are, where nothing else will be read",
    arguments: [true, false])
  func journal(isFinished: Bool) throws {
    let counters = counters { counters in
      (counters.requests, counters.retries, counters.bytes, counters.inputs) = (5, 2, 900, 4)
      (counters.waitedForRate, counters.waitedForRetry) = (.milliseconds(1_500), .milliseconds(20))
      counters.statuses = [200: 3, 429: 2]
      counters.jobs = [0: JobCounters(requests: 4, records: 9), 2: JobCounters(requests: 1)]
      (counters.cap, counters.shortfalls, counters.warned) = ("more", total, ["a", "b"])
    }
    // What came out of a stage is in its own progress: other threads may be ahead of the line.
    let progress = StageProgress(stage: 0, tally: StageCounters(records: 9))
    let line = MemberWriter.object { members in
      members.add("commit", 0)
      members.add("stages", count: 1) { progress.write(to: &$1) }
      members.add("facts") { counters.write(to: &$0) }
    }
    let folder = try TemporaryFolder()
    _ = try folder.write(
      Journal.summed(
        Array(("{\"pagecat\":\"0\"}\n\(line.text)\n" + (isFinished ? "{\"finished\":\"complete\"}\n" : "")).utf8)),
      to: "out.pagecat-journal")
    var state = JournalState { Spool(environment: [:]) }
    try state.read(OutputPath(folder.path + "/out"), upTo: nil, .system)
    let again = RunCounters(resuming: state)
    #expect([again.requests, again.retries, again.bytes, again.inputs] == [5, 2, 900, isFinished ? 4 : 0])
    #expect(again.waitedForRate == .milliseconds(1_500) && again.waitedForRetry == .milliseconds(20))
    #expect(again.statuses == counters.statuses && again.jobs == counters.jobs)
    #expect(again.cap == "more" && again.isIncomplete && again.warned == ["a", "b"])
  }
}
