// The headers that say when to send the next request: `Retry-After`, and those of rate limits.
//
// `Retry-After` is RFC 9110 §10.2.3. `RateLimit` and `RateLimit-Policy` are an IETF draft
// (draft-ietf-httpapi-ratelimit-headers) in two spellings. Older versions say `limit=100, remaining=0, reset=50`, newer
// ones `"default";r=0;t=50`. `RateLimit-Remaining` and the many `X-RateLimit-…` are older than the draft.

import JSONText
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

  /// Reads a response.
  ///
  /// - Parameter asked: wait that the body asks for, which counts if no header does.
  init(_ head: ReplyHead, asked: Duration? = nil, now: Double) {
    // Most responses have none of the names. Those of a vendor begin in any way, and matter after a refusal.
    let isRefusal = head.status >= 400
    if isRefusal || Self.signs.contains(where: head.fields.hasName) {
      read(head.fields, readsVendors: isRefusal, now: now)
    }
    retryAfter = retryAfter ?? asked
  }

  private mutating func read(_ fields: HTTPFields, readsVendors: Bool, now: Double) {
    let date = fields["Date"].flatMap { HTTPDate.seconds(of: $0, now: now) } ?? now
    retryAfter = fields["Retry-After"].flatMap { Self.retryAfter($0, date) }
    let policies = Self.members(of: fields.values(of: "RateLimit-Policy"))
    for member in Self.members(of: fields.values(of: "RateLimit")) {
      let window = policies.first { $0.name == member.name }?.parameters["w"]
      record(remaining: member.parameters["r"], reset: member.parameters["t"] ?? window, date)
    }
    for prefix in ["RateLimit", "X-RateLimit", "X-Rate-Limit"] {
      record(remaining: fields["\(prefix)-Remaining"], reset: fields["\(prefix)-Reset"], date)
    }
    if readsVendors { readVendors(fields, date) }
  }

  /// Reads other names of the same: `X-Retry-After`, `Retry-After-Ms`, `X-RateLimit-Reset-After`,
  /// `x-ratelimit-reset-requests`, `anthropic-ratelimit-tokens-reset`.
  private mutating func readVendors(_ fields: HTTPFields, _ date: Double) {
    for field in fields.all {
      let name = field.name.lowercased()
      if Self.ownNames.contains(name) { continue }
      if name.contains("retry-after") {
        retryAfter = retryAfter ?? Self.time(field.value.text, of: name, date)
      } else if name.contains("ratelimit") || name.contains("rate-limit"), let reset = name.firstRange(of: "reset") {
        var (start, end) = (name[..<reset.lowerBound], name[reset.upperBound...])
        for unit in Self.units where end == unit || end.hasPrefix("\(unit)-") { end = end.dropFirst(unit.count) }
        if end.isEmpty, start.hasSuffix("-") { start = start.dropLast() }
        let remaining = end.isEmpty ? "\(start)-remaining" : "\(start)remaining\(end)"
        record(remaining: fields[remaining], time: Self.time(field.value.text, of: name, date))
      }
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

  private mutating func record(remaining: String?, reset: String?, _ date: Double) {
    record(remaining: remaining, time: reset.flatMap { Self.reset($0, date) })
  }

  private mutating func record(remaining: String?, time: Duration?) {
    // Some servers send a negative number for "no limit".
    let rest = remaining.flatMap { Double($0) }.flatMap { $0 < 0 ? nil : $0 }
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
  /// Names that are read by themselves, in lower case.
  private static let ownNames: Set = ["retry-after", "ratelimit-reset", "x-ratelimit-reset", "x-rate-limit-reset"]
  /// What may follow `reset` in a name and says what kind of time it is.
  private static let units = ["-after", "-time", "-timestamp", "-at", "-in", "-seconds", "-ms", "-milliseconds"]

  /// Prefixes of all header names that are read of a success; most responses have none of them.
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
    guard let number = seconds(text) else {
      return (HARTime.seconds(of: text) ?? HTTPDate.seconds(of: text, now: date)).map { duration($0 - date) }
        ?? writtenDuration(text)
    }
    switch number {
    case ..<1e9: return duration(number)
    case ..<1e11: return duration(number - date)
    default: return duration(number / 1_000 - date)
    }
  }

  /// Parses the time of a name that may name milliseconds.
  private static func time(_ text: String, of name: String, _ date: Double) -> Duration? {
    guard name.hasSuffix("-ms") || name.hasSuffix("-milliseconds"), let number = seconds(text), number < 1e11 else {
      return reset(text, date)
    }
    return duration(number / 1_000)
  }

  /// Parses a time with units, as Go writes it: `1m30s`, `6m0s`, `120ms`, `1.5s`.
  private static func writtenDuration(_ text: String) -> Duration? {
    let units = ["ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400]
    var (sum, rest) = (0.0, text[...])
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isNumber || $0 == "." }
      let unit = rest[digits.endIndex...].prefix { $0.isLetter }
      guard let number = seconds(String(digits)), let scale = units[unit.lowercased()] else { return nil }
      sum += number * scale
      rest = rest[unit.endIndex...]
    }
    return text.isEmpty ? nil : duration(sum)
  }

  /// Members of a body that say when to try again, in lower case without separators, and their units in seconds.
  private static let members = [
    "retryafter": 1, "retryafterseconds": 1, "retryafterms": 0.001, "retryaftermilliseconds": 0.001, "retrydelay": 1,
  ]
  /// Google's delay is four steps deep: `/error/details/0/retryDelay`.
  private static let mostDepth = 4

  /// Finds the time in a body: `retry_after`, `parameters.retry_after`, `error.details[].retryDelay` ("34s").
  static func wait(askedBy body: JSONValue, now: Double, depth: Int = 0) -> Duration? {
    guard depth <= mostDepth else { return nil }
    if body.kind == .array {
      return body.elements.prefix(16).lazy.compactMap { wait(askedBy: $0, now: now, depth: depth + 1) }.first
    }
    guard body.kind == .object else { return nil }
    for member in body.members {
      let name = member.name.lowercased().filter { $0 != "_" && $0 != "-" }
      if let unit = members[name], member.value.kind == .number || member.value.kind == .string {
        guard let time = reset(member.value.string ?? member.value.text, now) else { continue }
        return time * unit
      }
      if let time = wait(askedBy: member.value, now: now, depth: depth + 1) { return time }
    }
    return nil
  }

  private static func seconds(_ text: String) -> Double? {
    guard text.utf8.first.map({ $0.isDigit }) == true,
      text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") })
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
