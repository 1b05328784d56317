import Testing

@testable import Engine

@Suite("The progress line")
struct ProgressLineTests {
  private func line(_ change: (inout RunCounters, inout RunActivity) -> Void, after elapsed: Duration) -> ProgressLine {
    var (counters, activity) = (RunCounters(), RunActivity())
    change(&counters, &activity)
    return ProgressLine(name: "coins", counters: counters, activity: activity, elapsed: elapsed, now: Self.now)
  }

  private static let now = ContinuousClock.now

  @Test("says how many of how many, and how long it takes, where the server says how many there are")
  func totals() {
    let pages = line(
      { counters, activity in
        (counters.pages, counters.records, counters.bytes) = (12, 1_200, 3_440_000)
        (activity.requests, activity.total) = (4, .pages(50))
      }, after: .seconds(5))
    #expect(pages.text == "coins: 12 of 50 pages, 1200 records, 3.4 MB, 240 records/s, 4 requests in flight, 16 s left")
    let records = line(
      { counters, activity in
        (counters.pages, counters.records) = (1, 10)
        activity.total = .records(20)
      }, after: .seconds(4))
    #expect(records.text == "coins: 1 page, 10 of 20 records, 0 B, 2.5 records/s, 4 s left")
  }

  @Test("says why nothing happens, as long as it does not")
  func waits() {
    let waiting = line({ $1.wait = .init(end: Self.now + .seconds(12), reason: "429") }, after: .milliseconds(600))
    #expect(waiting.text == "coins: 0 pages, 0 records, waiting 12 s: 429, 0 B")
    let over = line({ $1.wait = .init(end: Self.now, reason: "429") }, after: .milliseconds(600))
    #expect(over.text == "coins: 0 pages, 0 records, 0 B")
  }

  @Test(
    "leaves out first what matters least, and keeps the pages, the wait and the time left",
    arguments: [
      (100, "coins: 12 of 50 pages, 1200 records, waiting 12 s: 429, 3.4 MB, 240 records/s, 16 s left"),
      (80, "coins: 12 of 50 pages, 1200 records, waiting 12 s: 429, 240 records/s, 16 s left"),
      (70, "coins: 12 of 50 pages, 1200 records, waiting 12 s: 429, 16 s left"),
      (62, "coins: 12 of 50 pages, waiting 12 s: 429, 16 s left"),
      (50, "coi…: 12 of 50 pages, waiting 12 s: 429, 16 s left"), (44, "12 of 50 pages, waiting 12 s: 429, 16 s left"),
      (40, "12 of 50 pages, 12 s: 429, 16 s left"), (20, "12 of 50 pages, 12 …"),
    ])
  func narrow(_ width: Int, _ text: String) {
    let line = line(
      { counters, activity in
        (counters.pages, counters.records, counters.bytes) = (12, 1_200, 3_440_000)
        (activity.requests, activity.total) = (4, .pages(50))
        activity.wait = .init(end: Self.now + .seconds(12), reason: "429")
      }, after: .seconds(5))
    #expect(line.text(width: width) == text)
  }

  @Test(
    "has sizes of up to three digits before the point",
    arguments: [(999, "999 B"), (1_000, "1 KB"), (999_499, "999 KB"), (999_500, "1.0 MB"), (1_250_000, "1.3 MB")])
  func sizes(_ bytes: Int, _ text: String) {
    #expect(bytes.asSize == text)
  }

  @Test("never exceeds the width", arguments: 0...40)
  func cut(_ width: Int) {
    let text = ProgressLine(
      name: "日本語", counters: RunCounters(), activity: RunActivity(), elapsed: .zero, now: Self.now
    ).text(width: width)
    #expect(text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x1100 && $1 != "…" ? 2 : 1) } <= width)
  }
}
