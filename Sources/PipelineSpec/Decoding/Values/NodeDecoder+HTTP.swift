// Decodes the parts of a request: query items, header fields, hosts, limits.

import YAMLText

internal import Diagnostics
internal import JSONText

extension NodeDecoder {
  // MARK: Query

  mutating func queryItems(_ node: Node, expected: String = "a map of query items") -> [Job.QueryItem]? {
    named(node, expected: expected)?.compactMap { entry in
      var values: [TemplateValue] = []
      switch entry.value.content {
      case .list(let nodes): values = nodes.compactMap { queryValue($0) }
      default: values = queryValue(entry.value).map { [$0] } ?? []
      }
      return values.isEmpty ? nil : Job.QueryItem(name: entry.key, values: values)
    }
  }

  /// Returns nil for `null`, which leaves the item out, and after a diagnostic.
  private mutating func queryValue(_ node: Node) -> TemplateValue? {
    switch node.content {
    case .null: return nil
    case .boolean, .number, .string: return value(node, .request)
    case .list:
      refuse("a list in a list", at: node.range, advice: "write one list, which repeats the item for each value")
    case .map:
      refuse(node, expected: "a value or a list of values", advice: "write 'name[key]: value' or the text that is sent")
    }
    return nil
  }

  // MARK: Headers

  /// Header fields that belong to the connection, not to the spec.
  private static let reserved: Set<String> = ["host", "content-length", "transfer-encoding", "connection"]

  /// Merges headers into the job's headers: an existing name is replaced in place, `null` removes it.
  mutating func mergeHeaders(_ node: Node, into job: inout Job, _ site: TemplateSite = .request) {
    var merged: [Job.Header?] = job.headers
    var indices = Dictionary(job.headers.enumerated().map { ($1.name.lowercased(), $0) }) { first, _ in first }
    var seen: Set<String> = []
    for entry in named(node, expected: "a map of header fields") ?? [] {
      let name = entry.key.lowercased()
      guard checkHeaderName(entry), let value = headerValue(entry.value, site) else { continue }
      guard seen.insert(name).inserted else {
        refuse(
          "header '\(entry.key)' is given twice", at: entry.keyRange,
          advice: "leave one of them out: case makes no difference")
        continue
      }
      if value == nil { job.removedHeaders.insert(name) } else { job.removedHeaders.remove(name) }
      let index = indices[name] ?? merged.count
      indices[name] = index
      if index == merged.count { merged.append(nil) }
      merged[index] = value.map { Job.Header(name: entry.key, value: $0) }
    }
    job.headers = merged.compactMap { $0 }
  }

  private mutating func checkHeaderName(_ entry: Node.Entry) -> Bool {
    !entry.key.contains("${") && checkHeaderName(entry.key, at: entry.keyRange)
  }

  mutating func checkHeaderName(_ name: String, at range: Range<Int>) -> Bool {
    guard name.isToken else {
      refuse(
        "'\(name.printable)' is no header name", at: range,
        advice: "write letters, digits and '-', such as 'X-Api-Key'")
      return false
    }
    guard !Self.reserved.contains(name.lowercased()) else {
      refuse(
        "header '\(name)' can't be set", at: range, advice: "leave it out, since it follows from the URL and the body")
      return false
    }
    return true
  }

  /// Returns nil after a diagnostic; the inner value is nil for `null`.
  private mutating func headerValue(_ node: Node, _ site: TemplateSite) -> Template?? {
    switch node.content {
    case .null:
      return .some(nil)
    case .boolean, .number:
      return Template(pieces: [.text(node.spelling)], place: source.place(at: node.range.lowerBound))
    case .string(let text):
      guard let value = template(text, node, site), checkHeaderText(value, node) else { return nil }
      return value
    case .list, .map:
      refuse(node, expected: "a header's value", advice: "write one text; ', ' separates several values")
      return nil
    }
  }

  /// Refuses a header value with CR, LF or NUL, which would end the field (RFC 9110 §5.5).
  private mutating func checkHeaderText(_ value: Template, _ node: Node) -> Bool {
    let texts = value.pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .hole(let hole): hole.fallback ?? ""
      }
    }
    guard texts.contains(where: { $0.utf8.contains { [0, 10, 13].contains($0) } }) else { return true }
    refuse("a line end or NUL in a header", at: node.range, advice: "write the value on one line, or after '>-'")
    return false
  }

  // MARK: Limits

  /// Returns a duration.
  ///
  /// - Parameter other: what a bare number may mean instead, for the advice.
  mutating func duration(_ node: Node, orMeant other: ((Int) -> String)? = nil) -> Duration? {
    if case .string(let text) = node.content, let duration = Duration(spelled: text) { return duration }
    var advice = "write '30s', '500ms', '2m' or '1h', at most '24h'"
    if case .number(let text) = node.content, let seconds = Int(text), seconds > 0 {
      advice = "write '\(seconds)s'" + (other.map { "; " + $0(seconds) } ?? "")
    }
    refuse(node, expected: "a duration", advice: advice)
    return nil
  }

  mutating func size(_ node: Node) -> Int? {
    switch node.content {
    case .number(let text): if let bytes = Int(text), bytes > 0 { return bytes }
    case .string(let text): if let bytes = byteCount(spelled: text) { return bytes }
    default: break
    }
    refuse(node, expected: "a size", advice: "write '4GB', '512MB', '64KiB' or '100B'")
    return nil
  }

  // MARK: Hosts

  mutating func hosts(_ node: Node) -> [Job.Host]? {
    guard case .list(let nodes) = node.content else {
      refuse(node, expected: "a list of hosts", advice: "write '[files.example.com]'")
      return nil
    }
    return nodes.compactMap { host($0) }
  }

  private mutating func host(_ node: Node) -> Job.Host? {
    guard let text = name(node, expected: "a host", advice: "write 'files.example.com'") else { return nil }
    do {
      return try Job.Host(spelled: text)
    } catch {
      refuse(error.message, at: node.range, advice: error.advice)
      return nil
    }
  }
}
