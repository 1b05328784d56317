// What to write for a name that is no key where it stands, and for a value of another shape.

internal import Diagnostics
internal import JSONText
import YAMLText

extension NodeDecoder {
  typealias Remedy = (message: String, advice: String?)

  /// Returns the message for a name that is a key in another map, or that asks for something that no key does.
  mutating func remedy(for entry: Node.Entry, among names: [String]) -> Remedy? {
    let value = shownSource.hides(entry.value.range) ? "…" : sourceText(of: entry.value)
    let plain = BorrowedName.plain(entry.key)
    let unknown = "unknown key '\(entry.key.printable)'"
    let isOfJob = names.contains("contentIdentifier")
    if isOfJob || names.contains("number"), Self.sizes.contains(plain) {
      let item = "an item of the request stands in 'query': 'query: { \(entry.key.printable): \(value) }'"
      return (unknown, plain == "limit" ? "\(item); 'maxPages' is for at most so many pages" : item)
    }
    guard isOfJob else {
      if names.contains("number"), Sign.ignorable.contains(where: { $0.rawValue == entry.key }) {
        return (unknown, "write 'ignore: \(entry.key)' in the step, beside 'pages'")
      }
      // A member's tests have names of data.
      guard !names.contains("above"), SpecKeys.job.contains(where: { $0.name == entry.key }),
        nearest(to: entry.key, in: names) == nil
      else { return nil }
      return ("'\(entry.key)' stands in the step", "write '\(entry.key): \(value)' in the step itself")
    }
    if let home = Self.home(of: plain) {
      return ("'\(entry.key.printable)' stands in '\(home.map)'", "write '\(home.map): { \(home.key): \(value) }'")
    }
    return Self.otherWishes.first { $0.names.contains(plain) }.map { wish in
      (unknown, wish.advice.replacing("VALUE", with: value))
    }
  }

  /// Returns the map of a job in which a key stands, and the key as it is written there.
  private static func home(of plain: String) -> (map: String, key: String)? {
    for (map, keys) in homes {
      if let key = keys.first(where: { BorrowedName.plain($0.name) == plain }) { return (map, key.name) }
    }
    return nil
  }

  private static let homes: [(map: String, keys: [KeyEntry])] = [
    ("auth", SpecKeys.auth), ("pages", SpecKeys.pages.filter { $0.name != "from" }), ("retry", SpecKeys.retry),
    ("incremental", SpecKeys.incremental), ("decode", SpecKeys.decode),
  ]

  /// Names of items that say how many records a page has.
  private static let sizes: Set = [
    "pagesize", "perpage", "limit", "size", "pagelimit", "maxresults", "resultsperpage", "itemsperpage", "top",
  ]

  /// Names for what no key does, and the advice.
  private static let otherWishes: [(names: Set<String>, advice: String)] = [
    (
      ["output", "outputfile", "outfile", "out", "destination", "target", "sink"],
      "the command line names the file: 'pagecat run SPEC -o VALUE'"
    ),
    (
      ["if", "condition", "onlyif", "unless"],
      "'where: VALUE' keeps fetched records; 'when: VALUE' makes requests only for such input records"
    ),
    (
      ["resources"],
      "write 'streams: { NAME: { endpoint: … } }', with the keys that they share beside it"
    ),
    (["of"], "it stands in a stream: 'streams: { NAME: { of: OTHER, endpoint: … } }'"),
    (
      ["explode", "unnest"],
      "the members of an object become the record's own by 'flatten: address', one of them by 'set': 'set: { city: \"${record.address.city}\" }'"
    ),
    (
      ["apikey", "apitoken", "accesstoken", "secret"],
      "credentials stand in 'auth': 'auth: { headers: { X-Api-Key: \"${env.API_KEY}\" } }'"
    ),
    (
      ["timezone", "tz", "zone"],
      "leave it out: 'now', 'today' and spans are in UTC; a shift gives other times: '${now-2h}'"
    ),
  ]

  /// Refuses `type: cursor` in a map whose keys are the kinds; reports that it did.
  ///
  /// - Parameter example: what to write for a kind.
  mutating func refusesType(in node: Node, kinds: [String], example: (_ kind: String) -> String) -> Bool {
    let entries = entries(of: node) ?? []
    guard let type = entries.first(where: { ["type", "kind", "strategy", "style"].contains($0.key.lowercased()) }),
      case .string(let word) = type.value.content
    else { return false }
    let kind = BorrowedName.key(for: word, among: kinds) ?? nearest(to: word.lowercased(), in: kinds) ?? kinds[0]
    refuse("the kind is the key, and no value of '\(type.key)'", at: type.keyRange, advice: "write '\(example(kind))'")
    return true
  }

  /// Returns the map that a text or a list probably means: `{ a: 1 }` for `a=1` and for a list of `a: 1`.
  mutating func likelyMap(_ node: Node) -> String? {
    guard !shownSource.hides(node.range) else { return nil }
    var entries: [String] = []
    switch node.content {
    case .list(let nodes):
      for node in nodes {
        guard case .map(let inner) = node.content else { return nil }
        entries += inner.map { "\($0.key.printable): \(sourceText(of: $0.value))" }
      }
    case .string(let text) where text.contains("=") && !text.contains(" "):
      for item in text.split(separator: "&") {
        let pair = item.split(separator: "=", maxSplits: 1)
        guard pair.count == 2 else { return nil }
        entries.append("\(pair[0].description.printable): \(pair[1].description.printable)")
      }
    case .string(let text) where text.contains(": ") && !text.contains { ",{}[]\n".contains($0) }:
      entries = [text.printable]
    default: return nil
    }
    return entries.isEmpty || entries.count > 4 ? nil : "{ \(entries.joined(separator: ", ")) }"
  }
}

// MARK: Names of the spec's keys and words in other tools

package enum BorrowedName {
  /// Returns the key that another tool's name stands for, if that key is among `names`.
  static func key(for name: String, among names: [String]) -> String? {
    table[plain(name)]?.split(separator: " ").map(String.init).first { names.contains($0) }
  }

  /// Returns the word that another tool's word stands for, if it is among `words`.
  static func word(for name: String, among words: [String]) -> String? {
    otherWords[plain(name)].flatMap { words.contains($0) ? $0 : nil }
  }

  /// Returns a name in lower case, with only letters and digits.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  /// Keys by other tools' names, in lower case with only letters.
  ///
  /// Of several keys, the first that may stand at the place counts.
  package static let table: [String: String] = [
    "url": "endpoint tokenUrl", "uri": "endpoint tokenUrl", "href": "endpoint", "path": "endpoint", "baseurl": "base",
    "urlbase": "base", "host": "base", "verb": "method", "httpmethod": "method", "header": "headers",
    "querystring": "query", "args": "query", "queryparams": "query", "data": "body form", "json": "body",
    "payload": "body", "requestbody": "body", "formdata": "form", "token": "auth bearer cursor", "user": "auth",
    "username": "user auth", "password": "auth", "authentication": "auth", "authorization": "auth",
    "authenticator": "auth", "credentials": "auth", "clientid": "clientId", "clientsecret": "clientSecret",
    "tokenendpoint": "tokenUrl", "refreshtoken": "refreshToken", "tokenurl": "tokenUrl", "oauth": "oauth2 auth",
    "pagination": "pages", "paging": "pages", "paginator": "pages", "paginate": "pages", "select": "contentIdentifier",
    "jsonpath": "contentIdentifier", "jq": "contentIdentifier", "root": "contentIdentifier",
    "records": "contentIdentifier", "items": "contentIdentifier", "recordselector": "contentIdentifier",
    "dataselector": "contentIdentifier", "recordpath": "contentIdentifier", "content": "contentIdentifier",
    "format": "read", "filter": "where", "filters": "where", "retries": "retry", "maxretries": "attempts retry",
    "maxtime": "within", "timeoutafter": "within", "backoff": "wait retry", "retrystrategy": "retry", "jobs": "steps",
    "stages": "steps", "tasks": "steps", "requests": "steps", "pipeline": "steps", "ratelimit": "rate",
    "throttle": "rate", "fields": "model", "schema": "model",
    "parameters": "params", "variables": "params", "vars": "params", "inputs": "params", "workers": "concurrency",
    "parallel": "concurrency", "threads": "concurrency", "primarykey": "unique", "dedupe": "unique", "dedup": "unique",
    "deduplicate": "unique", "distinct": "unique", "cursorfield": "mark",
    // In 'pages'.
    "page": "number", "pagenumber": "number", "pageparam": "number", "skip": "offset", "total": "totalRecords",
    "totalcount": "totalRecords", "pages": "totalPages", "pagecount": "totalPages", "max": "maxPages attempts",
    "hasmore": "more", "hasnext": "more", "nexturl": "next", "nextlink": "next", "nextpage": "next",
    "nextcursor": "from", "nexttoken": "from", "nextpagetoken": "from", "pagetoken": "cursor", "cursorpath": "from",
    "stop": "until to", "stopwhen": "until",
    // In spans.
    "start": "from", "begin": "from", "startdate": "from", "end": "to", "enddate": "to", "until": "to",
    "interval": "step every",
    // In conditions.
    "gt": "above", "gte": "above", "greaterthan": "above", "min": "above", "after": "above", "lt": "below",
    "lte": "below", "lessthan": "below", "before": "below", "contains": "has", "includes": "has", "like": "has",
    "ne": "not", "neq": "not",
  ]

  /// Words by other tools' words.
  private static let otherWords = [
    "continue": "skip", "ignore": "skip", "pass": "skip", "fail": "stop", "raise": "stop", "abort": "stop",
    "camel": "camelCase", "snake": "snake_case", "gz": "gzip",
  ]
}

// MARK: Keys that people guess, and the lines to write in their place

/// Guessed keys, by the map in which they stand: each says what is wrong, and what to write.
enum GuessedKeys {
  typealias Remedy = @Sendable (_ value: String) -> (message: String, advice: String?)

  static let auth: [String: Remedy] = [
    "header": { value in
      let isMap = value == "…" || value.hasPrefix("{")
      return ("'header' is called 'headers'", "write 'headers: \(isMap ? "…" : "{ NAME: \"${env.KEY}\" }")'")
    },
    "apikey": { _ in
      (
        "'auth' has no key for API keys",
        "write 'headers: { X-Api-Key: \"${env.API_KEY}\" }', or 'query: { api_key: \"${env.API_KEY}\" }'"
      )
    },
  ]
  static let retry: [String: Remedy] = [
    "statuses": { value in
      (
        "'retry' has no key 'statuses'",
        "write 'when: \(value)': what is retried by itself (408, 425, 429, 500, 502, 503, 504, 522, 524) stays so"
      )
    }
  ]

  static let pages: [String: Remedy] = [
    "limit": { value in
      let number = value.filter { $0 != "\"" && $0 != "'" }
      return (
        "'pages' has no key 'limit'",
        number == "1"
          ? "write 'maxPages: 1' in the step; where one page is all there is, 'pages: one'"
          : "write 'maxPages: \(number)' in the step, beside 'pages'"
      )
    },
    "start": { value in
      (
        "'pages' has no key 'start'",
        "give the item its first value in the request, such as 'query: { page: \(value) }'"
      )
    },
    "in": { value in
      ("'in' stands in 'link'", "write 'link: { in: \(value), rel: next }'")
    },
    "done": { value in
      let condition = NodeDecoder.likelyCondition(value.filter { $0 != "\"" }) ?? "body.done"
      return ("'pages' has no key 'done'", "write 'until: \(condition)'")
    },
    "maxpages": { value in ("'maxPages' stands in the step", "write 'maxPages: \(value)' beside 'pages'") },
    "startpage": { value in
      ("'pages' has no first page", "give the item its first value in the request, such as 'query: { page: \(value) }'")
    },
  ]
}

extension NodeDecoder {
  /// Returns the messages for guessed keys in a map.
  func guessedKeys(_ table: [String: GuessedKeys.Remedy], in node: Node) -> Hint {
    let values = (entries(of: node) ?? []).reduce(into: [:]) { $0[$1.key] = sourceText(of: $1.value) }
    return { name in
      let plain = name.lowercased().filter(\.isLetter)
      return (table[name] ?? table[plain]).map { $0(values[name] ?? "…") }
    }
  }

  /// Longest text of the source that advice repeats.
  private static let longestText = 60

  /// Returns a value as the source writes it; `…` for a long one, or one of several lines.
  func sourceText(of node: Node) -> String {
    guard node.range.count <= Self.longestText, !node.range.isEmpty, node.range.upperBound <= source.bytes.count else {
      return "…"
    }
    let text = String(decoding: source.bytes[node.range], as: UTF8.self)
    return text.contains(where: \.isNewline) ? "…" : text.printable
  }

  /// Returns the elements of a list; one value stands for a list of one.
  func elements(of node: Node) -> [Node] {
    if case .list(let nodes) = node.content { nodes } else { [node] }
  }
}
