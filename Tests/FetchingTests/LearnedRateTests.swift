import Testing
import Wire

@testable import Fetching

@Suite("The rate that an origin's refusals teach")
struct LearnedRateTests {
  @Test("an estimate grows at once, a measured rate at first hardly; the longer the pause was, the slower")
  func rates() {
    let table: [(age: Int, throughput: Double, estimate: Double, measured: Double, afterTwo: Double)] = [
      (0, 100, 95, 100, 100), (1, 100, 155.46, 100.32, 100.08), (3, 100, 200, 103.25, 100.75),
      (10, 100, 200, 149.79, 110.0), (20, 100, 200, 200, 149.79), (20, 40, 100, 100, 100), (20, 0, 100, 100, 100),
    ]
    for row in table {
      let found = [(1, true), (1, false), (2, false)].map { seconds, isEstimate in
        let rate = LearnedRate(
          accepted: 100, refusedAt: .seconds(10), pause: .seconds(seconds), isEstimate: isEstimate, successes: 0)
        return (rate.rate(throughput: row.throughput, now: .seconds(10 + row.age)) * 100).rounded() / 100
      }
      #expect(found == [row.estimate, row.measured, row.afterTwo], "after \(row.age) s at \(row.throughput)/s")
    }
    let slow = LearnedRate(accepted: 0.1, refusedAt: .zero, pause: .seconds(1), isEstimate: false, successes: 0)
    let later = [60, 600, 6_000].map { (slow.rate(throughput: 0, now: .seconds($0)) * 100).rounded() / 100 }
    #expect(later == [0.11, 1.1, 10], "a slow rate grows, though nothing came in the last second")
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
    let isFirst = rate.refuse(throughput: 100, resumedAt: .seconds(1), now: .milliseconds(999))
    #expect(!isFirst && rate.isEstimate)
    let isSecond = rate.refuse(throughput: 60, resumedAt: .seconds(1), now: .seconds(4))
    // 80 a second, less 0.055, and less 0.17 for a burst, of which little is left after 3 s.
    #expect(isSecond && !rate.isEstimate && abs(rate.accepted - 80 * (0.945 - 0.17 / (1 + 9 / 2.5))) < 1e-6)
    #expect(rate.successes == 0)
    let before = rate.rate(throughput: 0, now: .seconds(6))
    let isThird = rate.refuse(throughput: 0, resumedAt: .seconds(5), now: .seconds(6))
    #expect(isThird && rate.accepted == before / 2, "at most halved")
  }

  @Test("a process that is refused before its first success starts with ten a second; the rate never reaches zero")
  func bounds() {
    var rate = LearnedRate(throughput: 0, now: .zero)
    #expect(rate.accepted == 10)
    for second in 1...400 { _ = rate.refuse(throughput: 0, resumedAt: .zero, now: .seconds(second)) }
    #expect(rate.accepted == 1.0 / 60)
    #expect(rate.interval(throughput: 0, now: .seconds(401)) > .seconds(50))
  }

  @Test("refusals without a success between halve the rate, and each success doubles it up to what it was")
  func starved() {
    var rate = LearnedRate(throughput: 0, now: .zero)
    for second in 1...3 { _ = rate.refuse(throughput: 0, resumedAt: .zero, now: .seconds(second)) }
    #expect(rate.starvations == 3)
    let found = (0...4).map { _ in
      defer { rate.succeed() }
      return rate.rate(throughput: 0, now: .seconds(3)) / rate.accepted
    }
    #expect(found == [1, 2, 4, 8, 8])
    _ = rate.refuse(throughput: 8, resumedAt: .seconds(3), now: .seconds(5))
    #expect(rate.starvations == 0)
  }

  @Test(
    "after any number of refusals, successes bring back no more than the rate before them, or ten a second",
    arguments: [(1.0, 10.0), (8, 10), (20, 20), (100, 100)])
  func restores(accepted: Double, most: Double) {
    for count in 1...30 {
      var rate = LearnedRate(
        accepted: accepted, refusedAt: .zero, pause: .seconds(1), isEstimate: false, successes: 0)
      for second in 1...count {
        _ = rate.refuse(throughput: 0, resumedAt: .zero, now: .seconds(second))
        rate.resume(at: .seconds(second + 1), after: .seconds(second))
      }
      for _ in 0..<10 { rate.succeed() }
      #expect(rate.rate(throughput: 1_000, now: .seconds(count)) <= most * 1.25)
    }
  }

  @Test("a refusal during a pause is that of a request before it")
  func refusalDuringPause() {
    var rate = LearnedRate(accepted: 20, refusedAt: .zero, pause: .seconds(5), isEstimate: false, successes: 0)
    let before = rate
    let isNews = [1_500, 4_999, 5_000].map { milliseconds in
      rate.refuse(throughput: 0, resumedAt: .seconds(5), now: .milliseconds(milliseconds))
    }
    #expect(isNews == [false, false, true] && rate != before)
  }

  @Test("if each refusal costs a pause, a success doubles the rate thrice", arguments: [(399, 2.0), (400, 8)])
  func starvedByPauses(milliseconds: Int, factor: Double) {
    var rate = LearnedRate(
      accepted: 20, refusedAt: .zero, pause: .milliseconds(milliseconds), isEstimate: false, successes: 0,
      starvations: 4)
    let before = rate.rate(throughput: 1_000, now: .zero)
    rate.succeed()
    #expect(rate.rate(throughput: 1_000, now: .zero) == factor * before)
    rate.succeed()
    #expect(rate.rate(throughput: 1_000, now: .zero) == min(16, factor * factor) * before)
  }

  @Test("a rate below ten a second doubles after each 24 successes in a row, up to ten")
  func doubles() {
    func rates(of accepted: Double) -> [Double] {
      [0, 23, 24, 48, 72, 960].map {
        let rate = LearnedRate(
          accepted: accepted, refusedAt: .zero, pause: .seconds(1), isEstimate: false, successes: $0)
        return rate.rate(throughput: 0, now: .zero)
      }
    }
    #expect(rates(of: 2) == [2, 2, 4, 8, 10, 10])
    #expect(rates(of: 12) == [12, 12, 12, 12, 12, 12])
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
    let slots = (0..<11).map { _ in learned.takeSlot(now: .zero) }
    // 9.5 a second.
    #expect(slots.prefix(2) == [.reserved(after: .zero), .reserved(after: .microseconds(105_263))])
    #expect(slots.last == .later(.microseconds(105_263 * 10 - 1_000_000)))
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
