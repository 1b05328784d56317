import Diagnostics
import Fetching
import JSONText
import Primitives
package import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Something that happened in a run, without secrets, and safe to print.
package struct RunEvent: Sendable {
  package enum Kind: String, Sendable {
    /// A request is about to be sent.
    case sending
    /// The head of a reply has come.
    case receiving
    /// An exchange is over.
    case request
    /// A request waits.
    case wait
  }

  package struct Field: Sendable {
    package let name: String
    package let value: String
  }

  package let kind: Kind
  package let purpose: Request.Purpose
  package let method: String
  package let url: String
  /// Duration of the exchange, or of the wait.
  package var duration: Duration = .zero
  package var status: Int?
  package var bytes = 0
  /// Nil if the exchange brought no page.
  package var records: Int?
  /// Reason why no reply came, or why the request waits.
  package var reason: String?
  /// Header fields of the request or the reply.
  package var fields: [Field] = []
  /// Start of the request's body.
  package var body: String?

  /// True for a wait because of `rate`.
  package var isWaitForRate = false
}

/// Receives the events of a run, on any thread.
package struct RunListener: Sendable {
  /// The kinds of events that are made.
  let kinds: [RunEvent.Kind]
  let onEvent: @Sendable (RunEvent) -> Void

  package init(to kinds: [RunEvent.Kind], onEvent: @escaping @Sendable (RunEvent) -> Void) {
    self.kinds = kinds
    self.onEvent = onEvent
  }
}

// The forms of an event for people and for machines.

extension RunEvent {
  /// The event as lines of text.
  package var lines: [String] {
    switch kind {
    case .sending:
      ["> \(method) \(url)"] + fields.map { "> \($0.name): \($0.value)" } + (body.map { ["> \($0)"] } ?? [])
    case .receiving: ["< \(status ?? 0)"] + fields.map { "< \($0.name): \($0.value)" }
    case .wait: ["waiting \(duration.formatted) for \(url): \(reason ?? "")"]
    case .request: ["\(method) \(url) \(outcome)"]
    }
  }

  /// `200, 12 KB, 85 ms, page 3, 20 records`.
  private var outcome: String {
    var parts = [status.map { "\($0)" } ?? "failed", bytes.asSize, "\(milliseconds) ms"]
    if purpose.attempt > 1 { parts.append("attempt \(purpose.attempt)") }
    if let page = purpose.page, page > 1 { parts.append("page \(page)") }
    if let records { parts.append(records.counted("record")) }
    return parts.joined(separator: ", ") + (reason.map { ": \($0)" } ?? "")
  }

  /// The event as one JSON object on one line.
  ///
  /// - Parameter label: the user's name for the run, if any.
  package func json(label: String?) -> String {
    MemberWriter.object { members in
      Self.begin(&members, event: kind.rawValue, label)
      if purpose.step > 0 {
        members.add("job", JSONValue(purpose.job))
        members.add("step", purpose.step)
      }
      members.add("method", JSONValue(method))
      members.add("url", JSONValue(url))
      if let page = purpose.page { members.add("page", page) }
      members.add("attempt", purpose.attempt)
      if let status { members.add("status", status) }
      switch kind {
      case .sending, .receiving:
        members.add(
          "fields",
          JSONValue(elements: fields.map { JSONValue(members: [($0.name, JSONValue($0.value))]) }))
        if let body { members.add("body", JSONValue(body)) }
      case .wait: members.add("wait", duration.jsonSeconds)
      case .request:
        if let records { members.add("records", records) }
        members.add("bytes", bytes)
        members.add("ms", milliseconds)
      }
      if let reason { members.add("reason", JSONValue(reason)) }
    }.text
  }

  /// Returns the JSON object of any other message.
  package static func json(ofMessage text: String, label: String?) -> String {
    MemberWriter.object { members in
      begin(&members, event: "message", label)
      members.add("text", JSONValue(text))
    }.text
  }

  private static func begin(_ members: inout MemberWriter, event: String, _ label: String?) {
    members.add("time", JSONValue(Timestamp(clamping: Date().timeIntervalSince1970).rfc3339))
    members.add("event", JSONValue(event))
    if let label { members.add("label", JSONValue(label)) }
  }

  private var milliseconds: Int { duration.milliseconds }
}

extension Duration {
  /// Whole milliseconds, cut off.
  var milliseconds: Int {
    Int(min(components.seconds, 1 << 50)) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }

  /// Seconds with three decimals at most, as a JSON number.
  var jsonSeconds: JSONValue { JSONValue(validated: Array("\(Double(milliseconds) / 1000)".utf8)[...]) }
}

extension Int {
  /// The number of bytes for people: `512 B`, `12 KB`, `3.4 MB`.
  package var asSize: String {
    switch self {
    case ..<1_000: "\(self) B"
    case ..<999_500: "\((self + 500) / 1_000) KB"
    default: "\((Double(self) / 1e5).rounded() / 10) MB"
    }
  }
}

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
