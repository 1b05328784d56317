import Files
import Primitives
import TestSupport
import Testing

@testable import Fetching

@Suite("Bytes of a body that wait for their reader")
struct BodyQueueTests {
  private static let piece = 16_000

  /// Appends pieces whose bytes count up, until one is refused.
  private func fill(_ queue: BodyQueue, atMost most: Int, mayPause: Bool) -> [UInt8] {
    var all: [UInt8] = []
    while all.count < most {
      let piece = (0..<Self.piece).map { UInt8(truncatingIfNeeded: (all.count + $0) / 251) }
      guard piece.withUnsafeBufferPointer({ queue.append($0, mayPause: mayPause) }) else { return all }
      all += piece
    }
    return all
  }

  private func drain(_ queue: BodyQueue) throws -> [UInt8] {
    var all: [UInt8] = []
    while let (bytes, _) = try queue.take() {
      #expect(bytes.count <= 65_536)
      all += bytes
    }
    return all
  }

  @Test("a transfer of its own connection is paused at 1 MB, and resumed when half of it was read")
  func paused() throws {
    let queue = BodyQueue(environment: [:])
    let all = fill(queue, atMost: 5_000_000, mayPause: true)
    #expect(all.count >= 1 << 20 && all.count < 1 << 20 + Self.piece)
    #expect(queue.backlog == (all.count, true))
    var taken = 0
    while let (bytes, wantsResume) = try queue.take() {
      let before = taken
      taken += bytes.count
      #expect(wantsResume == (all.count - before > 512 << 10 && all.count - taken <= 512 << 10))
    }
    #expect(taken == all.count)
  }

  @Test("a transfer of a shared connection is not paused: its bytes wait in a file, and come in order")
  func shared() throws {
    let queue = BodyQueue(environment: [:])
    var all = fill(queue, atMost: 5_000_000, mayPause: false)
    #expect(queue.backlog == (all.count, false))
    #expect(all.count >= 5_000_000)
    #expect(try drain(queue) == all)
    // The file is used only while the reader is behind.
    all = fill(queue, atMost: 100_000, mayPause: false)
    #expect(try drain(queue) == all)
    #expect(queue.backlog == (0, false))
  }

  @Test("reading and writing by turns keeps the order")
  func turns() throws {
    let queue = BodyQueue(environment: [:])
    var (all, taken): ([UInt8], [UInt8]) = ([], [])
    for round in 0..<40 {
      all += fill(queue, atMost: 300_000, mayPause: false)
      for _ in 0..<(round % 7) { taken += try queue.take()?.bytes ?? [] }
    }
    #expect(try taken + drain(queue) == all)
  }

  @Test("a transfer of a shared connection is paused where very much waits")
  func bounded() throws {
    let queue = BodyQueue(highestMark: 3 << 20) { Spool(memoryLimit: 0) }
    let all = fill(queue, atMost: 5_000_000, mayPause: false)
    #expect(all.count >= 3 << 20 && all.count < 3 << 20 + Self.piece)
    #expect(queue.backlog.isPaused)
    #expect(try drain(queue) == all)
  }

  @Test("a transfer of a shared connection is paused where the file can't be written, and nothing is lost")
  func full() throws {
    let queue = BodyQueue { Spool(memoryLimit: 0, calls: .dying(after: 0, counting: CallCounter())) }
    let all = fill(queue, atMost: 5_000_000, mayPause: false)
    #expect(all.count >= 1 << 20 && all.count < 2 << 20)
    #expect(queue.backlog.isPaused)
    #expect(try drain(queue) == all)
  }

  @Test("where no file can be written, a transfer that is resumed as the queue asks brings all its bytes")
  func resumed() throws {
    let queue = BodyQueue { Spool(memoryLimit: 0, calls: .dying(after: 0, counting: CallCounter())) }
    let all = (0..<300 * Self.piece).map { UInt8(truncatingIfNeeded: $0 / 251) }
    var (sent, taken): (Int, [UInt8]) = (0, [])
    var isPaused = false
    while taken.count < all.count {
      while !isPaused, sent < all.count {
        let isTaken = all[sent..<sent + Self.piece].withUnsafeBufferPointer { queue.append($0, mayPause: false) }
        if isTaken { sent += Self.piece } else { isPaused = true }
      }
      guard let (bytes, wantsResume) = try queue.take() else { break }
      taken += bytes
      guard wantsResume else { continue }
      queue.resume()
      isPaused = false
    }
    #expect(taken == all)
  }
}
