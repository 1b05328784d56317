// The last line of a run, which says truthfully whether the data is complete.

import JSONText

/// The summary of a run, for people and for machines.
package struct Summary: Sendable {
  package let name: String
  package let counters: RunCounters
  package let elapsed: Duration
  package let resumption: Resumption?

  package init(name: String, counters: RunCounters, elapsed: Duration, resumption: Resumption? = nil) {
    self.name = name
    self.resumption = resumption
    self.counters = counters
    self.elapsed = elapsed
  }

  private var seconds: Double { Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18 }

  /// `coins: 60 records, 3 pages, 3 requests, 0 retries, 48 KB in 0.2 s: capped (limit of 3 pages)`.
  package var text: String {
    let counts = [
      counters.records.counted("record") + before, counters.pages.counted("page"), counters.requests.counted("request"),
      "\(counters.retries) \(counters.retries == 1 ? "retry" : "retries")",
      "\(counters.bytes.asSize) in \(oneDecimal(seconds)) s",
    ]
    let reason = counters.reason.isEmpty ? "" : " (\(counters.reason))"
    return "\(name): \(counts.joined(separator: ", ")): \(counters.verdict.rawValue)\(reason)"
  }

  private var before: String {
    guard let count = resumption?.records, count > 0 else { return "" }
    return " (\(count) before it was resumed)"
  }

  /// One JSON object on one line.
  package var json: String {
    let milliseconds = Int(seconds * 1000)
    var members = [
      ("name", JSONValue(name)), ("records", JSONValue(counters.records)), ("pages", JSONValue(counters.pages)),
      ("requests", JSONValue(counters.requests)), ("retries", JSONValue(counters.retries)),
      ("bytes", JSONValue(counters.bytes)),
      ("seconds", JSONValue(validated: Array("\(Double(milliseconds) / 1000)".utf8)[...])),
    ]
    if let resumption { members.append(("resumedFrom", JSONValue(resumption.start))) }
    members += [
      ("verdict", JSONValue(counters.verdict.rawValue)), ("reason", JSONValue(counters.reason)),
    ]
    return JSONValue(members: members).text
  }

  private func oneDecimal(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
