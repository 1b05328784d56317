// Lookup of the recorded answer to a request.

import JSONText

/// Recorded answers by request; a lookup takes the same time for any number of answers.
struct ReplayIndex: Sendable {
  /// All answers to one method and URL.
  fileprivate struct Group: Sendable {
    let method: String
    let url: ReplayURL
    /// URL as in the file, for messages.
    let redacted: String
    var queues: [Queue] = []
    var queueOfBody: [String: Int] = [:]
    /// Name of the header field whose cursor follows the body in a queue's text, after a zero byte.
    var cursorField: String?
  }

  /// The answers to one request, in order.
  fileprivate struct Queue: Sendable {
    let body: String
    var answers: [Int] = []
    var completed = 0

    /// Returns the next answer, without each 401 that is followed by another answer.
    ///
    /// The recorded run renewed its token after such a 401. A replay has no token. It may also send equal requests in
    /// another order, and must not take the 401s of two requests for the refusal of one.
    mutating func next(of recorded: [HARAnswer]) -> Int {
      let wanted =
        answers.indices[completed...].first { index in
          guard recorded[answers[index]].isRefusal, index + 1 < answers.count else { return true }
          return recorded[answers[index + 1]].isCancelled
        } ?? completed
      completed = wanted + 1
      return answers[wanted]
    }
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
  /// - Parameter cursor: the header field that differs from page to page, and its value; nil if no field does.
  mutating func take(
    method: String, url: String, body: String?, cursor: (name: String, value: String)? = nil
  ) -> Finding {
    let wanted = ReplayURL(url)
    let body = Self.canonical(body)
    let candidates = groups(method: method, url: wanted)
    var finding: Finding?
    for index in candidates {
      if let cursor { groups[index].split(by: cursor.name, answers) }
      let next = groups[index].take(body: body, cursor: cursor?.value, of: answers)
      guard case .found(let number) = next else {
        finding = finding ?? next
        continue
      }
      // A renewed token in the URL makes another group.
      guard answers[number].isRefusal else { return next }
      finding = next
    }
    return finding ?? .missing(nearest: nearest(to: wanted, method: method))
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
      queues.append(ReplayIndex.Queue(body: body))
      queueOfBody[body] = index
    }
    queues[index].answers.append(answer)
  }

  /// Divides the answers that are left by the cursors of their requests, which a header field carries.
  mutating func split(by name: String, _ recorded: [HARAnswer]) {
    guard cursorField != name else { return }
    cursorField = name
    let whole = queues
    (queues, queueOfBody) = ([], [:])
    for queue in whole {
      for answer in queue.answers.dropFirst(queue.completed) {
        let field = recorded[answer].requestFields?.elements.first { $0["name"]?.string?.lowercased() == name.lowercased() }
        add(answer, body: queue.body + "\0" + (field?["value"]?.string ?? ""))
      }
    }
  }

  mutating func take(body: String, cursor: String?, of recorded: [HARAnswer]) -> ReplayIndex.Finding {
    let wanted = cursor.map { body + "\0" + $0 } ?? body
    guard let index = queueOfBody[wanted] ?? maskedQueue(wanted) else {
      let bodies = queues.map { $0.body.prefix { $0 != "\0" } }
      if let cursorField, bodies.contains(body[...]) { return .otherCursor(cursorField) }
      return .otherBody(bodies.first.map { String($0) } ?? "")
    }
    let queue = queues[index]
    guard queue.completed < queue.answers.count else { return .exhausted(queue.answers.count) }
    return .found(queues[index].next(of: recorded))
  }

  private func maskedQueue(_ body: String) -> Int? {
    guard body.contains("***") else { return nil }
    let matching = queues.indices.filter { queues[$0].body.matches(masked: body) }
    return matching.first { queues[$0].completed < queues[$0].answers.count } ?? matching.first
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
