// The headers that say when to send the next request: `Retry-After`, and those of rate limits.
//
// `Retry-After` is RFC 9110 §10.2.3. `RateLimit` and `RateLimit-Policy` are an IETF draft
// (draft-ietf-httpapi-ratelimit-headers) in two spellings. Older versions say `limit=100, remaining=0, reset=50`, newer
// ones `"default";r=0;t=50`. `RateLimit-Remaining` and the many `X-RateLimit-…` are older than the draft.

import Primitives
import Wire

/// The rate limits that one response reports.
///
/// Times are relative to the response's `Date`, if it has one, so that the server's clock may be wrong.
struct LimitSigns: Equatable {
  /// Wait that `Retry-After` asks for.
  private(set) var retryAfter: Duration?
  /// Time until every exhausted limit resets; nil if none is exhausted, or if no reset is known.
  private(set) var exhaustedFor: Duration?
  /// True if some limit is exhausted.
  private(set) var isExhausted = false
  /// True if some limit has requests left.
  private var hasMore = false
  /// Shortest time until a limit resets that is not exhausted.
  private var otherReset: Duration?

  /// Wait for a limit without a time (GitHub's "secondary" ones).
  static let minute: Duration = .seconds(60)

  init(_ fields: HTTPFields, now: Double) {
    guard Self.signs.contains(where: fields.hasName) else { return }
    let date = fields["Date"].flatMap { HTTPDate.seconds(of: $0, now: now) } ?? now
    retryAfter = fields["Retry-After"].flatMap { Self.retryAfter($0, date) }
    let policies = Self.members(of: fields.values(of: "RateLimit-Policy"))
    for member in Self.members(of: fields.values(of: "RateLimit")) {
      let window = policies.first { $0.name == member.name }?.parameters["w"]
      note(remaining: member.parameters["r"], reset: member.parameters["t"] ?? window, date)
    }
    for prefix in ["RateLimit", "X-RateLimit", "X-Rate-Limit"] {
      note(remaining: fields["\(prefix)-Remaining"], reset: fields["\(prefix)-Reset"], date)
    }
  }

  /// Returns the wait that the server asks for, if any.
  ///
  /// `Retry-After` counts with any status; the other headers count only if the status is about a limit.
  func wait(isLimit: Bool) -> Duration? {
    if let retryAfter { return retryAfter }
    guard isLimit else { return nil }
    if isExhausted { return exhaustedFor }
    // Requests are left, so another limit was hit, whose reset is unknown. Don't wait an hour for this one.
    return otherReset.map { hasMore ? min($0, Self.minute) : $0 }
  }

  /// Time until the exhausted limits reset, if any is exhausted.
  ///
  /// `Retry-After` takes precedence.
  var pause: Duration? { isExhausted ? retryAfter ?? exhaustedFor : nil }

  private mutating func note(remaining: String?, reset: String?, _ date: Double) {
    // Some servers send a negative number for "no limit".
    let rest = remaining.flatMap { Double($0) }.flatMap { $0 < 0 ? nil : $0 }
    let time = reset.flatMap { Self.reset($0, date) }
    if rest == 0 {
      isExhausted = true
      if let time { exhaustedFor = max(exhaustedFor ?? .zero, time) }
    } else {
      hasMore = hasMore || rest != nil
      if let time { otherReset = min(otherReset ?? time, time) }
    }
  }
}

extension LimitSigns {
  /// Prefixes of all header names that are read; most responses have none of them.
  private static let signs = ["Retry-After", "RateLimit", "X-RateLimit", "X-Rate-Limit"]

  /// Parses seconds (also with a fraction, which some servers send), or a date.
  private static func retryAfter(_ text: String, _ date: Double) -> Duration? {
    if let seconds = seconds(text) { return duration(seconds) }
    return HTTPDate.seconds(of: text, now: date).map { duration($0 - date) }
  }

  /// Parses a reset time: seconds from now, Unix seconds, or Unix milliseconds, distinguished by their size.
  ///
  /// A billion seconds are 30 years. Mastodon sends an RFC 3339 time.
  private static func reset(_ text: String, _ date: Double) -> Duration? {
    guard let number = seconds(text) else { return HARTime.seconds(of: text).map { duration($0 - date) } }
    switch number {
    case ..<1e9: return duration(number)
    case ..<1e11: return duration(number - date)
    default: return duration(number / 1_000 - date)
    }
  }

  private static func seconds(_ text: String) -> Double? {
    guard text.utf8.first.map({ (48...57).contains($0) }) == true,
      text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(text)
  }

  /// Converts seconds; a negative number becomes zero, and more than three hundred years are cut.
  private static func duration(_ seconds: Double) -> Duration {
    .milliseconds(Int64((max(0, min(seconds, 1e10)) * 1_000).rounded()))
  }

  /// A limit or a policy with its name and parameters.
  private struct Member {
    var name = ""
    var parameters: [String: String] = [:]
  }

  /// Parses the members of a structured field (RFC 9651), as far as limits need it.
  ///
  /// An example is `"a";r=0;t=5, "b";r=9`. The older `limit=10, remaining=0, reset=5` is one limit without a name.
  private static func members(of values: [String]) -> [Member] {
    var members: [Member] = []
    var unnamed = Member()
    for text in values.flatMap({ split($0, at: UInt8(ascii: ",")) }) {
      let parts = split(text, at: UInt8(ascii: ";"))
      guard let name = parts.first else { continue }
      if let (key, value) = pair(name) {
        let key = ["remaining": "r", "reset": "t"][key] ?? key
        unnamed.parameters[key] = unnamed.parameters[key] ?? value
      } else {
        let pairs = parts.dropFirst().compactMap(pair)
        members.append(Member(name: name, parameters: Dictionary(pairs) { _, last in last }))
      }
    }
    return unnamed.parameters.isEmpty ? members : members + [unnamed]
  }

  private static func pair(_ text: String) -> (String, String)? {
    guard !text.hasPrefix("\""), let mark = text.firstIndex(of: "=") else { return nil }
    return (text[..<mark].lowercased(), String(text[text.index(after: mark)...]))
  }

  /// Splits a text at a mark outside of quotes, and removes blanks.
  private static func split(_ text: String, at mark: UInt8) -> [String] {
    var pieces: [[UInt8]] = [[]]
    var isQuoted = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == mark, !isQuoted {
        pieces.append([])
      } else if isQuoted || byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") {
        pieces[pieces.count - 1].append(byte)
      }
    }
    return pieces.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
  }
}
