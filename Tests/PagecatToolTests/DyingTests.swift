import Primitives
import Files
import Foundation
import TestSupport
import Testing
import Wire

@testable import Engine
@testable import PagecatTool

/// Commands run in the tests' own code, and in a process for itself, since a run changes what signals do.
@Suite("An export that dies between two of its calls to the system", .timeLimit(.minutes(20)))
struct DyingTests {
  /// How the run after it is asked for.
  enum Next: String, CaseIterable, Sendable { case resumed, anew }

  private static let old = "what was there\n"
  private static let new = (1...3).map { "{\"page\":\($0)}\n" }.joined()

  @Test(
    "has its records in FILE once in the end, whether it is gone on with or begins anew; what can't be told is exit 2")
  func dies() async {
    await #expect(processExitsWith: .success) {
      let streams = Streams(environment: [:])
      for arguments in [
        [], ["--append"], ["--append", "--state"], ["--allow", "short", "--append", "--state"],
      ] {
        for next in Next.allCases { try await Self.export(arguments, next, streams, onto: Self.old) }
      }
      // FILE has the same records already.
      for next in Next.allCases { try await Self.export(["--append"], next, streams, onto: Self.old + Self.new) }
    }
  }

  /// Lets it die behind every call, from the first to the last.
  private static func export(
    _ given: [String], _ next: Next, _ streams: Streams, onto old: String
  ) async throws {
    let server = try LoopbackServer { request in
      let values = request.target.split(whereSeparator: "=&".contains).compactMap { Int($0) }
      let (since, page) = (values[0], values[1])
      // A total that is not reached: only '--allow short' takes such a run.
      let total = given.contains("short") ? 9 : 0
      let records = page + since > 3 ? "" : "{\"page\":\(page + since)}"
      return .json("{\"total\":\(total),\"items\":[\(records)]}")
    }
    let folder = try TemporaryFolder()
    let spec = try folder.write(
      """
      endpoint: \(server.origin)/a
      query: { since: "${since}" }
      contentIdentifier: items
      pages: { number: page }
      incremental: { mark: page, start: 0 }
      """, to: "a.yaml")
    var arguments = [spec, "-o", folder.path(of: "out"), "-q"] + given
    if given.last == "--state" { arguments.append(folder.path(of: "state")) }
    let whole = given.isEmpty ? new : old + new
    // Those that can't be made up for: the journal is gone, and so is all that the run could be known by.
    var behindTheJournal = 0
    for number in 0... {
      for name in ["state", "out.pagecat-part", "out.pagecat-journal"] {
        try? FileManager.default.removeItem(atPath: folder.path(of: name))
      }
      _ = try folder.write(old, to: "out")
      let counter = CallCounter()
      _ = try await run(arguments, folder, .dying(after: number, counting: counter), streams)
      let isAlive = counter.value <= number
      let text = try folder.read("out")
      try #require(text == old || text == whole)
      let isOver = text == whole && !folder.names.contains("out.pagecat-journal")
      if isOver, given == ["--append"] {
        behindTheJournal += 1
      } else {
        let again = try await run(arguments + (next == .resumed ? ["--resume"] : []), folder, .system, streams)
        let note = "\(given) \(next) after \(number) calls: \(again.error)"
        if again.code == .usage {
          try #require(next == .anew && text == whole && again.error.contains("has the records of a run"), "\(note)")
        } else {
          try #require(again.code == .complete, "\(note)")
        }
        try #require(try folder.read("out") == whole, "\(note)")
        if given.last == "--state" {
          // The mark is there too: the next run fetches nothing again.
          let next = try await run(arguments, folder, .system, streams)
          try #require(next.code == .complete, "\(note) \(next.error)")
          try #require(try folder.read("out") == whole, "\(note)")
        }
      }
      if isAlive { break }
    }
    // Alive: nothing follows the removal of the journal.
    try #require(given != ["--append"] || behindTheJournal == 1, "\(behindTheJournal) \(next)")
  }

  @Test("until its summary is written, a run that was killed is known to have added its records")
  func killedAtTheEnd() async throws {
    let server = try LoopbackServer { _ in .json("[\"new\"]") }
    let folder = try TemporaryFolder()
    _ = try folder.write("endpoint: \(server.origin)/a\n", to: "a.yaml")
    _ = try folder.write("\"old\"\n", to: "out")
    let whole = "\"old\"\n\"new\"\n"
    let arguments = ["a.yaml", "-o", "out", "--append", "--summary", "text"]
    // Nobody reads its messages, and there is no room for any.
    let error = Pipe()
    Self.fill(error)
    let program = try RunningProgram(arguments, in: folder.path, error: error)
    while try folder.read("out") != whole { await Task.yield() }
    program.send(SIGKILL)
    #expect(await program.code() == -SIGKILL)
    #expect(folder.names.contains("out.pagecat-journal"))
    let anew = try await RunningProgram(arguments, in: folder.path).result()
    #expect(
      anew.code == 2
        && anew.error.contains(
          "'out' has the records of a run that was ended before it deleted its journal: add --resume")
    )
    let resumed = try await RunningProgram(arguments + ["--resume"], in: folder.path).result()
    #expect(resumed.code == 0)
    #expect(try folder.read("out") == whole)
    #expect(folder.names == ["a.yaml", "out"])
  }

  private static func fill(_ pipe: Pipe) {
    let end = pipe.fileHandleForWriting.fileDescriptor
    let flags = fcntl(end, F_GETFL)
    _ = fcntl(end, F_SETFL, flags | O_NONBLOCK)
    for size in [4_096, 1] {
      while write(end, [UInt8](repeating: 32, count: size), size) > 0 {}
    }
    _ = fcntl(end, F_SETFL, flags)
  }

  private static func run(
    _ arguments: [String], _ folder: TemporaryFolder, _ calls: SystemCalls, _ streams: Streams
  ) async throws -> (code: ExitCode, error: String) {
    let path = try folder.write("", to: "error")
    let error = try #require(FileHandle(forWritingAtPath: path))
    defer { try? error.close() }
    var streams = streams
    streams.error = error.fileDescriptor
    streams.destination.calls = calls
    let code = await Command.run(arguments, streams)
    return (code, try folder.read("error"))
  }
}
