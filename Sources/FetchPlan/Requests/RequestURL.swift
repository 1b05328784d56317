// The URL of a request, from base, endpoint and query; it leads only to origins that the spec's author allowed.

import JSONText
import PipelineSpec
import Primitives
import Wire

/// The URL of a request; secrets are sent only to the job's own origin.
struct RequestURL {
  let url: Redactable

  init(_ job: Job, base: Redactable?, in scope: TemplateScope) throws(ParameterError) {
    guard let endpoint = job.endpoint else {
      throw scope.fault(Template(pieces: [], position: job.position), "a step without 'endpoint' makes no request")
    }
    let (whole, isOwnOrigin) =
      if let hole = endpoint.onlyHole, !hole.isPath, hole.root != .page {
        try Self.whole(hole, job, base, scope)
      } else {
        (try Self.resolved(endpoint, against: base, in: scope), true)
      }
    var split = SplitURL(whole)
    for item in job.query { split.append(try item.encoded(in: scope)) }
    if !isOwnOrigin { split.removeSecrets() }
    url = split.url
  }

  /// Returns the URL of a base or an endpoint that contains text.
  static func resolved(
    _ template: Template, against base: Redactable?, in scope: TemplateScope
  ) throws(ParameterError) -> Redactable {
    let reference = try EndpointText.reference(template, in: scope)
    guard let url = resolve(reference.text, against: base?.text),
      let shown = resolve(reference.redacted, against: base?.redacted)
    else { throw scope.fault(template, noURL(reference, hasBase: base != nil)) }
    return Redactable(url, redacted: shown)
  }

  /// Returns the URL of an endpoint that is a single value; its origin must be named in the spec.
  private static func whole(
    _ hole: Template.Hole, _ job: Job, _ base: Redactable?, _ scope: TemplateScope
  ) throws(ParameterError) -> (Redactable, isOwnOrigin: Bool) {
    if scope.showsTemplates, hole.root == .input { return (Redactable(StandIn.url(hole.spelling).text), true) }
    if scope.isValidation, hole.root == .input { return (base ?? Redactable("https://host/"), true) }
    guard let reading = try hole.reading(in: scope) else {
      throw scope.fault(hole, "the value is missing, and 'endpoint' is nothing else; give a default: ${…:-text}")
    }
    let reference = try hole.text(of: reading, in: scope)
    // An empty reference is the base itself (RFC 3986 §4.4), which nobody means.
    guard reference.text.contains(where: { $0 != " " }), reference.text.first != "#" else {
      throw scope.fault(hole, "the value is empty, and 'endpoint' is nothing else; give a default: ${…:-text}")
    }
    guard let url = resolve(reference.text, against: base?.text), let origin = Origin(of: url) else {
      throw scope.fault(hole, noURL(reference, hasBase: base != nil))
    }
    let shown = reference.isSecret ? "\(origin)/***" : url
    let own = base.flatMap { Origin(of: $0.text) }
    do throws(OriginPolicy.RefusalError) {
      try OriginPolicy.checkRecordURL(origin, own: own, hosts: job.allowedOrigins)
    } catch {
      throw scope.fault(hole, foreign(origin, shown, own))
    }
    return (Redactable(url, redacted: shown), origin == own)
  }

  private static func foreign(_ origin: Origin, _ url: String, _ own: Origin?) -> String {
    let reason = own.map { "is on another origin than '\($0)'" } ?? "is on an origin that the spec does not name"
    return "'\(url)' \(reason); add '\(origin.hostsEntry)' to 'hosts'"
  }

  private static func noURL(_ reference: Redactable, hasBase: Bool) -> String {
    let authority = reference.text.prefix { $0 != "?" && $0 != "#" }
    if authority.contains("@") && authority.contains("//") {
      return "it gives no URL that can be fetched: credentials can't stand in one, send them in 'headers'"
    }
    let isRelative = !hasBase && !authority.contains("://")
    let advice = isRelative ? "; it is relative, and there is no 'base'" : ""
    return
      "'\(reference.redacted)' is not an http or https URL with a host of ASCII letters, digits, '-' and '.'\(advice)"
  }
}

extension Job {
  /// Origins in `hosts`, which may be requested but get no secrets.
  var allowedOrigins: Set<Origin> {
    Set(hosts.map { Origin(scheme: $0.scheme, host: $0.host, port: $0.port) })
  }
}

// A base whose scheme and host are a value: `${param.url}/api/`.

extension RequestURL {
  /// Returns the URL of a base.
  ///
  /// A value at the start supplies scheme, host and perhaps a path. The scheme is https, except for this machine, since
  /// the job's secrets are sent there.
  static func base(_ template: Template, in scope: TemplateScope) throws(ParameterError) -> Redactable {
    guard let hole = template.originHole else { return try resolved(template, against: nil, in: scope) }
    guard let value = try hole.reading(in: scope)?.text else {
      throw scope.fault(hole, "the value is missing, and 'base' needs its scheme and host; give a default: ${…:-text}")
    }
    // 'https://h/' and '/api/' are 'https://h/api/'.
    let start = value.withoutSlashesAtEnd
    if let problem = problem(with: start) {
      // No message shows the value of a variable, or a password.
      let shown = hole.root == .param && withoutUserInfo(value) == nil ? "'\(value)'" : "the value"
      throw scope.fault(hole, "\(shown) \(problem)")
    }
    let pieces = [.text(start)] + template.pieces.dropFirst()
    return try resolved(Template(pieces: pieces, position: template.position), against: nil, in: scope)
  }

  /// Returns the reason why a value can't supply scheme and host, as the end of a sentence; nil if it can.
  private static func problem(with value: String) -> String? {
    guard ["https://", "http://"].contains(where: { value.lowercased().hasPrefix($0) }) else {
      return "is no URL: begin it with 'https://'"
    }
    if withoutUserInfo(value) != nil { return "has a user name in it: give credentials by 'auth'" }
    if value.contains(where: { "?#".contains($0) }) { return "has a query or a fragment: give scheme, host and path" }
    guard let url = resolve(value, against: nil) else {
      return "is no URL with a host of ASCII letters, digits, '-' and '.'"
    }
    return OriginPolicy.mayHoldCredentials(url)
      ? nil : "is neither https nor this machine: begin it with 'https://', or write the whole URL into 'base'"
  }
}

extension String {
  fileprivate var withoutSlashesAtEnd: String {
    var text = self[...]
    while text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
    return String(text)
  }
}

// A URL and its query items, so that items can be added and replaced.

/// A URL without fragment, split at its `?` and `&`.
///
/// Nothing is decoded, so that unchanged parts are sent as they were.
struct SplitURL {
  private let head: Redactable
  private let hasQuery: Bool
  private(set) var items: [Redactable]

  init(_ url: Redactable) {
    let (head, query) = Self.split(url.text)
    let (shownHead, shownQuery) = Self.split(url.redacted)
    self.head = Redactable(head, redacted: shownHead)
    hasQuery = query != nil
    let texts = Self.items(query)
    let shown = Self.items(shownQuery)
    // A URL that is a secret as a whole is shown without its items.
    items = texts.indices.map { Redactable(texts[$0], redacted: shown.count == texts.count ? shown[$0] : "***") }
  }

  var url: Redactable {
    guard hasQuery || !items.isEmpty else { return head }
    var url = head
    url += Redactable("?")
    for (index, item) in items.enumerated() {
      if index > 0 { url += Redactable("&") }
      url += item
    }
    return url
  }

  /// The URL before its query.
  var path: String { head.text }

  /// Returns the values of the items with this name, as they are spelled.
  func values(of name: String) -> [Substring] {
    let wanted = Array(name.utf8)
    return items.compactMap { item in
      let item = QueryItem(item.text[...])
      return item.name.percentDecoded == wanted ? item.value ?? "" : nil
    }
  }

  mutating func append(_ added: some Sequence<Redactable>) {
    for item in added {
      // `?a=1&` and `b=2` make `?a=1&b=2`.
      if items.last?.text.isEmpty == true { items.removeLast() }
      items.append(item)
    }
  }

  mutating func removeSecrets() {
    items.removeAll { $0.isSecret }
  }

  /// Returns the URL before and after the value of an item.
  ///
  /// The item replaces the first one with its name, and all others with that name are removed. Without such an item, it
  /// is appended.
  func around(_ name: String) -> (before: Redactable, after: Redactable) {
    var before = self
    let index = before.set(Redactable("\(name.percentEncoded)="), named: name)
    var after = Redactable("")
    for item in before.items[(index + 1)...] {
      after += Redactable("&")
      after += item
    }
    before.items.removeSubrange((index + 1)...)
    return (before.url, after)
  }

  /// Replaces the items with a name by one item, and returns its index.
  private mutating func set(_ item: Redactable, named name: String) -> Int {
    let wanted = Array(name.utf8)
    let isNamesake = items.map { QueryItem($0.text[...]).name.percentDecoded == wanted }
    guard let first = isNamesake.firstIndex(of: true) else {
      append([item])
      return items.count - 1
    }
    items = zip(items.indices, items).compactMap { index, old in
      index == first ? item : isNamesake[index] ? nil : old
    }
    return first
  }

  private static func split(_ url: String) -> (head: String, query: Substring?) {
    let parts = URLParts(url)
    return (String(url[..<parts.path.endIndex]), parts.query)
  }

  private static func items(_ query: Substring?) -> [String] {
    guard let query, !query.isEmpty else { return [] }
    return query.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
  }
}
