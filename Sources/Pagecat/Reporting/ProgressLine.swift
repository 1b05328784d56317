import Fetching

/// The progress of a run, as one line.
package struct ProgressLine: Sendable {
  package let name: String
  package let counters: RunCounters
  package let activity: RunActivity
  package let elapsed: Duration
  package let now: ContinuousClock.Instant

  package init(
    name: String, counters: RunCounters, activity: RunActivity, elapsed: Duration,
    now: ContinuousClock.Instant = .now
  ) {
    self.name = name
    self.counters = counters
    self.activity = activity
    self.elapsed = elapsed
    self.now = now
  }

  /// `coins: 12 of 50 pages, 1200 records, 3.4 MB, 240 records/s, 4 requests in flight, 38 s left`.
  package var text: String {
    var parts: [String] = []
    switch activity.total {
    case .pages(let total)?: parts.append("\(counters.pages) of \(total.counted("page"))")
    default: parts.append(counters.pages.counted("page"))
    }
    switch activity.total {
    case .records(let total)?: parts.append("\(counters.records) of \(total.counted("record"))")
    default: parts.append(counters.records.counted("record"))
    }
    if let wait = activity.wait, wait.end > now {
      parts.append("waiting \((wait.end - now).spoken): \(wait.reason)")
    }
    parts.append(counters.bytes.asSize)
    if counters.records > 0, seconds >= 1 { parts.append("\(perSecond) records/s") }
    if activity.requests > 0 { parts.append("\(activity.requests.counted("request")) in flight") }
    if let rest { parts.append("\(rest.spoken) left") }
    return "\(name): \(parts.joined(separator: ", "))"
  }

  private var seconds: Double { elapsed / .seconds(1) }

  private var perSecond: String {
    let rate = Double(counters.records) / seconds
    return rate < 10 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate))"
  }

  /// The time for what is left, at the speed so far; nil if the total is not known.
  private var rest: Duration? {
    let (done, all): (Int, Int)
    switch activity.total {
    case .pages(let total)?: (done, all) = (counters.pages, total)
    case .records(let total)?: (done, all) = (counters.records, total)
    case nil: return nil
    }
    guard done > 0, all > done, seconds >= 1 else { return nil }
    let left = seconds * (Double(all) / Double(done) - 1)
    return left < 1e9 ? .seconds(Int(left.rounded(.up))) : nil
  }

  /// Returns the line cut to a width, in columns of a terminal.
  package func text(width: Int) -> String {
    let text = text
    guard Self.columns(text) > width else { return text }
    var (kept, columns) = ("", 1)
    for character in text {
      columns += Self.columns(String(character))
      guard columns <= width else { break }
      kept.append(character)
    }
    return width > 0 ? kept + "…" : ""
  }

  /// Characters that may be two columns wide count as two: a line that is too short is harmless, a wrapped line is not.
  private static func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 || $1 == "…" ? 1 : 2) }
  }
}
