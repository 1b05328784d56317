import Fetching

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
