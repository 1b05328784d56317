import Fetching

/// A request with its place in time.
struct PlacedRequest: Sendable, Hashable {
  /// Number in the order of the recording, from 1.
  let number: Int
  let request: RecordedRequest
  /// Unix times of the first wait and of the end.
  let begin: Double
  let end: Double

  /// Places requests in time; one without a time follows its predecessor.
  static func place(_ requests: [RecordedRequest]) -> [PlacedRequest] {
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
