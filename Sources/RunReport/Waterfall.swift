// The picture of a run before it is drawn: lanes, rows and bars, in seconds. No markup, no clock.

import Fetching

/// The requests of a recording as rows of bars by lane.
struct Waterfall: Sendable, Hashable {
  /// Number of requests up to which each has a row of its own.
  static let rowLimit = 1_000
  /// Approximate number of rows if there are more requests.
  static let groupLimit = 250
  /// Number of jobs, and of a browser's paths or origins, up to which each has a lane.
  static let (jobLimit, laneLimit) = (100, 24)

  /// The requests of one job; in another program's recording, of one path or origin.
  struct Lane: Sendable, Hashable {
    let name: String
    let figures: RequestFigures
    let rows: [Row]
  }

  /// One request, or a group of requests that began one after the other.
  struct Row: Sendable, Hashable {
    /// Numbers of the first and the last request in the recording's order, from 1.
    let first: Int
    let last: Int
    let figures: RequestFigures
    /// The request, if the row has only one.
    let request: RecordedRequest?
    let bars: [Bar]
    /// Time from the beginning at which the first wait began, and at which the last reply ended.
    let begin: Double
    let end: Double
  }

  /// A stretch of one phase, in seconds from the beginning.
  struct Bar: Sendable, Hashable {
    let phase: RecordedRequest.Phase
    let begin: Double
    let end: Double
  }

  private typealias Group = (name: String, members: [PlacedRequest])

  let lanes: [Lane]
  /// Unix time of the beginning; nil if the recording has no times.
  let start: Double?
  /// Time from the beginning to the end, in seconds; never 0.
  let span: Double
  /// True if rows are groups.
  let isGrouped: Bool

  init(_ requests: [RecordedRequest]) {
    let arranged = PlacedRequest.arranged(requests)
    let begin = arranged.map(\.begin).min() ?? 0
    start = requests.contains { $0.started != nil } ? begin : nil
    span = max((arranged.map(\.end).max() ?? 0) - begin, 0.001)
    isGrouped = arranged.count > Self.rowLimit
    let isGrouped = isGrouped
    lanes = Self.lanes(arranged).map { name, members in
      let share = max(1, Self.groupLimit * members.count / max(1, arranged.count))
      let size = isGrouped ? (members.count + share - 1) / share : 1
      let rows = stride(from: 0, to: members.count, by: size).map {
        Row(members[$0..<min($0 + size, members.count)], from: begin)
      }
      return Lane(name: name, figures: RequestFigures(members.map(\.request)), rows: rows)
    }
  }

  /// Returns the requests by job, in the order in which the jobs began; without jobs by path, or by origin.
  private static func lanes(_ arranged: [PlacedRequest]) -> [Group] {
    if arranged.contains(where: { $0.request.job != nil }) {
      return largest(jobLimit, "other steps", of: grouped(arranged) { $0.job ?? "requests for all steps" })
    }
    let byPath = grouped(arranged) { String($0.url.prefix { $0 != "?" && $0 != "#" }) }
    // A lane for each file of a web page would be no waterfall.
    guard byPath.count > laneLimit || byPath.count * 3 > arranged.count else { return byPath }
    return largest(laneLimit, "other origins", of: grouped(arranged) { origin($0.url) })
  }

  /// Joins the smallest groups into one if there are more than `count`.
  private static func largest(_ count: Int, _ rest: String, of groups: [Group]) -> [Group] {
    guard groups.count > count else { return groups }
    let ranked = groups.indices.sorted { (groups[$1].members.count, $0) < (groups[$0].members.count, $1) }
    let kept = Set(ranked.prefix(count - 1))
    let others = groups.indices.filter { !kept.contains($0) }.flatMap { groups[$0].members }
    return groups.indices.filter(kept.contains).map { groups[$0] }
      + [(rest, others.sorted { $0.number < $1.number })]
  }

  private static func origin(_ url: String) -> String {
    url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
  }

  private static func grouped(
    _ arranged: [PlacedRequest], by name: (RecordedRequest) -> String
  ) -> [Group] {
    var groups: [Group] = []
    var indices: [String: Int] = [:]
    for member in arranged {
      let name = name(member.request)
      if let index = indices[name] {
        groups[index].members.append(member)
      } else {
        indices[name] = groups.count
        groups.append((name, [member]))
      }
    }
    return groups
  }
}

extension Waterfall.Row {
  init(_ members: ArraySlice<PlacedRequest>, from origin: Double) {
    (first, last) = (members.first?.number ?? 0, members.last?.number ?? 0)
    figures = RequestFigures(members.map(\.request))
    request = members.count == 1 ? members.first?.request : nil
    let begin = (members.map(\.begin).min() ?? 0) - origin
    let end = (members.map(\.end).max() ?? 0) - origin
    (self.begin, self.end) = (begin, end)
    // A group's bar is as long as the group took; its colours are each phase's share of all requests' time.
    let times = RecordedRequest.Phase.allCases.map { phase in
      (phase, members.reduce(0) { $0 + $1.request.times[phase.rawValue] })
    }
    let total = times.reduce(0) { $0 + $1.1 }
    var time = begin
    var bars: [Waterfall.Bar] = []
    for (phase, seconds) in times where seconds > 0 {
      let length = seconds / total * (end - begin)
      bars.append(Waterfall.Bar(phase: phase, begin: time, end: time + length))
      time += length
    }
    self.bars = bars
  }
}

/// A request with its place in time.
struct PlacedRequest: Sendable, Hashable {
  /// Number in the order of the recording, from 1.
  let number: Int
  let request: RecordedRequest
  /// Unix times of the first wait and of the end.
  let begin: Double
  let end: Double

  /// Places requests in time; one without a time follows its predecessor.
  static func arranged(_ requests: [RecordedRequest]) -> [PlacedRequest] {
    let sorted =
      requests.allSatisfy { $0.started != nil }
      ? requests.enumerated().sorted { ($0.element.started ?? 0, $0.offset) < ($1.element.started ?? 0, $1.offset) }
        .map(\.element) : requests
    var end = 0.0
    return sorted.enumerated().map { index, request in
      let waits = request.times[..<RecordedRequest.Phase.queue.rawValue].reduce(0, +)
      let begin = (request.started ?? end + waits) - waits
      end = begin + request.times.reduce(0, +)
      return PlacedRequest(number: index + 1, request: request, begin: begin, end: end)
    }
  }
}

/// Counts and times of some requests.
struct RequestFigures: Sendable, Hashable {
  let requests: Int
  /// Requests that repeat one that failed.
  let retries: Int
  /// Requests that were refused as too many (429).
  let refused: Int
  /// Requests without an answer, with an error while it was read, or with a status from 400 on.
  let failures: Int
  let bytes: Int
  /// Seconds without the waits before the request was sent.
  let median: Double
  let slowest: Double

  init(_ all: [RecordedRequest]) {
    requests = all.count
    retries = all.count { $0.attempt > 1 }
    refused = all.count { $0.status == 429 }
    failures = all.count { $0.isFailure }
    bytes = all.reduce(0) { $0 + $1.bytes }
    let times = all.map(\.duration).sorted()
    median = times.isEmpty ? 0 : times[times.count / 2]
    slowest = times.last ?? 0
  }
}

extension RecordedRequest {
  /// Seconds from the sending to the end of the reply, without waits for a retry, a rate or a browser's queue.
  var duration: Double { times[Phase.connect.rawValue...].reduce(0, +) }

  var isFailure: Bool { status == 0 || status >= 400 || error != nil }

  /// Words that mark the request beside its bar: what went wrong, and which attempt it is.
  var marks: [String] {
    var marks: [String] = []
    if status == 0 {
      marks.append(errorKind ?? "no answer")
    } else if status >= 300 {
      marks.append("\(status)")
    }
    if status > 0, error != nil { marks.append(errorKind ?? "error") }
    if attempt > 1 { marks.append("retry \(attempt - 1)") }
    return marks
  }
}

/// Round times at which an axis has lines.
struct AxisScale: Sendable, Hashable {
  /// Seconds from the beginning, ascending, with 0.
  let ticks: [Double]

  /// - Parameters:
  ///   - span: length of the axis in seconds.
  ///   - count: number of steps at most.
  init(span: Double, count: Int = 5) {
    let steps = Self.steps.first { span / $0 <= Double(count) } ?? span
    ticks = (0...count).map { Double($0) * steps }.filter { $0 <= span }
  }

  /// 1, 2 and 5 with zeros up to a minute, then minutes, hours and days.
  private static let steps: [Double] =
    decades(from: 0.000_1, count: 5) + [10, 20] + clock + decades(from: 86_400, count: 6)
  private static let clock: [Double] = [
    30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200,
  ]

  private static func decades(from first: Double, count: Int) -> [Double] {
    var steps: [Double] = []
    var step = first
    for _ in 0..<count {
      steps += [step, 2 * step, 5 * step]
      step *= 10
    }
    return steps
  }
}
