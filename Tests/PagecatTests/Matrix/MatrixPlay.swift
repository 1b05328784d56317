import Engine
import PipelineSpec
import TestSupport

/// Plays a combination to its end and collects everything that is not as it must be.
struct MatrixPlay {
  private let matrixCase: MatrixCase
  private let folder: TemporaryFolder
  private let spec: Spec
  private var server: ModelServer
  private var dice: Dice
  /// What the file must hold.
  private var lines: [String] = []
  /// What the state must hold.
  private var marks: [String: String] = [:]
  private var written: [String: Set<String>] = [:]
  private(set) var problems: [String] = []

  /// - Parameter spec: of the combination.
  init(_ matrixCase: MatrixCase, _ spec: Spec) throws {
    self.matrixCase = matrixCase
    self.spec = spec
    folder = try TemporaryFolder(isInMemory: true)
    server = ModelServer(pager: matrixCase.pager, isSlow: matrixCase.extra == .poll)
    if matrixCase.shape.failsOneList { server.forbiddenList = "b" }
    server.showsSync = matrixCase.mark == .answer
    // The same in every process, also where a combination is played alone.
    dice = Dice(state: matrixCase.name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
  }

  mutating func play() async {
    for (index, kind) in matrixCase.scenario.runs(isMarked: matrixCase.mark != .none).enumerated() {
      if kind == .news { server.catalog.addNews() }
      let day = kind == .news ? 8 : 5 + index
      await playRun(isAppended: index > 0, at: day * ModelCalendar.secondsADay + 43_200)
      guard problems.isEmpty else {
        problems.insert("\(kind.rawValue):", at: 0)
        return
      }
    }
  }

  /// One run, as often as it must be resumed, and what it has left.
  private mutating func playRun(isAppended: Bool, at second: Int) async {
    let isMarked = matrixCase.mark != .none
    let expected = MatrixExpectation(matrixCase, server, marks: marks, written: written, at: second)
    var run = MatrixRun(spec: spec, server: server, start: second, hasState: isMarked)
    run.isAppended = isMarked && isAppended
    run.hasRejects = matrixCase.shape.failsOneList
    run.isResumed = matrixCase.scenario == .killed && Bool.random(using: &dice)
    lines = (run.isAppended ? lines : []) + expected.lines
    (marks, written) = (expected.marks, expected.written)
    // Each stream may have been asked for pages behind its end.
    var most = expected.requests + (matrixCase.concurrency - 1) * expected.streams * matrixCase.extra.requestsPerPage
    var made: [String] = []
    for disturbance in disturbances(expected.requests) {
      run.disturbance = disturbance
      most += repeatable(expected, disturbance)
      if disturbance.endsRun { made += await interrupt(&run) }
    }
    let ending = await run.ending(in: folder)
    made += ending.requests
    check(ending, expected)
    checkFiles(rejects: expected.rejects)
    if made.count > most || made.count < expected.requests {
      problems.append("\(made.count) requests instead of \(expected.requests) to \(most): \(made)")
    }
  }

  /// Lets a run meet its end, and leaves the run that resumes it.
  ///
  /// Gives the requests.
  private mutating func interrupt(_ run: inout MatrixRun) async -> [String] {
    let ending = await run.ending(in: folder)
    if case .fail? = run.disturbance, ending.verdict != .failed {
      problems.append("a run without answers ended with exit \(ending.exitCode.rawValue): \(ending.messages)")
    }
    run.isResumed = true
    // Another moment than that of the interrupted run, which counts.
    run.start += ModelCalendar.secondsADay
    run.disturbance = nil
    return ending.requests
  }

  private mutating func disturbances(_ requests: Int) -> [ModelTransport.Disturbance] {
    guard requests > 0 else { return [] }
    let number = Int.random(in: 1...requests, using: &dice)
    switch matrixCase.scenario {
    case .calm: return []
    case .stumbling: return [.stumble(at: number)]
    case .killed:
      // With `onError` a run without answers goes on.
      let isToFail = !matrixCase.shape.failsOneList && Bool.random(using: &dice)
      // The resumed run surely makes one more request; how many after that depends on what the failed one got done.
      return isToFail ? [.fail(from: number), .kill(at: 1)] : [.kill(at: number)]
    }
  }

  /// The most requests that are made again after a run that ended early: those in flight, of all jobs; all pages of an
  /// input record that comes out as a whole; and the retries of a run that failed.
  private func repeatable(_ expected: MatrixExpectation, _ disturbance: ModelTransport.Disturbance) -> Int {
    let isWhole = matrixCase.shape.attaches || matrixCase.shape.failsOneList
    let inFlight = matrixCase.concurrency * (isWhole ? expected.longest : matrixCase.extra.requestsPerPage)
    let before = matrixCase.shape.hasSteps ? matrixCase.concurrency * matrixCase.extra.requestsPerPage : 0
    // By number and offset, a resumed run asks for its last page once more.
    let isNumbered = matrixCase.pager.isNumbered || matrixCase.pager.isOffset
    let confirming = isNumbered ? matrixCase.extra.requestsPerPage * (matrixCase.shape.hasSteps ? 2 : 1) : 0
    switch disturbance {
    case .stumble: return 1
    case .kill: return inFlight + before + confirming
    case .fail: return inFlight + before + confirming + 2 * matrixCase.concurrency
    }
  }

  private mutating func check(_ ending: MatrixRun.Ending, _ expected: MatrixExpectation) {
    let verdict: Verdict = expected.rejects > 0 ? .partial : .complete
    let exitCode: ExitCode = expected.rejects > 0 ? .incomplete : .complete
    guard ending.verdict != verdict || ending.exitCode != exitCode else { return }
    problems.append(
      "verdict \(ending.verdict.map(\.rawValue) ?? "none"), exit \(ending.exitCode.rawValue), instead of "
        + "\(verdict.rawValue): \(ending.messages)")
  }

  private mutating func checkFiles(rejects: Int) {
    let isRemembered = !marks.isEmpty
    let names = folder.names.filter { !$0.hasSuffix("-lock") }
    let wantedNames = ["out"] + (rejects > 0 ? ["rejects"] : []) + (isRemembered ? ["state"] : [])
    if names != wantedNames { problems.append("the folder has \(names) instead of \(wantedNames)") }
    let found = (try? folder.read("out")) ?? ""
    let wanted = lines.map { $0 + "\n" }.joined()
    if found != wanted { problems.append("the file has\n\(found)instead of\n\(wanted)") }
    let rejected = ((try? folder.read("rejects")) ?? "").split(separator: "\n")
    if rejected.count != rejects || rejected.contains(where: { !$0.contains("\"list\":\"b\"") }) {
      problems.append("\(rejected.count) rejects instead of \(rejects): \(rejected)")
    }
    guard isRemembered else { return }
    let members = Self.members(marks)
    let state = (try? folder.read("state")) ?? ""
    let start = "{\"since\":{\(members.joined(separator: ","))}"
    if !state.hasPrefix(start) { problems.append("the state is \(state)instead of \(start)…") }
  }
}

extension MatrixPlay {
  private static func quoted(_ name: some StringProtocol) -> String {
    "\"\(name.map { $0 == "\"" ? "\\\"" : String($0) }.joined())\""
  }

  /// Members of the state; marks by list are one member.
  private static func members(_ marks: [String: String]) -> [String] {
    let jobs = Dictionary(grouping: marks) { $0.key.prefix { $0 != "/" } }
    return jobs.sorted { $0.key < $1.key }.map { job, marks in
      let marks = marks.sorted { $0.key < $1.key }.map { (name: $0.key.dropFirst(job.count + 1), value: $0.value) }
      let isOne = marks.count == 1 && marks[0].name.isEmpty
      return isOne
        ? "\"\(job)\":\(marks[0].value)"
        : "\"\(job)\":{\(marks.map { "\(quoted($0.name)):\($0.value)" }.joined(separator: ","))}"
    }
  }
}

extension ModelTransport.Disturbance {
  /// Whether the run that meets it comes to an end.
  var endsRun: Bool { if case .stumble = self { false } else { true } }
}
