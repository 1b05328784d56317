#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import Fetching
import JSONText
import Primitives
package import Wire

/// Something that happened in a run, without secrets, and safe to print.
package struct RunEvent: Sendable {
  package enum Kind: Sendable, Hashable {
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
      Self.begin(&members, event: kind.name, label)
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

extension RunEvent.Kind {
  fileprivate var name: String {
    switch self {
    case .sending: "sending"
    case .receiving: "receiving"
    case .request: "request"
    case .wait: "wait"
    }
  }
}

extension Int {
  /// The number of bytes for people: `512 B`, `12 KB`, `3.4 MB`.
  package var asSize: String {
    switch self {
    case ..<1_000: "\(self) B"
    case ..<1_000_000: "\((self + 500) / 1_000) KB"
    default: "\((Double(self) / 1e5).rounded() / 10) MB"
    }
  }

  /// The number with its noun: `1 record`, `2 records`.
  package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
