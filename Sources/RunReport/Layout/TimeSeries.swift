import Fetching
import JSONText

/// A total that grows over time, as at most some hundred points.
struct TimeSeries: Sendable, Hashable {
  struct Point: Sendable, Hashable {
    /// Seconds from the beginning of the waterfall.
    let time: Double
    let total: Int
  }

  static let limit = 400

  let name: String
  let points: [Point]
  var total: Int { points.last?.total ?? 0 }

  /// - Parameter points: in any order of time; those at which the total is highest are never dropped.
  init(_ name: String, _ points: [Point]) {
    self.name = name
    let sorted = points.sorted { ($0.time, $0.total) < ($1.time, $1.total) }
    let step = (sorted.count + Self.limit - 1) / Self.limit
    self.points = sorted.enumerated().filter { $0.offset % step == step - 1 || $0.offset == sorted.count - 1 }
      .map(\.element)
  }

  /// Counts something at the ends of requests.
  static func sum(
    _ name: String, _ waterfall: Waterfall, _ requests: [RecordedRequest], _ count: (RecordedRequest) -> Int
  ) -> TimeSeries {
    let placed = PlacedRequest.place(requests)
    let begin = placed.map(\.begin).min() ?? 0
    var total = 0
    let points = placed.sorted { ($0.end, $0.number) < ($1.end, $1.number) }.map { member in
      total += count(member.request)
      return Point(time: member.end - begin, total: total)
    }
    return TimeSeries(name, points)
  }
}
