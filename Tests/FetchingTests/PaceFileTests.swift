import Dispatch
import Files
import Foundation
import Primitives
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Fetching

@Suite("A file by which processes share the limits of origins")
struct PaceFileTests {
  private let folder: TemporaryFolder
  private let path: String
  private let warnings = Warnings()

  private final class Warnings: Sendable {
    let texts = Locked<[String]>([])
  }

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path(of: "pace")
  }

  /// Opens the file as a process of its own would: a lock of one opened file excludes the other.
  private func open(boot: [UInt8] = [1], calls: SystemCalls = .system) throws -> PaceFile {
    try PaceFile(path: path, boot: boot, tries: 1, calls: calls) { [warnings] text in
      warnings.texts.withLock { $0.append(text) }
    }
  }

  private func limiter(boot: [UInt8] = [1], calls: SystemCalls = .system) throws -> RateLimiter {
    RateLimiter(sharing: try open(boot: boot, calls: calls))
  }

  private func slot(_ limiter: RateLimiter, _ url: String = "http://h/", rate: Duration? = .milliseconds(100))
    -> OriginLimit.Slot
  {
    limiter.takeSlot(for: Redactable(url), rate: rate.map { Rate(interval: $0) }, now: .seconds(50))
  }

  private func pause(_ limiter: RateLimiter, _ url: String = "http://h/") -> Duration {
    limiter.hold(on: Redactable(url), now: .seconds(50))
  }

  private func hold(_ limiter: RateLimiter, _ url: String = "http://h/") throws {
    limiter.hold(try #require(Origin(of: url)), for: .seconds(7), now: .seconds(50))
  }

  @Test("two runs take the slots of one rate in turn; another origin has slots of its own")
  func slots() throws {
    let (one, two) = (try limiter(), try limiter())
    let slots = [slot(one), slot(two), slot(two), slot(one), slot(one, "http://h:81/"), slot(two, "http://h/x")]
    #expect(slots == [0, 100, 200, 300, 0, 400].map { .reserved(after: .milliseconds($0)) })
    #expect(try SystemCalls.system.metadata(path).mode == 0o600)
  }

  @Test("each run spaces its requests by its own rate, behind those of the others")
  func rates() throws {
    let (one, two) = (try limiter(), try limiter())
    let slots = [slot(one), slot(two, rate: .milliseconds(300)), slot(one), slot(one), slot(two, rate: nil)]
    #expect(slots == [0, 100, 400, 500, 600].map { .reserved(after: .milliseconds($0)) })
  }

  @Test("a pause that one run was asked for holds all back, at that origin only")
  func pauses() throws {
    let (one, two) = (try limiter(), try limiter())
    #expect(pause(two) == .zero)
    try hold(one)
    #expect(pause(two) == .seconds(7))
    #expect(pause(two, "https://h/") == .zero)
    #expect(pause(try limiter()) == .seconds(7))
  }

  @Test("a server's mistaken pause of centuries holds other runs back for an hour")
  func longPauses() throws {
    let (one, two) = (try limiter(), try limiter())
    one.hold(try #require(Origin(of: "http://h/")), for: .seconds(999_999_999_999), now: .seconds(50))
    #expect(pause(two) == .seconds(3_600))
  }

  @Test("a refusal teaches all; a success of one shows the others that the server is only busy")
  func refusals() throws {
    let (one, two) = (try limiter(), try limiter())
    let url = Redactable("http://h/")
    one.refuse(try #require(Origin(of: "http://h/")), hasPause: false, now: .seconds(50))
    #expect(pause(two) == .milliseconds(200))
    // Ten a second, as for a first refusal without any success.
    #expect(slot(two, rate: nil) == .reserved(after: .zero))
    #expect(slot(one, rate: nil) == .reserved(after: .milliseconds(100)))
    #expect(one.successes(at: url, now: .seconds(50)) == 0)
    two.succeed(url, now: .seconds(50))
    #expect(one.successes(at: url, now: .seconds(50)) == 1)
  }

  @Test("what an earlier start of the machine has left counts for nothing")
  func otherBoot() throws {
    let before = try limiter(boot: [1])
    for _ in 0..<5 { _ = slot(before) }
    try hold(before)
    let now = try limiter(boot: [2])
    #expect(pause(now) == .zero)
    #expect(slot(now) == .reserved(after: .zero))
    // Its record has taken the place of the old one.
    #expect(try folder.readBytes("pace").count == 2 * PaceRecord.size)
  }

  @Test("this start of the machine has a name, and its clock goes on")
  func boot() throws {
    #expect(try BootClock.identity().count > 16)
    #expect(try BootClock.identity() == BootClock.identity())
    let now = BootClock.now
    #expect(now > .zero && BootClock.now >= now)
  }

  @Test("a process that dies with the lock releases it: the next one goes on where it was", .needs("flock"))
  func dead() throws {
    let one = try limiter()
    _ = slot(one)
    let program = Process()
    program.executableURL = URL(fileURLWithPath: "/bin/sh")
    program.arguments = ["-c", "exec 9<>\"$0\"; flock 9; echo locked; exec sleep 600", path]
    let output = Pipe()
    program.standardOutput = output
    try program.run()
    _ = output.fileHandleForReading.readData(ofLength: 7)
    // Alone it keeps its own rate.
    #expect(slot(one) == .reserved(after: .milliseconds(100)))
    #expect(
      warnings.texts.withLock { $0 } == [
        "--pace: cannot lock '\(path)': another process does not release it; meanwhile this run keeps its rate by itself"
      ])
    kill(program.processIdentifier, SIGKILL)
    program.waitUntilExit()
    // The file does not know of the slot that was taken alone.
    #expect(slot(one) == .reserved(after: .milliseconds(100)))
    #expect(slot(try limiter()) == .reserved(after: .milliseconds(200)))
  }

  @Test("nonsense in the file is replaced, wherever it is, by what the process knows itself")
  func nonsense() throws {
    var dice = Dice(state: 7)
    func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &dice) }
    for _ in 0..<200 {
      let (one, two) = (try limiter(), try limiter())
      _ = slot(one)
      _ = slot(two)
      var bytes = try folder.readBytes("pace")
      switch below(3) {
      case 0: bytes.removeLast(below(bytes.count + 1))
      case 1: for _ in 0...below(40) { bytes[below(bytes.count)] = UInt8(below(256)) }
      default: bytes = (0..<below(5 * PaceRecord.size)).map { _ in UInt8(below(256)) }
      }
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
      for limiter in [one, two, one] {
        guard case .reserved(let time) = slot(limiter) else { continue }
        #expect(time <= .seconds(60))
      }
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(warnings.texts.withLock { $0 } == [])
  }

  @Test("a file that was emptied meanwhile is a pace file again")
  func emptied() throws {
    let one = try limiter()
    try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 0)
    _ = slot(one)
    #expect(slot(try limiter()) == .reserved(after: .milliseconds(100)))
  }

  @Test("a file that no run has made stays as it is, and so does what a link leads to")
  func notOwn() throws {
    let texts = ["precious\n", "pagecat pace 2\n", String(repeating: "\0", count: 300)]
    for text in texts {
      _ = try folder.write(text, to: "pace")
      let error = #expect(throws: FileError.self) { _ = try open() }
      #expect(
        error == .failed("cannot make '\(path)': there is a file of this name that pagecat did not make; move it away"))
      #expect(try folder.read("pace") == text)
    }
    try FileManager.default.removeItem(atPath: path)
    _ = try folder.write("", to: "target")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path(of: "target"))
    #expect(throws: FileError.self) { _ = try open() }
    #expect(try folder.read("target") == "")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.linkItem(atPath: folder.path(of: "target"), toPath: path)
    #expect(throws: FileError.self) { _ = try open() }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: FileError.self) { _ = try open() }
    try FileManager.default.removeItem(atPath: path)
    mkfifo(path, 0o600)
    #expect(throws: FileError.self) { _ = try open() }
  }

  @Test("an empty file, and the start of a header, become a pace file", arguments: [0, 5])
  func begun(count: Int) throws {
    _ = try folder.write(String(decoding: PaceFile.header.prefix(count), as: UTF8.self), to: "pace")
    let one = try limiter()
    _ = slot(one)
    #expect(try folder.readBytes("pace").prefix(PaceRecord.size) == PaceFile.header[...])
    #expect(slot(try limiter()) == .reserved(after: .milliseconds(100)))
  }

  @Test(
    "a call that fails at the start ends it with the path and reason; later it warns once, and the run keeps its rate")
  func failures() throws {
    for call in [Call.open, .metadata, .metadataOfOpen, .readAt, .writeAt, .lock] {
      try? FileManager.default.removeItem(atPath: path)
      var isOpen = false
      for number in 1...20 where !isOpen {
        do {
          let limiter = try limiter(calls: .failing(call, at: number, with: EIO))
          isOpen = true
          // Short writes are completed.
          for count in 0..<4 { #expect(slot(limiter) == .reserved(after: .milliseconds(100) * count)) }
        } catch FileError.failed(let problem) {
          #expect(problem.hasPrefix("cannot ") && problem.contains(path) && problem.contains("Input/output error"))
        }
        try? FileManager.default.removeItem(atPath: path)
      }
      #expect(isOpen)
    }
    for call in [Call.readAt, .writeAt, .lock] {
      warnings.texts.withLock { $0 = [] }
      try? FileManager.default.removeItem(atPath: path)
      // Opening needs two calls at most.
      let limiter = try limiter(calls: .failing(call, at: 3, with: EIO))
      // What it took alone, others may take again.
      for count in 0..<9 {
        let slots = [count, count - 1].map { OriginLimit.Slot.reserved(after: .milliseconds(100) * $0) }
        #expect(slots.contains(slot(limiter)), "\(call) \(count)")
      }
      let texts = warnings.texts.withLock { $0 }
      #expect(texts.count == 1, "\(call)")
      #expect(texts.allSatisfy { $0.contains(path) && $0.contains("Input/output error") })
    }
  }

  @Test("of too many origins the one that was not asked for the longest time makes room")
  func manyOrigins() throws {
    let one = try limiter()
    for number in 0..<PaceFile.most + 5 {
      one.succeed(Redactable("http://h\(number)/"), now: .seconds(number))
    }
    #expect(try folder.readBytes("pace").count == (PaceFile.most + 1) * PaceRecord.size)
    let now = Duration.seconds(PaceFile.most + 5)
    _ = one.takeSlot(for: Redactable("http://h0/"), rate: Rate(interval: .seconds(1)), now: now)
    let second = try limiter().takeSlot(for: Redactable("http://h0/"), rate: nil, now: now)
    #expect(second == .reserved(after: .seconds(1)))
  }

  @Test("the file holds no origin, whose host may come from a secret")
  func noSecrets() throws {
    _ = slot(try limiter(), "https://tenant-4711.example.com/")
    #expect(!String(decoding: try folder.readBytes("pace"), as: UTF8.self).contains("4711"))
  }

  @Test("threads and runs that take slots together take each slot once", .limitedConcurrency)
  func together() throws {
    let limiters = try (0..<4).map { _ in
      RateLimiter(sharing: try PaceFile(path: path, boot: [1]) { _ in })
    }
    let slots = Locked<[Duration]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for _ in 0..<100 {
        guard case .reserved(let time) = slot(limiters[number % 4], rate: .milliseconds(1)) else { continue }
        slots.withLock { $0.append(time) }
      }
    }
    #expect(slots.withLock { $0.sorted() } == (0..<800).map { .milliseconds($0) })
  }
}
