import Testing
import Wire

@testable import Fetching

@Suite("The record of an origin's limit in a pace file")
struct PaceRecordTests {
  private let key = PaceRecord.Key(origin: "https://h", boot: [1])

  private func limit(_ change: (inout OriginLimit) -> Void) -> OriginLimit {
    var limit = OriginLimit()
    change(&limit)
    return limit
  }

  private func read(_ bytes: [UInt8], now: Duration = .seconds(100), interval: Duration = .zero) -> OriginLimit? {
    PaceRecord(bytes, key: key, interval: interval, now: now)?.limit
  }

  @Test("what is written is read again, with the reader's own interval")
  func roundTrip() throws {
    let limits = [
      limit { _ in },
      limit { $0.hold(until: .seconds(160)) },
      limit { limit in
        for tenth in 980..<1_000 { limit.succeed(now: .milliseconds(tenth * 100)) }
        limit.refuse(hasPause: false, now: .seconds(100))
        limit.succeed(now: .seconds(100))
        _ = limit.takeSlot(now: .seconds(100))
      },
      limit { limit in
        for second in [98, 100] {
          limit.refuse(hasPause: true, now: .seconds(second))
          limit.hold(until: .seconds(second + 1))
        }
        for _ in 0..<3 { limit.succeed(now: .milliseconds(100_500)) }
      },
    ]
    for limit in limits {
      let bytes = PaceRecord.bytes(of: limit, key: key)
      #expect(bytes.count == PaceRecord.size)
      #expect(read(bytes) == limit)
      var own = limit
      own.limit(to: Rate(interval: .seconds(3)))
      #expect(read(bytes, interval: .seconds(3)) == own)
    }
    #expect(limits[2].successes == 1)
    let learned = try #require(limits[3].learned)
    #expect(learned.pause == .seconds(1))
    #expect(learned.successes == 3)
    #expect(learned.restored > learned.accepted)
  }

  @Test("a pause of centuries is still a long one")
  func longPause() throws {
    let bytes = PaceRecord.bytes(of: limit { $0.hold(until: .seconds(10_000_000_000)) }, key: key)
    #expect(try #require(read(bytes)).heldUntil > .seconds(1_000_000_000))
  }

  @Test("a record of another origin or of another start of the machine is none, and neither are half of one and noise")
  func otherBytes() {
    let limit = limit { $0.hold(until: .seconds(160)) }
    let bytes = PaceRecord.bytes(of: limit, key: key)
    for other in [PaceRecord.Key(origin: "https://h:81", boot: [1]), PaceRecord.Key(origin: "https://h", boot: [2])] {
      #expect(read(PaceRecord.bytes(of: limit, key: other)) == nil)
    }
    for count in 0..<PaceRecord.size { #expect(read(Array(bytes[..<count])) == nil) }
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x40
      #expect(read(damaged) == nil, "byte \(index)")
    }
    #expect(read([UInt8](repeating: 0, count: PaceRecord.size)) == nil)
    #expect(read([UInt8](repeating: 0xFF, count: PaceRecord.size)) == nil)
  }

  @Test("a record that says what can't be is none, though its checksum is right")
  func impossible() {
    let now = Duration.seconds(100)
    let day = Duration.seconds(86_400)
    func made(
      held: Duration = .zero, slot: Duration = .zero, successes: Int = 0, recent: Int = 0, accepted: Double = 0,
      restored: Double = 0, refused: Duration = .zero, start: Duration = .seconds(99)
    ) -> Bool {
      let limit = OriginLimit(
        interval: .zero, heldUntil: held, nextSlot: slot, successes: successes,
        learned: LearnedRate(
          accepted: accepted, restored: restored, refusedAt: refused, pause: .zero, successes: recent),
        throughput: Throughput(start: start, count: 0, last: 0))
      return read(PaceRecord.bytes(of: limit, key: key), now: now) != nil
    }
    #expect(made())
    #expect(made(held: day * 365, slot: now + day, successes: 9, accepted: 100, refused: now))
    #expect(!made(held: .seconds(-1)))
    #expect(!made(slot: .seconds(-1)))
    #expect(!made(slot: now + day * 3))
    #expect(!made(accepted: -.infinity))
    #expect(!made(accepted: -1e-9))
    #expect(!made(accepted: .nan))
    #expect(!made(accepted: .infinity))
    #expect(!made(accepted: 1e-9))
    #expect(!made(accepted: 100, refused: now + day))
    #expect(!made(accepted: 100, restored: -1))
    #expect(!made(accepted: 100, restored: .nan))
    #expect(!made(start: .seconds(200)))
    #expect(!made(start: .seconds(-1)))
    #expect(!made(successes: 9, recent: 10, accepted: 100))
    #expect(made(successes: .max, recent: .max, accepted: 100))
  }

  @Test("a slow rate of one's own is no sign of damage")
  func slowRate() {
    let month = Duration.seconds(30 * 86_400)
    var own = limit { $0.limit(to: Rate(interval: month)) }
    _ = own.takeSlot(isShared: true, now: .seconds(100))
    let bytes = PaceRecord.bytes(of: own, key: key)
    #expect(read(bytes, interval: month) == own)
    #expect(read(bytes) == nil)
  }

  @Test("a learned rate is forgotten a minute after the last request or pause, and the pause is not")
  func memory() throws {
    let refused = limit { limit in
      limit.succeed(now: .seconds(100))
      limit.refuse(hasPause: true, now: .seconds(100))
      limit.hold(until: .seconds(130))
    }
    let bytes = PaceRecord.bytes(of: refused, key: key)
    #expect(try #require(read(bytes, now: .seconds(189))).learned != nil)
    let later = try #require(read(bytes, now: .seconds(191)))
    #expect(later.learned == nil && later.heldUntil == .seconds(130))
  }
}
