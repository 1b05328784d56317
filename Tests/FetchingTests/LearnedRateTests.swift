import Testing
import Wire

@testable import Fetching

@Suite("The rate that an origin's refusals teach")
struct LearnedRateTests {
  @Test("the rate falls below what got through, and grows faster with each second")
  func rates() {
    let rate = LearnedRate(throughput: 100, now: .seconds(10))
    let table: [(age: Int, throughput: Double, rate: Double)] = [
      (0, 100, 85), (1, 100, 89.4), (3, 100, 100.6), (10, 100, 165), (20, 100, 200), (20, 40, 100), (20, 0, 100),
    ]
    for row in table {
      let found = rate.rate(throughput: row.throughput, now: .seconds(10 + row.age))
      #expect(abs(found - row.rate) < 1e-6, "after \(row.age) s at \(row.throughput)/s")
    }
  }

  @Test("a refusal within a second belongs to the one before; later ones at most halve the rate")
  func refusals() {
    var rate = LearnedRate(throughput: 100, now: .zero)
    let changes = [(1, 999), (80, 1_000), (0, 2_000)].map { throughput, now in
      (rate.refuse(throughput: throughput, now: .milliseconds(now)), rate.accepted)
    }
    #expect(changes.map(\.0) == [false, true, true])
    #expect(changes.prefix(2).map(\.1) == [100, 80])
    // Half of 80 * 0.85 and a second's growth.
    #expect(abs(rate.accepted - (68 + 0.022 * (80 + 10 * 80.0.squareRoot())) / 2) < 1e-6)
  }

  @Test("a process that is refused before its first success starts with ten a second; the rate never reaches zero")
  func bounds() {
    var rate = LearnedRate(throughput: 0, now: .zero)
    #expect(rate.accepted == 10)
    for second in 1...100 { _ = rate.refuse(throughput: 0, now: .seconds(second)) }
    #expect(rate.accepted == 1.0 / 60)
    #expect(rate.interval(throughput: 0, now: .seconds(101)) > .seconds(50))
  }

  @Test("the throughput is that of the last second, or of the time since the first success")
  func throughput() {
    var throughput = Throughput()
    var found = [throughput.perSecond(at: .seconds(5))]
    for _ in 0..<20 { throughput.record(at: .milliseconds(7_010)) }
    found.append(throughput.perSecond(at: .milliseconds(7_015)))
    throughput.record(at: .milliseconds(7_450))
    found += [7_499, 7_999, 8_000, 8_400].map { throughput.perSecond(at: .milliseconds($0)) }
    // A clock that goes backward counts for the newest tenth.
    throughput.record(at: .milliseconds(8_000))
    found += [8_400, 1_000_000].map { throughput.perSecond(at: .milliseconds($0)) }
    #expect(found.map { ($0 * 100).rounded() / 100 } == [0, 66.67, 42, 21, 1, 0, 1, 0])
    // What came before a second without a success says nothing about the burst that follows.
    for _ in 0..<20 { throughput.record(at: .milliseconds(1_002_010)) }
    #expect((throughput.perSecond(at: .milliseconds(1_002_015)) * 100).rounded() / 100 == 66.67)
  }

  @Test("slots of a given rate are all reserved; those of a learned one at most a second ahead")
  func slots() {
    var given = OriginLimit()
    given.limit(to: Rate(interval: .milliseconds(500)))
    #expect((0..<4).map { _ in given.takeSlot(now: .zero) } == [0, 500, 1_000, 1_500].map(reserved))
    var learned = OriginLimit()
    learned.refuse(hasPause: false, now: .zero)
    #expect(learned.heldUntil == .milliseconds(200))
    let slots = (0..<10).map { _ in learned.takeSlot(now: .zero) }
    // 8.5 a second.
    #expect(slots.prefix(2) == [.reserved(after: .zero), .reserved(after: .microseconds(117_647))])
    #expect(slots.last == .later(.microseconds(117_647 * 9 - 1_000_000)))
  }

  @Test(
    "slots of a shared rate are reserved a second ahead, or one slot ahead, so that a killed process takes few along")
  func sharedSlots() {
    let table: [(interval: Int, slots: [OriginLimit.Slot])] = [
      (0, [reserved(0), reserved(0), reserved(0), reserved(0)]),
      (400, [reserved(0), reserved(400), reserved(800), .later(.milliseconds(200))]),
      (60_000, [reserved(0), reserved(60_000), .later(.seconds(119)), .later(.seconds(119))]),
    ]
    for row in table {
      var limit = OriginLimit()
      limit.limit(to: Rate(interval: .milliseconds(row.interval)))
      let slots = (0..<4).map { _ in limit.takeSlot(isShared: true, now: .zero) }
      #expect(slots == row.slots, "every \(row.interval) ms")
    }
  }

  @Test("of a spec's rate and a learned one the lower counts, and a refusal with a time gets no pause of its own")
  func lowest() {
    var limit = OriginLimit()
    limit.limit(to: Rate(interval: .seconds(1)))
    limit.refuse(hasPause: true, now: .zero)
    #expect(limit.heldUntil == .zero)
    #expect((0..<2).map { _ in limit.takeSlot(now: .zero) } == [0, 1_000].map(reserved))
  }

  private func reserved(_ milliseconds: Int) -> OriginLimit.Slot { .reserved(after: .milliseconds(milliseconds)) }
}
