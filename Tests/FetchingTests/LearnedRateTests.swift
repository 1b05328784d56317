import Testing
import Wire

@testable import Fetching

@Suite("The rate that an origin's refusals teach")
struct LearnedRateTests {
  @Test("the rate grows with each success, more from one to the next, and slower the longer the pause was")
  func grows() {
    func rates(pause: Int) -> [Double] {
      [0, 100, 500, 1_000, 2_000].map {
        LearnedRate(accepted: 100, refusedAt: .zero, pause: .seconds(pause), successes: $0).perSecond
      }
    }
    let (short, long) = (rates(pause: 1), rates(pause: 5))
    #expect(short[0] == 100)
    #expect(long[0] == 100)
    #expect(short == short.sorted())
    // A tenth of the limit is tried after some ten seconds, in which a pause of a second is a tenth of the time.
    #expect(short[1] < 102)
    #expect((110...160).contains(short[3]))
    #expect((short[4] - short[3]) / 1_000 > (short[2] - short[1]) / 400)
    #expect(zip(short, long).dropFirst().allSatisfy { $0 > $1 })
  }

  @Test("time without requests is no sign of a higher limit")
  func idle() {
    var limit = OriginLimit()
    limit.refuse(hasPause: false, now: .zero)
    let before = limit.learned?.perSecond
    _ = limit.takeSlot(now: .seconds(50))
    #expect(limit.learned?.perSecond == before)
  }

  @Test("a refusal within a second belongs to the one before; a later one measures the rate since the pause")
  func refusals() {
    var rate = LearnedRate(throughput: 100, now: .zero)
    rate.resume(at: .seconds(1), after: .zero)
    #expect(rate.pause == .seconds(1))
    // A pause that is longer by another answer to the same requests, and one of another kind.
    rate.resume(at: .milliseconds(1_010), after: .seconds(1))
    #expect(rate.pause == .seconds(1))
    for _ in 0..<240 { rate.succeed() }
    let before = rate
    let isFirst = rate.refuse(resumedAt: .seconds(1), now: .milliseconds(999))
    #expect(!isFirst)
    #expect(rate == before)
    let isSecond = rate.refuse(resumedAt: .seconds(1), now: .seconds(4))
    #expect(isSecond)
    // 80 a second.
    #expect((70..<78).contains(rate.accepted))
    #expect(rate.successes == 0)
    let later = rate.perSecond
    let isThird = rate.refuse(resumedAt: .seconds(5), now: .seconds(6))
    #expect(isThird)
    #expect(rate.accepted == later / 2, "at most halved")
  }

  @Test("a process that is refused before its first success starts with ten a second; the rate never reaches zero")
  func bounds() {
    var rate = LearnedRate(throughput: 0, now: .zero)
    #expect(rate.accepted == 10)
    for minute in 1...400 {
      _ = rate.refuse(resumedAt: .zero, now: .seconds(60 * minute))
      rate.resume(at: .seconds(60 * minute + 60), after: .zero)
    }
    #expect(rate.accepted == 1.0 / 60)
    #expect(rate.interval > .seconds(50))
  }

  @Test("refusals without a success between halve the rate, and some successes bring it back")
  func starved() {
    var rate = LearnedRate(accepted: 100, refusedAt: .zero, pause: .seconds(1))
    for second in 1...5 { _ = rate.refuse(resumedAt: .zero, now: .seconds(second)) }
    #expect(rate.accepted < 10)
    for _ in 0..<2 { rate.succeed() }
    #expect((90..<100).contains(rate.perSecond))
    _ = rate.refuse(resumedAt: .seconds(3), now: .seconds(7))
    #expect(rate.restored == 0, "what succeeded is a measurement again")
  }

  @Test(
    "after any number of refusals, successes bring back no more than the rate before them, or ten a second",
    arguments: [(1.0, 10.0), (8, 10), (20, 20), (100, 100)])
  func restores(accepted: Double, most: Double) {
    for count in 1...30 {
      var rate = LearnedRate(accepted: accepted, refusedAt: .zero, pause: .seconds(1))
      for second in 1...count {
        _ = rate.refuse(resumedAt: .zero, now: .seconds(second))
        rate.resume(at: .seconds(second + 1), after: .seconds(second))
      }
      for _ in 0..<10 { rate.succeed() }
      #expect(rate.perSecond <= most * 1.25)
    }
  }

  @Test("a refusal during a pause is that of a request before it")
  func refusalDuringPause() {
    var rate = LearnedRate(accepted: 20, refusedAt: .zero, pause: .seconds(5))
    let before = rate
    let isNews = [1_500, 4_999, 5_000].map { rate.refuse(resumedAt: .seconds(5), now: .milliseconds($0)) }
    #expect(isNews == [false, false, true])
    #expect(rate != before)
  }

  @Test("the throughput is that of the last second, or of the time since the first success")
  func throughput() {
    var throughput = Throughput()
    #expect(throughput.perSecond(at: .seconds(5)) == 0)
    for _ in 0..<20 { throughput.record(at: .milliseconds(7_010)) }
    // A burst of some milliseconds is measured over three tenths of a second.
    #expect((60..<70).contains(throughput.perSecond(at: .milliseconds(7_015))))
    #expect((20...21).contains(throughput.perSecond(at: .milliseconds(8_005))))
    #expect((9...11).contains(throughput.perSecond(at: .milliseconds(8_510))))
    #expect(throughput.perSecond(at: .milliseconds(9_100)) == 0)
    // A clock that goes backward counts for the current second.
    throughput.record(at: .milliseconds(8_000))
    #expect(throughput.perSecond(at: .milliseconds(9_100)) > 0)
    // What came before a second without a success says nothing about the burst that follows.
    for _ in 0..<20 { throughput.record(at: .seconds(1_002)) }
    #expect((60..<70).contains(throughput.perSecond(at: .milliseconds(1_002_005))))
  }

  @Test("slots of a given rate are all reserved; those of a learned one at most a second ahead")
  func slots() {
    var given = OriginLimit()
    given.limit(to: Rate(interval: .milliseconds(500)))
    #expect((0..<4).map { _ in given.takeSlot(now: .zero) } == [0, 500, 1_000, 1_500].map(reserved))
    var learned = OriginLimit()
    learned.refuse(hasPause: false, now: .zero)
    #expect(learned.heldUntil == .milliseconds(200))
    // Ten a second.
    let slots = (0..<12).map { _ in learned.takeSlot(now: .zero) }
    #expect(slots == (0...10).map { reserved(100 * $0) } + [.later(.milliseconds(100))])
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
