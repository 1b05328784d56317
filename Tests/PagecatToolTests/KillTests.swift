import Primitives
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

/// An export that is killed again and again, and a server that says the same to the same request.
struct KilledExport: CustomTestStringConvertible, Sendable {
  let name: String
  let spec: String
  /// Requests that may be made again after a kill: those in flight, of all its jobs.
  let repeated: Int
  /// Requests by which a resumed run confirms its last page, by number.
  var confirming = 0
  var input: String?
  var options: [String] = []
  /// Of all kinds, over a hundred.
  var leastKills = 17

  var testDescription: String { name }

  static let all = [
    KilledExport(
      name: "number", spec: "endpoint: SERVER/number\npages: { number: page }\n", repeated: 1, confirming: 1),
    KilledExport(
      name: "cursor",
      spec: """
        endpoint: SERVER/cursor
        contentIdentifier: items
        pages: { cursor: after, from: body.next }
        set: { at: "${epoch}" }
        """, repeated: 1),
    KilledExport(
      name: "merge",
      spec: """
        endpoint: SERVER/cursor
        contentIdentifier: items
        unique: n
        deleted: { n: 3 }
        pages: { cursor: after, from: body.next }
        """, repeated: 1, options: ["--merge", "--changes", "changes", "--manifest"], leastKills: 60),
    KilledExport(
      name: "look-ahead", spec: "endpoint: SERVER/number\npages: { number: page }\nconcurrency: 4\n", repeated: 4,
      confirming: 1),
    KilledExport(
      name: "window",
      spec: """
        endpoint: SERVER/window/${input.day}
        each: { day: { from: 2024-01-01, to: 2024-02-09 } }
        pages: { number: page, totalPages: body.pages }
        contentIdentifier: items
        set: { day: "${input.day}" }
        concurrency: 3
        """, repeated: 3, confirming: 1),
    KilledExport(
      name: "nested",
      spec: """
        base: SERVER/
        steps:
          - endpoint: lists
            pages: { number: page }
          - set: { list: "${input.id}" }
          - endpoint: members/${input.list}
            pages: { cursor: after, from: body.next }
            contentIdentifier: items
            set: { list: "${input.id}" }
            onError: skip
            concurrency: 2
          - endpoint: detail/${input.n}
            attach: details
            onError: empty
            concurrency: 3
        """, repeated: 6, confirming: 1),
    KilledExport(
      name: "standard input", spec: "endpoint: SERVER/detail/${input}\nset: { of: \"${input}\" }\nonError: skip\n",
      repeated: 1, input: (0..<60).map { "\($0)\n" }.joined()),
    KilledExport(
      name: "standard input that passes through",
      spec: """
        steps:
          - set: { id: "${input.n}" }
          - endpoint: SERVER/detail/${input.id}
            set: { of: "${input.id}" }
            onError: skip
        """, repeated: 1, input: (0..<60).map { "{\"n\":\($0)}\n" }.joined()),
  ]

  static func answer(_ request: SeenRequest) -> Answer {
    let parts = request.path.split(separator: "/").map(String.init)
    let items = Dictionary(
      request.target.drop { $0 != "?" }.dropFirst().split(separator: "&").map { item in
        let pair = item.split(separator: "=").map(String.init)
        return (pair[0], pair[1])
      }, uniquingKeysWith: { $1 })
    let page = Int(items["page"] ?? items["after"] ?? "1") ?? 1
    switch parts[0] {
    case "number":
      return .json(page > 60 ? "[]" : "[\((0..<5).map { #"{"page":\#(page),"n":\#($0)}"# }.joined(separator: ", "))]")
    case "cursor":
      // Now and then a page is empty, and goes on.
      let records = page % 7 == 0 ? "" : (0..<5).map { #"{"p":\#(page),"n":\#($0)}"# }.joined(separator: ",")
      return .json(#"{"items":[\#(records)],"next":\#(page < 60 ? "\(page + 1)" : "null")}"#)
    case "window":
      return .json(#"{"items":[{"d":"\#(parts[1])"},{"p":\#(page)}],"pages":\#(1 + parts[1].utf8.last! % 3)}"#)
    case "lists":
      return .json(page > 4 ? "[]" : "[\((0..<3).map { #"{"id":\#(page * 10 + $0)}"# }.joined(separator: ","))]")
    case "members":
      let list = Int(parts[1]) ?? 0
      if list == 21, page > 1 { return .status(404) }
      let numbers = (0..<2).map { #"{"n":\#(list * 100 + page * 10 + $0)}"# }.joined(separator: ",")
      return .json(#"{"items":[\#(numbers)],"next":\#(page < 3 ? "\(page + 1)" : "null")}"#)
    default:
      return (Int(parts[1]) ?? 0) % 11 == 3 ? .status(410) : .json(#"[{"of":\#(parts[1])}]"#)
    }
  }
}

/// Kills a program after so many requests have come.
private final class Killer: Sendable {
  private struct Aim {
    var process: Int32?
    var requests = 0
    var delay = 0
  }

  private let aim = Locked(Aim())

  /// - Parameter delay: how long the answer is under way before the shot, in idle turns; 0 is before the answer.
  func aim(after requests: Int, delay: Int) {
    aim.withLock { $0 = Aim(requests: requests, delay: delay) }
  }

  func target(_ process: Int32) {
    aim.withLock { $0.process = process }
  }

  /// A request has come.
  func count() {
    let delay = aim.withLock { aim -> Int? in
      aim.requests -= 1
      return aim.requests == 0 ? aim.delay : nil
    }
    guard let delay else { return }
    if delay == 0 { return shoot() }
    Thread.detachNewThread { [self] in
      let idle = Atomic(0)
      for _ in 0..<delay { idle.add(1, ordering: .relaxed) }
      shoot()
    }
  }

  /// The program has asked for something, so that whoever started it is about to say which it is.
  private func shoot() {
    while true {
      if let process = aim.withLock(\.process) {
        kill(process, SIGKILL)
        return
      }
      sched_yield()
    }
  }
}

@Suite("An export that is killed, and gone on with", .limitedConcurrency, .timeLimit(.minutes(20)))
struct KillTests {
  @Test("is in the end what it would have been, and asks for next to nothing twice", arguments: KilledExport.all)
  func kill(_ export: KilledExport) async throws {
    let killer = Killer()
    let server = try LoopbackServer { request in
      killer.count()
      return KilledExport.answer(request)
    }
    let folder = try TemporaryFolder()
    _ = try folder.write(export.spec.replacingOccurrences(of: "SERVER", with: server.origin), to: "spec.yaml")
    _ = try folder.write(export.input ?? "", to: "input")
    let whole = try await run(["-o", "whole", "--rejects", "rejects"] + export.options, folder, killer)
    let changes = try? folder.read("changes")

    var random = Dice(state: 20_261_121)
    var kills = 0
    while kills < export.leastKills {
      for name in ["out", "rejects2", "changes"] { try? FileManager.default.removeItem(atPath: folder.path(of: name)) }
      kills += try await killUntilDone(export, in: folder, server, killer, &random, whole)
      #expect((try? folder.read("changes")) == changes)
    }
  }

  /// Gives how often it was killed.
  private func killUntilDone(
    _ export: KilledExport, in folder: TemporaryFolder, _ server: LoopbackServer, _ killer: Killer,
    _ random: inout Dice, _ whole: RunningProgram.Result
  ) async throws -> Int {
    let newNames = ["out", "rejects2"] + (export.options.isEmpty ? [] : ["changes", "out.manifest.json"])
    let names = Set(folder.names + newNames).sorted()
    var (kills, again) = (0, 0)
    var seen: Set<String> = []
    while true {
      let before = server.requests.count
      // Before the answer, or at any moment after it.
      let delay = Bool.random(using: &random) ? 0 : Int.random(in: 1...40_000, using: &random)
      killer.aim(after: Int.random(in: 1...(export.repeated + 5), using: &random), delay: delay)
      let result = try await run(
        ["-o", "out", "--resume", "--rejects", "rejects2"] + export.options, folder, killer)
      let made = server.requests[before...].map(\.target)
      again += made.count { seen.contains($0) }
      seen.formUnion(made)
      guard result.code == -SIGKILL else {
        #expect(result.code == whole.code, "\(result.error)")
        #expect(Self.counts(result.error) == Self.counts(whole.error))
        break
      }
      kills += 1
      try #require(kills < 500, "it comes to no end")
      guard folder.names.contains("out") else { continue }
      // Nothing of it is there before all of it is.
      #expect(try Self.calm(folder.read("out")) == Self.calm(folder.read("whole")))
      // It had done all and was only about to end: there is nothing to go on with.
      if !folder.names.contains("out.pagecat-journal") { return kills }
    }
    let (out, text) = try (folder.read("out"), folder.read("whole"))
    #expect(Self.calm(out) == Self.calm(text))
    #expect(Set(out.matches(of: Self.moment).map { String($0.output) }).count <= 1)
    #expect(try folder.read("rejects2") == folder.read("rejects"))
    #expect(folder.names == names)
    #expect(again <= kills * (export.repeated + export.confirming), "\(again) requests again after \(kills) kills")
    return kills
  }

  @Test(
    "has each file of its streams whole or not at all, and in the end what it would have been",
    arguments: [[], ["windows", "shaped"]])
  func killStreams(choosing choice: [String]) async throws {
    let killer = Killer()
    let server = try LoopbackServer { request in
      killer.count()
      return KilledExport.answer(request)
    }
    let folder = try TemporaryFolder()
    let spec = """
      base: \(server.origin)/
      pages: { number: page }
      streams:
        windows:
          of: lists
          endpoint: window/${input.id}
          pages: { number: page, totalPages: body.pages }
          contentIdentifier: items
          set: { list: "${input.id}" }
        number:
        lists:
        shaped: { of: lists, endpoint: null, set: { list: "${input.id}" } }
      """
    _ = try folder.write(spec, to: "spec.yaml")
    _ = try folder.write("", to: "input")
    let names = (choice.isEmpty ? ["lists", "number", "shaped", "windows"] : choice.sorted()).map { "\($0).ndjson" }
    let options = choice.flatMap { ["--stream", $0] }
    let whole = try await run(["-o", "whole/"] + options, folder, killer)
    #expect(whole.code == 0, "\(whole.error)")
    func texts(of name: String) throws -> [String: String] {
      let found = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(of: name))) ?? []
      return try Dictionary(uniqueKeysWithValues: found.map { ($0, try folder.read("\(name)/\($0)")) })
    }
    let expected = try texts(of: "whole")
    #expect(expected.keys.sorted() == names)

    try await killAndResume(60, "out/", options, 20_261_128, folder, killer) { isDone in
      let found = try texts(of: "out")
      for name in names where found[name] != nil { #expect(found[name] == expected[name]) }
      if isDone { #expect(found == expected) }
    }
  }

  @Test("has the bytes of a gzip file that was not interrupted")
  func killGzip() async throws {
    let killer = Killer()
    let server = try LoopbackServer { request in
      killer.count()
      return KilledExport.answer(request)
    }
    let folder = try TemporaryFolder()
    let spec = """
      endpoint: \(server.origin)/cursor
      contentIdentifier: items
      pages: { cursor: after, from: body.next }
      unique: [p, n]
      """
    _ = try folder.write(spec, to: "spec.yaml")
    _ = try folder.write("", to: "input")
    func bytes(of name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.path(of: name))) }
    let whole = try await run(["-o", "whole.gz", "--manifest"], folder, killer)
    #expect(whole.code == 0, "\(whole.error)")
    #expect(try folder.read("whole.gz.manifest.json").contains(#""records":260,"#))

    try await killAndResume(40, "out.gz", [], 20_261_129, folder, killer) { isDone in
      guard isDone else { return }
      let (found, expected) = (try bytes(of: "out.gz"), try bytes(of: "whole.gz"))
      #expect(found == expected)
    }
  }

  /// Begins exports and resumes each until it is done, while the program is killed at moments of chance.
  ///
  /// - Parameters:
  ///   - least: number of kills after which no other export begins.
  ///   - check: looks at the output after each process; `isDone` is true if the process was not killed.
  private func killAndResume(
    _ least: Int, _ output: String, _ options: [String], _ seed: UInt64, _ folder: TemporaryFolder, _ killer: Killer,
    _ check: (_ isDone: Bool) throws -> Void
  ) async throws {
    var random = Dice(state: seed)
    var kills = 0
    while kills < least {
      try? FileManager.default.removeItem(atPath: folder.path(of: output))
      var isDone = false
      while !isDone {
        killer.aim(
          after: Int.random(in: 1...least, using: &random),
          delay: Bool.random(using: &random) ? 0 : Int.random(in: 1...40_000, using: &random))
        let result = try await run(["-o", output, "--resume"] + options, folder, killer)
        isDone = result.code != -SIGKILL
        if isDone { #expect(result.code == 0, "\(result.error)") }
        try check(isDone)
        kills += isDone ? 0 : 1
        try #require(kills < 1_000, "it comes to no end")
      }
    }
  }

  private func run(_ arguments: [String], _ folder: TemporaryFolder, _ killer: Killer) async throws
    -> RunningProgram.Result
  {
    let program = try RunningProgram(
      ["spec.yaml", "-q", "--summary", "json"] + arguments, in: folder.path, input: folder.path(of: "input"))
    killer.target(program.number)
    return try await program.result()
  }

  private static var moment: Regex<Substring> { #/"at":[0-9]+/# }

  /// When a run began is the run's own.
  private static func calm(_ text: String) -> String { text.replacing(moment, with: "") }

  /// Records, pages and verdict of a summary.
  private static func counts(_ summary: String) -> [String] {
    summary.matches(of: #/"(records|pages|verdict|reason)":("[^"]*"|[0-9]+)/#).map { String($0.output.0) }
  }
}
