// The one line that says truthfully whether the data is all there.

import JSONText

/// A run's end, for people and for machines.
package struct Summary: Sendable {
  package let name: String
  package let facts: Report.Facts
  package let elapsed: Duration

  package init(name: String, facts: Report.Facts, elapsed: Duration) {
    self.name = name
    self.facts = facts
    self.elapsed = elapsed
  }

  private var seconds: Double { Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18 }

  /// `coins: 60 records, 3 pages, 3 requests, 0 retries, 48 KB in 0.2 s: capped (limit of 3 pages)`.
  package var text: String {
    let counts = [
      amount(facts.records, "record"), amount(facts.pages, "page"), amount(facts.requests, "request"),
      "\(facts.retries) \(facts.retries == 1 ? "retry" : "retries")",
      "\(size(facts.bytes)) in \(oneDecimal(seconds)) s",
    ]
    let reason = facts.reason.isEmpty ? "" : " (\(facts.reason))"
    return "\(name): \(counts.joined(separator: ", ")): \(facts.verdict.rawValue)\(reason)"
  }

  /// One JSON object on one line.
  package var json: String {
    let milliseconds = Int(seconds * 1000)
    return JSONValue(members: [
      ("name", JSONValue(name)), ("records", JSONValue(facts.records)), ("pages", JSONValue(facts.pages)),
      ("requests", JSONValue(facts.requests)), ("retries", JSONValue(facts.retries)),
      ("bytes", JSONValue(facts.bytes)),
      ("seconds", JSONValue(validated: Array("\(Double(milliseconds) / 1000)".utf8)[...])),
      ("verdict", JSONValue(facts.verdict.rawValue)), ("reason", JSONValue(facts.reason)),
    ]).text
  }

  private func amount(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  private func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1_000: "\(bytes) B"
    case ..<1_000_000: "\((bytes + 500) / 1_000) KB"
    default: "\(oneDecimal(Double(bytes) / 1e6)) MB"
    }
  }

  private func oneDecimal(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
