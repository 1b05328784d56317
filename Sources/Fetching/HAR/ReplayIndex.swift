// Lookup of the recorded answer to a request.

import JSONText
import Primitives

/// Recorded answers by request; a lookup takes the same time for any number of answers.
struct ReplayIndex: Sendable {
  /// All answers to one method and URL.
  fileprivate struct Group: Sendable {
    let method: String
    let url: ReplayURL
    /// URL as in the file, for messages.
    let redacted: String
    var queues: [ReplayQueue] = []
    var queueOfBody: [String: Int] = [:]
    /// Name of the header field whose cursor follows the body in a queue's text, after a zero byte.
    var cursorField: String?
  }

  private struct Key: Hashable {
    let method: String
    let url: String
  }

  /// The result of a lookup.
  enum Finding: Equatable {
    /// The number of the answer.
    case found(Int)
    /// All recorded answers, as many as this, were completed.
    case exhausted(Int)
    /// The URL was recorded only with other bodies, such as this one (empty for none).
    case otherBody(String)
    /// The URL and the body were recorded only with other cursors in this header field.
    case otherCursor(String)
    /// The request was not recorded; the nearest one is completed if it was searched for.
    case missing(nearest: String?)
  }

  private var groups: [Group] = []
  private let answers: [HARAnswer]
  private var groupOfKey: [Key: Int] = [:]
  /// Groups by their keys without masked parts, by the numbers of these parts; built at the first lookup with `***`.
  private var groupsWithoutParts: [[Int]: [Key: [Int]]] = [:]
  /// Number of further searches for the nearest request.
  private var searchesLeft = 100

  /// Indexes the answers.
  ///
  /// An answer that was cancelled during the recording had no effect on that run. It comes after all other answers to
  /// the same request, since a replay may ask in another order or more often.
  init(_ answers: [HARAnswer]) {
    let (completed, cancelled) = (
      answers.indices.filter { !answers[$0].isCancelled }, answers.indices.filter { answers[$0].isCancelled }
    )
    self.answers = answers
    for number in completed + cancelled {
      let answer = answers[number]
      let url = ReplayURL(answer.url)
      let key = Key(method: answer.method, url: url.key)
      let index = groupOfKey[key] ?? groups.count
      if index == groups.count {
        groups.append(Group(method: answer.method, url: url, redacted: answer.url))
        groupOfKey[key] = index
      }
      groups[index].add(number, body: Self.canonical(answer.requestBody))
    }
  }

  /// Returns the next answer to a request.
  ///
  /// A `***` in the request matches any text in the recording. A variable of the environment is `***` in a replay,
  /// although the recording may have its default.
  ///
  /// - Parameters:
  ///   - cursor: the header field that differs from page to page, and its value; nil if no field does.
  ///   - caller: the sender, whose own answers come before those to others. If the recording has none of its own left,
  ///     the spec may have changed since, and the answers to all callers are given in order.
  mutating func take(
    method: String, url: String, body: String?, cursor: (name: String, value: String)? = nil, by caller: ReplayCaller
  ) -> Finding {
    let wanted = ReplayURL(url)
    let body = Self.canonical(body)
    let candidates = groups(method: method, url: wanted)
    if let cursor {
      for index in candidates { groups[index].split(by: cursor.name, answers) }
    }
    return take(from: candidates, body: body, cursor: cursor?.value, by: caller)
      ?? take(from: candidates, body: body, cursor: cursor?.value, by: nil)
      ?? firstPage(at: wanted, method: method, body: body)
      ?? .missing(nearest: nearest(to: wanted, method: method))
  }

  /// Returns the answer to the only recorded request that has the first number of a page beside all of this one's items.
  ///
  /// A pager that is chosen during the run (`pages: auto`) adds no item to its first request. The answer stays for the
  /// request with the number.
  private func firstPage(at url: ReplayURL, method: String, body: String) -> Finding? {
    let fitting = groups.indices.filter {
      groups[$0].method == method && groups[$0].url.isFirstPage(of: url) && groups[$0].queueOfBody[body] != nil
    }
    guard fitting.count == 1, let queue = groups[fitting[0]].queueOfBody[body] else { return nil }
    return groups[fitting[0]].queues[queue].answers.first { !answers[$0].isRefusal }.map { .found($0) }
  }

  private mutating func take(
    from candidates: [Int], body: String, cursor: String?, by caller: ReplayCaller?
  ) -> Finding? {
    var finding: Finding?
    for index in candidates {
      guard let next = groups[index].take(body: body, cursor: cursor, by: caller, of: answers) else { continue }
      guard case .found(let number) = next else {
        finding = finding ?? next
        continue
      }
      // A renewed token in the URL makes another group.
      guard answers[number].isRefusal else { return next }
      finding = next
    }
    return finding
  }

  /// Returns a form of the body for comparing; JSON loses its white space.
  private static func canonical(_ body: String?) -> String {
    guard let body, !body.isEmpty else { return "" }
    return (try? JSONValue(parsing: Array(body.utf8)))?.text ?? body
  }
}

extension ReplayIndex.Group {
  mutating func add(_ answer: Int, body: String) {
    let index = queueOfBody[body] ?? queues.count
    if index == queues.count {
      queues.append(ReplayQueue(body: body))
      queueOfBody[body] = index
    }
    queues[index].append(answer)
  }

  /// Divides the answers that are left by the cursors of their requests, which a header field carries.
  mutating func split(by name: String, _ recorded: [HARAnswer]) {
    guard cursorField != name else { return }
    cursorField = name
    let whole = queues
    (queues, queueOfBody) = ([], [:])
    for queue in whole {
      for answer in queue.rest {
        let fields = recorded[answer].requestFields?.elements
        let field = fields?.first { $0["name"]?.string?.lowercased() == name.lowercased() }
        add(answer, body: queue.body + "\0" + (field?["value"]?.string ?? ""))
      }
    }
  }

  /// Returns the next answer to a caller, or to any caller; nil if the group has none left to this caller.
  mutating func take(
    body: String, cursor: String?, by caller: ReplayCaller?, of recorded: [HARAnswer]
  ) -> ReplayIndex.Finding? {
    let matching = queues(matching: cursor.map { body + "\0" + $0 } ?? body)
    for index in matching {
      if let number = queues[index].next(for: caller, of: recorded) { return .found(number) }
    }
    if caller != nil { return nil }
    if let index = matching.first { return .exhausted(queues[index].answers.count) }
    let bodies = queues.map { $0.body.prefix { $0 != "\0" } }
    if let cursorField, bodies.contains(body[...]) { return .otherCursor(cursorField) }
    return .otherBody(bodies.first.map { String($0) } ?? "")
  }

  private func queues(matching body: String) -> [Int] {
    if let index = queueOfBody[body] { return [index] }
    return body.contains("***") ? queues.indices.filter { queues[$0].body.matches(masked: body) } : []
  }
}

extension ReplayIndex {
  private mutating func groups(method: String, url: ReplayURL) -> [Int] {
    if let exact = groupOfKey[Key(method: method, url: url.key)] { return [exact] }
    let masked = url.maskedParts
    guard let key = url.key(without: masked) else { return [] }
    let found = groups(withoutParts: masked)[Key(method: method, url: key)] ?? []
    return found.filter { url.covers(groups[$0].url) }
  }

  private mutating func groups(withoutParts masked: [Int]) -> [Key: [Int]] {
    if let made = groupsWithoutParts[masked] { return made }
    var made: [Key: [Int]] = [:]
    for (index, group) in groups.enumerated() {
      guard let key = group.url.key(without: masked) else { continue }
      made[Key(method: group.method, url: key), default: []].append(index)
    }
    groupsWithoutParts[masked] = made
    return made
  }

  /// Returns the recorded request with the most query items in common, in any order, then with the nearest path.
  ///
  /// After some searches it returns nil, since each looks at every request, and a replay may lack thousands of answers.
  private mutating func nearest(to url: ReplayURL, method: String) -> String? {
    guard searchesLeft > 0 else { return nil }
    searchesLeft -= 1
    let wanted = ReplayURLParts(url)
    let differences = groups.map { wanted.difference(from: ReplayURLParts($0.url), hasSameMethod: $0.method == method) }
    let nearest = groups.indices.min { differences[$0].lexicographicallyPrecedes(differences[$1]) }
    return nearest.map { "\(groups[$0].method) \(groups[$0].redacted)" }
  }
}

/// A URL that is compared part by part.
private struct ReplayURLParts {
  private let path: [UInt8]
  private let items: [String: Int]
  private let key: [UInt8]

  init(_ url: ReplayURL) {
    path = Array(url.parts.filter { $0.first != "&" }.joined().utf8)
    items = Dictionary(url.parts.filter { $0.first == "&" }.map { ($0, 1) }, uniquingKeysWith: +)
    key = Array(url.key.utf8)
  }

  /// Returns numbers of which the first that differs decides; less is nearer.
  func difference(from other: ReplayURLParts, hasSameMethod: Bool) -> [Int] {
    let common = items.reduce(0) { $0 + min($1.value, other.items[$1.key] ?? 0) }
    let spelling = Self.difference(key, other.key)
    return [
      -common, Self.difference(path, other.path).length, hasSameMethod ? 0 : 1,
      other.items.values.reduce(0, +) - common, spelling.length, -spelling.prefix,
    ]
  }

  /// Returns the length of the part that differs, and the length of the common start.
  private static func difference(_ key: [UInt8], _ other: [UInt8]) -> (length: Int, prefix: Int) {
    let most = min(key.count, other.count)
    var (prefix, suffix) = (0, 0)
    while prefix < most, key[prefix] == other[prefix] { prefix += 1 }
    while suffix < most - prefix, key[key.count - suffix - 1] == other[other.count - suffix - 1] { suffix += 1 }
    return (max(key.count, other.count) - prefix - suffix, prefix)
  }
}

// MARK: URLs in the form that a replay compares: all spellings of a request have one key

/// A URL that is split and normalised for comparing (RFC 3986 §6.2.2), never for sending.
///
/// Percent-encoding is undone where that can't change the URL's meaning. Browsers leave `/` in a query unencoded and
/// write `+` for a blank, where others write `%2F` and `%20`. The fragment is not part of a request.
struct ReplayURL: Hashable, Sendable {
  /// Scheme and authority, then each path segment, then each query item, with the delimiter before it.
  let parts: [String]

  init(_ url: String) {
    let split = URLParts(url)
    var parts = [Self.origin(url[..<split.path.startIndex])]
    let path = split.path.first == "/" ? split.path.dropFirst() : split.path
    parts += path.split(separator: "/", omittingEmptySubsequences: false).map {
      "/" + Self.normalised($0, keeping: Self.pathDelimiters)
    }
    parts += split.items.map {
      "&" + Self.normalised($0.text, keeping: Self.queryDelimiters, blank: UInt8(ascii: "+"))
    }
    self.parts = parts
  }

  /// The URL in its normalised spelling, for keys and for sorting.
  var key: String { parts.joined() }

  /// Indices of the parts in which `***` stands for an unknown value.
  var maskedParts: [Int] { parts.indices.filter { parts[$0].contains("***") } }

  /// Returns the key without the values of some parts, equal for URLs that differ only there.
  func key(without masked: [Int]) -> String? {
    guard let last = masked.last, last < parts.count else { return nil }
    var parts = parts
    for index in masked {
      let name = parts[index].first == "&" ? parts[index].prefix { $0 != "=" } : "/"
      parts[index] = name + "***"
    }
    return parts.joined()
  }

  /// Reports that this URL has one item more than the other one, which is the number of a first page.
  func isFirstPage(of other: ReplayURL) -> Bool {
    guard parts.count == other.parts.count + 1 else { return false }
    let index = zip(parts, other.parts).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? other.parts.count
    let item = parts[index].split(separator: "=", maxSplits: 1)
    guard parts[index].first == "&", item.count == 2, ["0", "1"].contains(item[1]),
      parts[(index + 1)...].elementsEqual(other.parts[index...])
    else { return false }
    let name = item[0].lowercased().filter(\.isLetter)
    return ["page", "offset", "start", "skip", "from"].contains { name.hasPrefix($0) || name.hasSuffix($0) }
  }

  /// Reports that this URL matches the other one if `***` stands for anything.
  func covers(_ other: ReplayURL) -> Bool {
    parts.count == other.parts.count && zip(parts, other.parts).allSatisfy { $1.matches(masked: $0) }
  }
}

extension String {
  /// Reports that this text is the pattern with something in place of each `***`.
  func matches(masked pattern: String) -> Bool {
    let pieces = pattern.split(separator: "***", omittingEmptySubsequences: false)
    guard pieces.count > 1, let first = pieces.first, let last = pieces.last else { return self == pattern }
    guard hasPrefix(first), hasSuffix(last), utf8.count >= first.utf8.count + last.utf8.count else { return false }
    var rest = dropFirst(first.count).dropLast(last.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}

extension ReplayURL {
  /// Returns the text with percent-encoding undone and `+` as a blank; unchanged if the result is not UTF-8.
  static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte == UInt8(ascii: "%") ? triplet(&rest) : byte)
    }
    return String(validating: bytes, as: UTF8.self) ?? String(text)
  }

  private static func origin(_ text: Substring) -> String {
    let text = text.lowercased()
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where text.hasPrefix(scheme) {
      return text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
    }
    return text
  }

  /// Decodes printable ASCII except `keeping`, and encodes the rest with upper-case digits.
  private static func normalised(_ text: Substring, keeping kept: [UInt8], blank: UInt8 = 32) -> String {
    var result: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let isEncoded = byte == UInt8(ascii: "%") && hasTriplet(rest)
      let value = isEncoded ? triplet(&rest) : byte
      if value == 32 {
        result.append(blank)
      } else if !(32...126).contains(value) || isEncoded && kept.contains(value) {
        result += [UInt8(ascii: "%"), hexDigits[Int(value >> 4)], hexDigits[Int(value & 15)]]
      } else {
        result.append(value)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Characters that have another meaning when they are encoded.
  private static let pathDelimiters = Array("/?#[]%&=+;".utf8)
  private static let queryDelimiters = Array("#%&=+;".utf8)
  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func hasTriplet(_ rest: Substring.UTF8View) -> Bool {
    rest.prefix(2).compactMap(\.hexValue).count == 2
  }

  /// Returns the byte that the digits after a `%` encode; `%` itself if there are no two digits.
  private static func triplet(_ rest: inout Substring.UTF8View) -> UInt8 {
    let digits = rest.prefix(2).compactMap(\.hexValue)
    guard digits.count == 2 else { return UInt8(ascii: "%") }
    rest = rest.dropFirst(2)
    return digits[0] << 4 | digits[1]
  }
}
