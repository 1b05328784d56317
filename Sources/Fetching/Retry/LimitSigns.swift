// What a response says about when to ask again: `Retry-After`, and the headers of rate limits.
//
// `Retry-After` is RFC 9110 §10.2.3. `RateLimit` and `RateLimit-Policy` are an IETF draft
// (draft-ietf-httpapi-ratelimit-headers) in two spellings: `limit=100, remaining=0, reset=50` of the older versions, and
// `"default";r=0;t=50` of the newer. `RateLimit-Remaining` and the many `X-RateLimit-…` come from before it.

import Primitives
import Wire

/// The signs of one response. Times are counted from the response's own `Date`, if it has one: whose clock is right does
/// not matter then.
struct LimitSigns: Equatable {
  /// How long `Retry-After` says to wait.
  private(set) var retryAfter: Duration?
  /// When every limit of which nothing remains begins anew; nil when nothing says that nothing remains, or until when.
  private(set) var exhaustedFor: Duration?
  /// Whether some limit says that nothing remains of it.
  private(set) var isExhausted = false
  /// Whether some limit says that something remains of it.
  private var hasMore = false
  /// The soonest that any other limit begins anew.
  private var otherReset: Duration?

  /// A minute: what to wait for a limit that does not say how long (GitHub's "secondary" ones).
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

  /// How long the server says to wait after that status, if it says so. `Retry-After` counts with any; the other headers
  /// only where the status is about a limit.
  func wait(isLimit: Bool) -> Duration? {
    if let retryAfter { return retryAfter }
    guard isLimit else { return nil }
    if isExhausted { return exhaustedFor }
    // Something remains, so that it is another limit that was met: its end is not told. Don't wait an hour for this one.
    return otherReset.map { hasMore ? min($0, Self.minute) : $0 }
  }

  /// How long nothing will be there, if nothing remains: `Retry-After` is the server's own word for it.
  var pause: Duration? { isExhausted ? retryAfter ?? exhaustedFor : nil }

  private mutating func note(remaining: String?, reset: String?, _ date: Double) {
    // Less than nothing is how some say that there is no limit.
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
  /// How the names begin of all fields that are looked at: most responses have none of them.
  private static let signs = ["Retry-After", "RateLimit", "X-RateLimit", "X-Rate-Limit"]

  /// Seconds (also with a fraction, which some send), or a date.
  private static func retryAfter(_ text: String, _ date: Double) -> Duration? {
    if let seconds = seconds(text) { return duration(seconds) }
    return HTTPDate.seconds(of: text, now: date).map { duration($0 - date) }
  }

  /// Seconds from now, Unix seconds, or Unix milliseconds: by their size. A billion seconds are 30 years. Mastodon writes
  /// a time of RFC 3339.
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

  /// What has passed is now; more than three hundred years is no time anybody waits for.
  private static func duration(_ seconds: Double) -> Duration {
    .milliseconds(Int64((max(0, min(seconds, 1e10)) * 1_000).rounded()))
  }

  /// A limit or a policy by its name, with its parameters.
  private struct Member {
    var name = ""
    var parameters: [String: String] = [:]
  }

  /// The members of a structured field (RFC 9651), as far as limits need it: `"a";r=0;t=5, "b";r=9`, and the older
  /// `limit=10, remaining=0, reset=5`, which is one limit without a name.
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

  /// Pieces between marks that stand outside of quotes, without blanks around them.
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
