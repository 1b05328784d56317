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

  /// A part of the line, and its turn to be left out if the line is too long; nil for never.
  private struct Part {
    let text: String
    var dropped: Int?
    /// The text if the line is still too long.
    var short: String?
  }

  /// `coins: 12 of 50 pages, 1200 records, 3.4 MB, 240 records/s, 4 requests in flight, 38 s left`.
  package var text: String { "\(name): \(Self.joined(parts))" }

  private var parts: [Part] {
    var parts: [Part] = []
    switch activity.total {
    case .pages(let total)?: parts.append(Part(text: "\(counters.pages) of \(total.counted("page"))"))
    default: parts.append(Part(text: counters.pages.counted("page")))
    }
    switch activity.total {
    case .records(let total)?:
      parts.append(Part(text: "\(counters.records) of \(total.counted("record"))", dropped: 4))
    default: parts.append(Part(text: counters.records.counted("record"), dropped: 4))
    }
    if let wait = activity.wait, wait.end > now {
      let words = "\((wait.end - now).formatted): \(wait.reason)"
      parts.append(Part(text: "waiting \(words)", short: words))
    }
    parts.append(Part(text: counters.bytes.asSize, dropped: 2))
    if counters.records > 0, seconds >= 1 { parts.append(Part(text: "\(perSecond) records/s", dropped: 3)) }
    if activity.requests > 0 {
      parts.append(Part(text: "\(activity.requests.counted("request")) in flight", dropped: 1))
    }
    if let rest { parts.append(Part(text: "\(rest.formatted) left")) }
    return parts
  }

  private static func joined(_ parts: [Part]) -> String { parts.map(\.text).joined(separator: ", ") }

  private var seconds: Double { elapsed / .seconds(1) }

  private var perSecond: String {
    let rate = Double(counters.records) / seconds
    return rate < 10 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate))"
  }

  /// The remaining time, at the speed so far; nil if the total is not known.
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

  /// Columns of the name that stay while another part can be left out instead.
  private static let leastName = 8

  /// Returns the line for a width, in columns of a terminal.
  ///
  /// Less important parts are left out first, then the name is cut. The pages, the wait and the time left stay longest.
  package func text(width: Int) -> String {
    var parts = parts
    let named = name.isEmpty ? 0 : Self.columns(name) + 2
    for turn in 1...3 where named + Self.columns(parts) > width { parts.removeAll { $0.dropped == turn } }
    let rest = Self.columns(parts) + 2
    var room = max(width - rest, min(Self.leastName, Self.columns(name)))
    if room + rest > width {
      parts.removeAll { $0.dropped == 4 }
      room = width - Self.columns(parts) - 2
    }
    if room < -2 { parts = parts.map { Part(text: $0.short ?? $0.text) } }
    // A name that is an ellipsis alone says nothing.
    return Self.cut(line(room > 1 ? Self.cut(name, to: room) : "", parts), to: width)
  }

  private func line(_ name: String, _ parts: [Part]) -> String {
    name.isEmpty ? Self.joined(parts) : "\(name): \(Self.joined(parts))"
  }

  /// Returns a text cut to a width, with an ellipsis in place of the rest.
  package static func cut(_ text: String, to width: Int) -> String {
    guard columns(text) > width else { return text }
    var (kept, columns) = ("", 1)
    for character in text {
      columns += Self.columns(String(character))
      guard columns <= width else { break }
      kept.append(character)
    }
    return width > 0 ? kept + "…" : ""
  }

  /// Returns the columns of the joined parts, without the cost of joining them.
  private static func columns(_ parts: [Part]) -> Int {
    parts.reduce(2 * (parts.count - 1)) { $0 + columns($1.text) }
  }

  /// Characters that may be two columns wide count as two: a line that is too short is harmless, a wrapped line is not.
  private static func columns(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 || $1 == "…" ? 1 : 2) }
  }
}

/// The current work of a run, and its progress.
package struct RunActivity: Sendable {
  /// A wait in progress.
  package struct Wait: Sendable {
    package let end: ContinuousClock.Instant
    package let reason: String
  }

  /// The total that the server has announced.
  package enum Total: Sendable, Equatable {
    case pages(Int)
    case records(Int)
  }

  package internal(set) var requests = 0
  /// The wait that ends last.
  package internal(set) var wait: Wait?
  /// Nil if it is not known, or if the run has several streams.
  package internal(set) var total: Total?
}
