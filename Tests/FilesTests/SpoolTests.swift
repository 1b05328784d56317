// Bytes that wait come out as they went in, whether they fit into memory or not.

import Primitives
import Foundation
import TestSupport
import Testing

@testable import Files

@Suite("A spool")
struct SpoolTests {
  private static let arrays: [[UInt8]] = (0..<200).map { n in
    (0..<(n * 37 % 1_000) + 1).map { UInt8(truncatingIfNeeded: $0 &+ n) }
  }

  @Test(
    "gives the arrays back as they were appended, in memory and in the file", arguments: [0, 1_000, 20_000, 1 << 20])
  func givesBack(memoryLimit: Int) throws {
    let spool = Spool(memoryLimit: memoryLimit)
    for bytes in Self.arrays { try spool.append(bytes) }
    #expect(spool.count == Self.arrays.reduce(0) { $0 + $1.count })
    for bytes in Self.arrays { #expect(try spool.next() == bytes) }
    #expect(try spool.next() == nil)
    #expect(try spool.next() == nil)
  }

  @Test("holds no more in memory, together with others, than they share; what was read, or let go of, is free again")
  func shares() throws {
    let memory = SpoolMemory(limit: 1_000)
    let counter = CallCounter()
    let calls = SystemCalls.dying(after: .max, counting: counter)
    var spools = (0..<3).map { _ in Spool(sharing: memory, calls: calls) }
    // Each piece takes 96 bytes besides its own.
    for spool in spools.prefix(2) { try spool.append([UInt8](repeating: 1, count: 400)) }
    #expect(counter.value == 0)
    try spools[2].append([UInt8](repeating: 2, count: 400))
    #expect(counter.value > 0)
    #expect(try spools[2].next() == [UInt8](repeating: 2, count: 400))
    #expect(try spools[0].next()?.count == 400)
    let before = counter.value
    try spools[2].append([UInt8](repeating: 3, count: 400))
    spools.remove(at: 1)
    try spools[0].append([UInt8](repeating: 4, count: 400))
    #expect(counter.value == before)
    #expect(try spools[1].next() == [UInt8](repeating: 3, count: 400))
  }

  private struct Companion: SpoolCompanion {
    let size: Int
  }

  @Test("what comes with the bytes stays behind before they do")
  func companions() throws {
    let spool = Spool(memoryLimit: 1_000)
    for size in [100, 900, 100] { try spool.append([7], number: size, with: Companion(size: size)) }
    for (number, expected) in [(100, 100), (900, nil), (100, 100)] {
      let piece = try #require(try spool.nextPiece())
      #expect(piece.bytes == [7] && piece.number == number && piece.companion?.size == expected)
    }
  }

  @Test("a number comes out with its bytes, from memory and from the file", arguments: [0, 300, 1 << 20])
  func numbers(memoryLimit: Int) throws {
    let spool = Spool(memoryLimit: memoryLimit)
    let numbers = [0, 1, 255, 256, .max]
    for number in numbers { try spool.append(Array(repeating: 7, count: number % 5 + 100), number: number) }
    for number in numbers {
      let piece = try #require(try spool.nextPiece())
      #expect(piece.number == number && piece.bytes.count == number % 5 + 100)
    }
  }

  @Test("keeps the order when writing and reading alternate", arguments: [0, 700, 1 << 20])
  func alternates(memoryLimit: Int) throws {
    let spool = Spool(memoryLimit: memoryLimit)
    var waiting: [[UInt8]] = []
    func take(_ count: Int) throws {
      for _ in 0..<count {
        let expected = waiting.isEmpty ? nil : waiting.removeFirst()
        #expect(try spool.next() == expected)
      }
    }
    for (index, bytes) in Self.arrays.enumerated() {
      try spool.append(bytes)
      waiting.append(bytes)
      if index % 3 == 2 { try take(2) }
      if index % 50 == 49 { try take(waiting.count + 1) }
    }
    #expect(waiting.isEmpty)
  }

  @Test("can be filled by one task and emptied by another")
  func twoTasks() async throws {
    let spool = Spool(memoryLimit: 2_000)
    let writer = Task.detached { for bytes in Self.arrays { try spool.append(bytes) } }
    var read: [[UInt8]] = []
    while read.count < Self.arrays.count {
      if let bytes = try spool.next() { read.append(bytes) } else { await Task.yield() }
    }
    try await writer.value
    #expect(read == Self.arrays)
  }

  @Test("takes empty arrays for nothing")
  func empty() throws {
    let spool = Spool(memoryLimit: 0, folder: "/nowhere")
    try spool.append([])
    #expect(spool.count == 0)
    #expect(try spool.next() == nil)
  }

  @Test("makes no file while what waits fits into memory")
  func staysInMemory() throws {
    let spool = Spool(memoryLimit: 4_096, folder: "/nowhere/at/all")
    for _ in 0..<100 {
      try spool.append([UInt8](repeating: 1, count: 3_000))
      #expect(try spool.next()?.count == 3_000)
    }
    #expect(spool.count == 300_000)
  }

  @Test("leaves nothing in the folder, not even while it is in use")
  func leavesNothing() throws {
    let folder = NSTemporaryDirectory() + "spool-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let spool = Spool(memoryLimit: 10, environment: ["TMPDIR": folder])
    try spool.append([UInt8](repeating: 7, count: 100_000))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    #expect(try spool.next()?.count == 100_000)
  }

  @Test("has no name either where the file system knows no unnamed files")
  func madeAndUnlinked() throws {
    let folder = NSTemporaryDirectory() + "spool-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = SpoolFile(try SpoolFile.madeAndUnlinked(in: folder, calls: .system))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    try file.write([1, 2, 3, 4], at: 2)
    #expect(try file.read(3, at: 3) == [2, 3, 4])
  }

  @Test("says which call failed, where, and the system's reason")
  func faults() throws {
    #expect(throws: FileError.failed("cannot make '/nowhere/at/all/(temporary file)': No such file or directory")) {
      _ = try SpoolFile(folder: "/nowhere/at/all", or: "/nowhere/else", calls: .system)
    }
  }

  @Test("goes elsewhere when its folder can't be used")
  func elsewhere() throws {
    let spool = Spool(memoryLimit: 0, folder: "/nowhere/at/all")
    try spool.append([1])
    #expect(spool.count == 1)
    #expect(try spool.next() == [1])
  }

  #if os(Linux)
    @Test("says that the disk is full")
    func diskFull() throws {
      let file = try Self.device("/dev/full")
      var problem = ""
      do { try file.write([1, 2, 3], at: 0) } catch { problem = error.problem }
      #expect(problem == "cannot write to '/dev/(temporary file)': No space left on device")
    }
  #endif

  @Test("says that the file ends before it should")
  func truncated() throws {
    let file = try Self.device("/dev/null")
    var problem = ""
    do { _ = try file.read(3, at: 0) } catch { problem = error.problem }
    #expect(problem == "cannot read '/dev/(temporary file)': Input/output error")
  }

  /// A device in the place of the temporary file.
  private static func device(_ path: String) throws -> SpoolFile {
    let number = try SystemCalls.system.open(path, .left)
    return SpoolFile(Descriptor(number: number, path: SpoolFile.name(in: "/dev"), calls: .system))
  }
}
