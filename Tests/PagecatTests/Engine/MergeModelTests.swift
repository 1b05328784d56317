import Fetching
import Files
import Foundation
import JSONText
import PipelineSpec
import Primitives
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Engine

@Suite("A file that follows its source", .timeLimit(.minutes(20)))
struct MergeModelTests {
  /// Number of pairs of runs; `MERGES=10000` plays as many.
  static let count = ProcessInfo.processInfo.environment["MERGES"].flatMap { Int($0) } ?? 400
  /// Number of the first pair; `FIRST_MERGE=5000` begins there.
  static let first = ProcessInfo.processInfo.environment["FIRST_MERGE"].flatMap { Int($0) } ?? 0

  @Test("is the model's after every pair of runs, whatever ended them")
  func followsTheModel() async throws {
    var ends: [String: Int] = [:]
    for seed in Self.first..<Self.first + Self.count {
      var play = try MergePlay(seed: UInt64(seed))
      for _ in 0..<2 {
        let end = try await play.run()
        ends[end, default: 0] += 1
        #expect(play.problems.isEmpty, "\(seed), \(end): \(play.problems.joined(separator: "\n"))")
        guard play.problems.isEmpty else { break }
      }
    }
    for end in ["complete", "capped", "partial", "short", "failed", "killed"] {
      #expect(ends[end, default: 0] > 0, "\(end)")
    }
  }

  @Test("keeps what another program adds while the merged file is synced, and is merged with that by a resumed run")
  func keepsOtherChanges() async throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"id\":1}\n", to: "out")
    let transport = MergeTransport(pages: [["{\"id\":2}"]])
    let added = Locked(0)
    var calls = transport.calls
    let sync = calls.sync
    calls.sync = { (file) throws(SystemError) in
      let number = added.withLock { added in
        added += 1
        return added
      }
      let text = (try? folder.read("out")) ?? ""
      _ = try? folder.write(text + "{\"id\":\(100 + number)}\n", to: "out")
      try sync(file)
    }
    var verdict = try await MergePlay.run(transport, isMerged: true, in: folder, calls: calls)
    let others = (1...added.withLock { $0 }).map { "{\"id\":\(100 + $0)}\n" }.joined()
    #expect(verdict == .failed)
    #expect(try folder.read("out") == "{\"id\":1}\n" + others)
    verdict = try await MergePlay.run(
      MergeTransport(pages: [["{\"id\":2}"]]), isMerged: true, isResumed: true, in: folder)
    #expect(verdict == .complete)
    #expect(try folder.read("out") == "{\"id\":1}\n" + others + "{\"id\":2}\n")
  }
}

/// A list that changes, the runs that follow it, and what FILE must have.
private struct MergePlay {
  private struct Record: Equatable {
    var id: Int
    var text: String
  }

  private enum End: String, CaseIterable { case complete, capped, partial, short, failed, killed, killedAtTheEnd }

  private let folder: TemporaryFolder
  private var dice: Dice
  private let isMerged: Bool
  private var file: [Record]?
  private var changes: String?
  private var version = 0
  /// What the server has, for a full run.
  private var source: [Int: String] = [:]
  private(set) var problems: [String] = []

  init(seed: UInt64) throws {
    folder = try TemporaryFolder(isInMemory: true)
    dice = Dice(state: seed)
    isMerged = Bool.random(using: &dice)
  }

  /// Plays a run to its end, and returns how it ended.
  mutating func run() async throws -> String {
    let pages = makePages()
    let end = End.allCases.randomElement(using: &dice) ?? .complete
    let limit = end == .capped ? max(1, pages.count - 1) : nil
    let came = pages.prefix(limit ?? pages.count).flatMap { $0 }
    let isCapped = limit.map { $0 < pages.count } ?? false
    let old = (file, changes)
    let kill: MergeTransport.Kill? =
      switch end {
      case .killed: .request(Int.random(in: 1...pages.count, using: &dice))
      case .killedAtTheEnd: .change(Int.random(in: 1...8, using: &dice))
      default: nil
      }
    let texts = pages.map { $0.map(\.text) }
    let failing = Int.random(in: 1...pages.count, using: &dice)
    var transport = MergeTransport(
      pages: texts, kill: kill, total: end == .short ? came.count + 5 : nil, failing: end == .failed ? failing : nil,
      stumbling: Int.random(in: 0...pages.count, using: &dice))
    let isPartial = end == .partial
    var verdict = try await play(transport, limit, isPartial: isPartial, isResumed: false)
    let isKilled = [.killed, .killedAtTheEnd].contains(end)
    if isKilled || end == .failed {
      if end == .failed, verdict != .failed { problems.append("the verdict is \(verdict)") }
      apply(came, isWhole: true)
      let now = try? folder.read("out")
      let wanted = [old.0.map(Self.text), file.map(Self.text)]
      if !wanted.contains(now) || end == .failed && now != wanted[0] {
        problems.append("\(end) leaves\n\(now ?? "nothing")")
      }
      transport = MergeTransport(pages: texts)
      verdict = try await play(transport, limit, isResumed: true)
      // A run that was killed before it had asked for anything is a new one; one that was over stays over.
      if verdict != .complete { problems.append("resumed after \(end), the verdict is \(verdict)") }
    } else if end == .short {
      if verdict != .short { problems.append("the verdict is \(verdict)") }
    } else {
      let wanted: Verdict = isCapped ? .capped : isPartial ? .partial : .complete
      if verdict != wanted { problems.append("the verdict is \(verdict)") }
      apply(came, isWhole: wanted == .complete)
    }
    check()
    return isKilled ? "killed" : isCapped ? "capped" : end == .capped ? "complete" : end.rawValue
  }

  /// What the server gives to the next run, page by page.
  private mutating func makePages() -> [[Record]] {
    var records: [Record] = []
    if isMerged {
      for _ in 0..<Int.random(in: 0...9, using: &dice) {
        records.append(makeRecord(Int.random(in: 1...9, using: &dice)))
      }
    } else {
      for id in 1...9 {
        switch Int.random(in: 0...5, using: &dice) {
        case 0: source[id] = nil
        case 1, 2: source[id] = makeRecord(id).text
        default: break
        }
      }
      let ids = source.keys.sorted().shuffled(using: &dice)
      records = ids.map { id in Record(id: id, text: turned(source[id] ?? "")) }
    }
    var pages: [[Record]] = [[]]
    for record in records {
      if Int.random(in: 0...2, using: &dice) == 0 { pages.append([]) }
      pages[pages.count - 1].append(record)
    }
    return pages
  }

  private mutating func makeRecord(_ id: Int) -> Record {
    version += Int.random(in: 0...1, using: &dice)
    let isGone = isMerged && Int.random(in: 0...3, using: &dice) == 0
    return Record(id: id, text: isGone ? #"{"id":\#(id),"gone":true}"# : #"{"id":\#(id),"v":\#(version),"w":[1,"é"]}"#)
  }

  /// The same value, now and then with its members in another order.
  private mutating func turned(_ text: String) -> String {
    guard Int.random(in: 0...3, using: &dice) == 0, let record = try? JSONValue(parsing: Array(text.utf8)) else {
      return text
    }
    return JSONValue(members: record.members.map { ($0.name, $0.value) }.reversed()).text
  }

  private mutating func apply(_ came: [Record], isWhole: Bool) {
    var newest: [Int: Record] = [:]
    var order: [Int] = []
    for record in came {
      if newest[record.id] == nil { order.append(record.id) }
      newest[record.id] = record
    }
    var lines: [String] = []
    var next: [Record] = []
    for old in file ?? [] {
      guard let record = newest[old.id] else {
        if isMerged {
          next.append(old)
        } else if isWhole {
          lines.append(#"{"change":"removed","record":\#(old.text)}"#)
        }
        continue
      }
      if record.text.contains("gone") {
        lines.append(#"{"change":"removed","record":\#(old.text)}"#)
        continue
      }
      next.append(record)
      if Set(record.text) != Set(old.text) || record.text.count != old.text.count || !isSame(record.text, old.text) {
        lines.append(#"{"change":"changed","record":\#(record.text),"before":\#(old.text)}"#)
      }
    }
    let known = Set((file ?? []).map(\.id))
    for id in order where !known.contains(id) {
      guard let record = newest[id], !record.text.contains("gone") else { continue }
      next.append(record)
      lines.append(#"{"change":"added","record":\#(record.text)}"#)
    }
    file = isMerged ? next : came
    changes = lines.map { $0 + "\n" }.joined()
  }

  private func isSame(_ a: String, _ b: String) -> Bool {
    func members(_ text: String) -> [String: String] {
      guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return [:] }
      return Dictionary(value.members.map { ($0.name, $0.value.text) }) { $1 }
    }
    return members(a) == members(b)
  }

  private func play(
    _ transport: MergeTransport, _ limit: Int?, isPartial: Bool = false, isResumed: Bool
  ) async throws -> Verdict {
    try await Self.run(transport, limit, isMerged: isMerged, isPartial: isPartial, isResumed: isResumed, in: folder)
  }

  /// Runs a spec of the list, and returns the verdict.
  fileprivate static func run(
    _ transport: MergeTransport, _ limit: Int? = nil, isMerged: Bool, isPartial: Bool = false, isResumed: Bool = false,
    in folder: TemporaryFolder, calls: SystemCalls? = nil
  ) async throws -> Verdict {
    // A second list can't be had.
    let lists = "each: { list: [all, lost] }\nonError: skip\nendpoint: https://list.test/${input.list}"
    let spec = try Spec(
      bytes: Array(
        """
        \(isPartial ? lists : "endpoint: https://list.test/all")
        contentIdentifier: items
        unique: id
        deleted: { gone: true }
        pages: { cursor: after, from: body.next }
        """.utf8), name: "list.yaml")
    var options = RunOptions()
    options.clock = VirtualClock(start: 0)
    options.start = 0
    options.transport = transport
    options.pageLimit = limit
    var destination = Destination()
    destination.path = folder.path(of: "out")
    destination.changes = .file(folder.path(of: "changes"))
    (destination.isMerged, destination.isResumed) = (isMerged, isResumed)
    destination.calls = calls ?? transport.calls
    let run = try Run([spec], options: options, source: .network, destination: destination, input: Input(descriptor: 0))
    {
      _, _ in
    }
    var output = Output(descriptor: 1)
    try? await run.write(to: &output)
    await run.stop()
    _ = try? run.close()
    try? run.release()
    return run.report.counters.verdict
  }

  private static func text(_ records: [Record]) -> String { records.map { $0.text + "\n" }.joined() }

  private mutating func check() {
    let (found, wanted) = (try? folder.read("out"), file.map(Self.text))
    if found != wanted { problems.append("FILE has\n\(found ?? "nothing")\ninstead of\n\(wanted ?? "nothing")") }
    let news = try? folder.read("changes")
    if news != changes { problems.append("the changes are\n\(news ?? "nothing")\ninstead of\n\(changes ?? "nothing")") }
  }
}

/// Answers with the pages of a list, and ends the process at a chosen moment.
private final class MergeTransport: HTTPTransport {
  enum Kill { case request(Int), change(Int) }

  private let pages: [[String]]
  private let kill: Kill?
  private let killSwitch = KillSwitch()
  private let count = Locked(0)
  private let changeCount = Locked(0)
  private let total: Int?
  /// Page that can't be had; that and the other one count from 1.
  private let failing: Int?
  /// Page that is there at the second attempt.
  private let stumbling: Int
  private let stumbled = Locked(false)

  init(pages: [[String]], kill: Kill? = nil, total: Int? = nil, failing: Int? = nil, stumbling: Int = 0) {
    (self.pages, self.kill, self.total) = (pages, kill, total)
    (self.failing, self.stumbling) = (failing, stumbling)
  }

  func send(_ request: Request) async throws(TransportError) -> Reply {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if case .request(let last)? = kill, number >= last {
      killSwitch.kill()
      throw TransportError(.other, url: request.url, problem: "the process was killed")
    }
    let page = request.url.text.split(separator: "after=").dropFirst().first.flatMap { Int($0) } ?? 1
    var (status, body) = (200, "")
    if page > pages.count || request.url.text.contains("/lost") {
      // A cursor of another run, or a list that is not there.
      status = 404
    } else if page == failing {
      status = 500
    } else if page == stumbling,
      stumbled.withLock({ was in
        defer { was = true }
        return !was
      })
    {
      status = 503
    } else {
      let total = page == 1 ? total.map { ",\"total\":\($0)" } ?? "" : ""
      let next = page < pages.count ? "\"\(page + 1)\"" : "null"
      body = "{\"items\":[\(pages[page - 1].joined(separator: ","))],\"next\":\(next)\(total)}"
    }
    let fields = [HTTPFields.Field(name: "Content-Type", value: Redactable("application/json"))]
    return Reply(
      head: ReplyHead(status: status, fields: HTTPFields(fields), url: request.url), body: ModelBody(body))
  }

  /// File calls of a process that dies at one of its changes of a file.
  var calls: SystemCalls {
    guard case .change(let last)? = kill else { return killSwitch.calls }
    let inner = killSwitch.calls
    var calls = inner
    let count: @Sendable () -> Void = { [self] in
      let number = changeCount.withLock { count in
        count += 1
        return count
      }
      if number > last + 2 * pages.count { killSwitch.kill() }
    }
    calls.write = { (file, bytes) throws(SystemError) in
      count()
      return try inner.write(file, bytes)
    }
    calls.rename = { (old, new) throws(SystemError) in
      count()
      try inner.rename(old, new)
    }
    calls.remove = { (path) throws(SystemError) in
      count()
      try inner.remove(path)
    }
    return calls
  }
}
