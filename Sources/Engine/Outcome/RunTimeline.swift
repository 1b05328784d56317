import JSONText

/// The pages and records of a run over time: a limited number of points, however long the run is.
package struct RunTimeline: Sendable {
  package struct Point: Sendable, Hashable {
    /// Time since the run began, in milliseconds.
    package let time: Int
    package let pages: Int
    package let records: Int

    package init(time: Int, pages: Int, records: Int) {
      (self.time, self.pages, self.records) = (time, pages, records)
    }
  }

  static let limit = 400
  private(set) var points: [Point] = []
  /// Least time between two points, in milliseconds.
  private var interval = 0

  /// Adds the totals at a time; replaces the previous point if that is too near.
  mutating func add(pages: Int, records: Int, at time: Duration) {
    let point = Point(time: Int(time / .milliseconds(1)), pages: pages, records: records)
    if points.count > 1, point.time - points[points.count - 2].time < interval { points.removeLast() }
    points.append(point)
    guard points.count > Self.limit else { return }
    points = points.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    interval = max(1, point.time / (Self.limit / 2))
    if points.last != point { points.append(point) }
  }

  /// The points as arrays of time, pages and records.
  var json: JSONValue {
    JSONValue(
      elements: points.map {
        JSONValue(elements: [JSONValue($0.time), JSONValue($0.pages), JSONValue($0.records)])
      })
  }
}
