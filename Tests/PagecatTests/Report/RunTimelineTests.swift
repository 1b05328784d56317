import JSONText
import Testing

@testable import Engine

@Suite("The timeline of a run")
struct RunTimelineTests {
  @Test("has few points, however many pages come; the last total is always there")
  func limit() {
    var timeline = RunTimeline()
    for page in 1...100_000 {
      timeline.add(pages: page, records: page * 10, at: .milliseconds(page * 3))
      #expect(timeline.points.count <= RunTimeline.limit)
    }
    #expect(timeline.points.last == .init(time: 300_000, pages: 100_000, records: 1_000_000))
    #expect(timeline.points.count > RunTimeline.limit / 4)
    #expect(zip(timeline.points, timeline.points.dropFirst()).allSatisfy { $0.time < $1.time })
  }

  @Test("has every page of a short run")
  func short() {
    var timeline = RunTimeline()
    timeline.add(pages: 1, records: 20, at: .milliseconds(5))
    timeline.add(pages: 2, records: 30, at: .milliseconds(5))
    #expect(timeline.json.text == "[[5,1,20],[5,2,30]]")
  }

  @Test("stays small where all pages come at one moment")
  func moment() {
    var timeline = RunTimeline()
    for page in 1...10_000 { timeline.add(pages: page, records: page, at: .zero) }
    #expect(timeline.points.count <= RunTimeline.limit)
    #expect(timeline.points.last?.pages == 10_000)
  }
}
