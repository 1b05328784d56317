import Fetching
import Testing

@testable import RunReport

/// A request that takes some phases, in seconds from the beginning.
func recorded(
  _ url: String = "https://a.test/", job: String? = nil, at started: Double? = 0, attempt: Int = 1, status: Int = 200,
  _ times: [RecordedRequest.Phase: Double] = [.wait: 1]
) -> RecordedRequest {
  var request = RecordedRequest()
  (request.url, request.method, request.job, request.started) = (url, "GET", job, started)
  (request.attempt, request.status) = (attempt, status)
  for (phase, seconds) in times { request.times[phase.rawValue] = seconds }
  return request
}

@Suite("The waterfall of a report")
struct WaterfallTests {
  @Test("has a lane for each job, a row for each request, and waits before its start")
  func jobs() throws {
    let waterfall = Waterfall([
      recorded(job: "list", at: 100, [.connect: 0.5, .wait: 1, .receive: 0.25]),
      recorded(job: "detail", at: 103, [.rate: 1, .wait: 1]),
      recorded(job: "list", at: 106, attempt: 2, [.retry: 2, .wait: 1]), recorded(at: 102, [.wait: 0.5]),
    ])
    #expect(waterfall.lanes.map(\.name) == ["list", "requests for all steps", "detail"])
    #expect((waterfall.start, waterfall.span, waterfall.isGrouped) == (100, 7, false))
    let bars = waterfall.lanes.map { $0.rows.map(\.bars) }
    #expect(
      bars[0] == [
        [
          .init(phase: .connect, begin: 0, end: 0.5), .init(phase: .wait, begin: 0.5, end: 1.5),
          .init(phase: .receive, begin: 1.5, end: 1.75),
        ],
        [.init(phase: .retry, begin: 4, end: 6), .init(phase: .wait, begin: 6, end: 7)],
      ])
    #expect(bars[2] == [[.init(phase: .rate, begin: 2, end: 3), .init(phase: .wait, begin: 3, end: 4)]])
    #expect(waterfall.lanes[0].rows.map(\.first) == [1, 4])
  }

  @Test("groups a browser's requests by path, and by origin where the paths are many")
  func paths() {
    let few = Waterfall(["/a?x=1", "/b", "/a?x=2#y", "/a", "/b?z", "/a?"].map { recorded("https://a.test" + $0) })
    #expect(few.lanes.map(\.name) == ["https://a.test/a", "https://a.test/b"])
    #expect(few.lanes.map(\.rows.count) == [4, 2])
    let once = Waterfall(["/a.css", "/b.js", "/c.png?1"].map { recorded("https://a.test" + $0) })
    #expect(once.lanes.map(\.name) == ["https://a.test"])
    let many = Waterfall((0..<25).map { recorded("https://a.test/\($0)") } + [recorded("http://b.test:8080/x")])
    #expect(many.lanes.map(\.name) == ["https://a.test", "http://b.test:8080"])
    let origins = Waterfall((0..<50).flatMap { [recorded("https://\($0).test/a"), recorded("https://\($0).test/b")] })
    #expect(origins.lanes.count == Waterfall.laneLimit)
    #expect(origins.lanes.last?.name == "other origins")
    #expect(origins.lanes.reduce(0) { $0 + $1.figures.requests } == 100)
    let jobs = Waterfall((0..<5_000).map { recorded(job: "\($0)") })
    #expect(jobs.lanes.count == Waterfall.jobLimit)
    #expect(jobs.lanes.reduce(0) { $0 + $1.rows.count } <= Waterfall.groupLimit + Waterfall.jobLimit)
  }

  @Test("has a row for each of 1,000 requests, and groups more, none of which is lost")
  func groups() {
    func requests(_ count: Int) -> [RecordedRequest] {
      (0..<count).map {
        recorded(job: $0.isMultiple(of: 10) ? "few" : "many", at: Double($0), status: $0 % 100 == 7 ? 429 : 200)
      }
    }
    let single = Waterfall(requests(1_000))
    #expect(!single.isGrouped && single.lanes.map(\.rows.count) == [100, 900])
    let grouped = Waterfall(requests(10_000))
    #expect(grouped.isGrouped && grouped.lanes.map(\.rows.count) == [25, 225])
    let rows = grouped.lanes.flatMap(\.rows)
    #expect(rows.reduce(0) { $0 + $1.figures.requests } == 10_000)
    #expect(rows.reduce(0) { $0 + $1.figures.refused } == 100)
    // 40 seconds of requests, one in ten of which is of this job.
    #expect(grouped.lanes[0].rows[1].bars == [.init(phase: .wait, begin: 400, end: 791)])
  }

  @Test("places a request without a time after the one before it")
  func timeless() {
    let waterfall = Waterfall([
      recorded(at: nil, [.wait: 1]), recorded(at: nil, [.queue: 1, .wait: 2]), recorded(at: nil, [:]),
    ])
    #expect(waterfall.start == nil)
    #expect(waterfall.span == 4)
    #expect(waterfall.lanes.flatMap(\.rows).map(\.begin) == [0, 1, 4])
    #expect(Waterfall([]).lanes.isEmpty)
  }

  @Test("has round times on its axis")
  func axis() {
    #expect(AxisScale(span: 14.8).ticks == [0, 5, 10])
    #expect(AxisScale(span: 0.001).ticks.map(Numbers.time) == ["0", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1 ms"])
    #expect(AxisScale(span: 200).ticks == [0, 60, 120, 180])
    #expect(AxisScale(span: 3_600 * 50).ticks == [0, 43_200, 86_400, 129_600, 172_800])
    var span = 0.001
    while span < 400_000_000_000 {
      #expect((2...6).contains(AxisScale(span: span).ticks.count), "\(span)")
      span *= 3.7
    }
  }

  @Test("marks what went wrong in words")
  func marks() {
    #expect(recorded(attempt: 3, status: 429).marks == ["429", "retry 2"])
    #expect(recorded(status: 200).marks.isEmpty)
    #expect(recorded(status: 302).marks == ["302"])
    var cut = recorded(status: 200)
    (cut.error, cut.errorKind) = ("the connection ended", "cut")
    #expect(cut.marks == ["cut"])
    cut.status = 0
    #expect(cut.marks == ["cut"])
    #expect(recorded(status: 0).marks == ["no answer"])
  }
}
