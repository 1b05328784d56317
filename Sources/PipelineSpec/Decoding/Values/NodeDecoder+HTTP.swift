// Decodes the parts of a request: query items, header fields, hosts, limits.

internal import Diagnostics
internal import JSONText
import YAMLText

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
    case .boolean, .number, .string: return value(node, .item)
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
        "'\(name.printable)' is not a header name", at: range,
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
      return Template(pieces: [.text(node.spelling)], position: source.position(at: node.range.lowerBound))
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
    guard value.text({ $0.fallback ?? "" }).utf8.contains(where: { [0, 10, 13].contains($0) }) else { return true }
    refuse("a line end or NUL in a header", at: node.range, advice: "write the value on one line, or after '>-'")
    return false
  }

  // MARK: Limits

  /// Returns a duration.
  ///
  /// - Parameter other: what a bare number may mean instead, for the advice.
  mutating func duration(_ node: Node, orMeant other: ((Int) -> String)? = nil) -> Duration? {
    guard let node = fixed(node, sample: JSONValue("1s")) else { return nil }
    if case .string(let text) = node.content, let duration = Duration(spelled: text) { return duration }
    var advice = "write '30s', '500ms', '2m' or '1h', at most '24h'"
    if case .number(let text) = node.content, let seconds = Int(text), seconds > 0 {
      advice = "write '\(seconds)s'" + (other.map { "; " + $0(seconds) } ?? "")
    } else if case .string(let text) = node.content, let likely = Quantity.likely(text, units: ["ms", "s", "m", "h"]),
      Duration(spelled: likely) != nil
    {
      advice = "write '\(likely)'"
    }
    refuse(node, expected: "a duration", advice: advice)
    return nil
  }

  mutating func size(_ node: Node) -> Int? {
    guard let node = fixed(node, sample: JSONValue(1)) else { return nil }
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
    elements(of: node).compactMap { host($0) }
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

// Decodes rates, and the statuses that are retried.

internal import Diagnostics
import Primitives

extension NodeDecoder {
  mutating func rate(_ node: Node) -> Job.Rate? {
    guard let node = fixed(node, sample: JSONValue("1/s")) else { return nil }
    var advice = Job.Rate.advice
    if let likely = Quantity.likely(node.spelling, before: "/", units: ["s", "m", "h"]),
      Job.Rate(spelled: likely) != nil
    {
      advice = "write '\(likely)'"
    }
    if case .string(let text) = node.content, let rate = Job.Rate(spelled: text) { return rate }
    refuse(node, expected: "a rate", advice: advice)
    return nil
  }

  /// Refuses statuses that are never retried.
  mutating func checkRetried(_ node: Node, _ statuses: [Int]) {
    for status in statuses {
      if status < 300, status != 202 {
        refuse("\(status) is not a failure", at: node.range, advice: "statuses that are retried are 202 and 300 to 599")
      } else if status == 401 {
        refuse("401 always stops", at: node.range, advice: "leave it out: refused credentials stay refused")
      }
    }
  }

  /// Returns the value of `retry`; a number stands for `attempts`.
  mutating func retry(_ node: Node) -> Job.Retry {
    var retry = Job.Retry()
    let isNumber = if case .number = node.content { true } else { templateText(node) != nil }
    if isNumber {
      retry.attempts = ValueKind.attempts.read(node, &self)
    } else {
      map(node, keys: SpecKeys.retryKeys, into: &retry, hint: guessedKeys(GuessedKeys.retry, in: node))
    }
    return retry
  }
}

extension Job.Rate {
  /// The advice about the spelling of rates.
  package static let advice = "write '5/s', '12.5/s', '100/m' or '1000/h'"

  /// Parses `5/s`, `12.5/s`, `100/m` or `1000/h`; nil for other text.
  package init?(spelled text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let times: [Substring: Duration] = ["s": .seconds(1), "m": .seconds(60), "h": .seconds(3_600)]
    guard parts.count == 2, let time = times[parts[1]], let thousandths = Self.thousandths(parts[0]) else { return nil }
    self.init(interval: time * 1000 / thousandths)
  }

  /// Parses a number from 0.001 to 1,000,000 with three decimals at most.
  private static func thousandths(_ text: Substring) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let decimals = parts.count == 2 ? parts[1] : "0"
    guard parts.count <= 2, (1...3).contains(decimals.utf8.count),
      (parts + [decimals]).allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }),
      let whole = Int(parts[0]), whole <= 1_000_000,
      let fraction = Int(decimals + String(repeating: "0", count: 3 - decimals.utf8.count))
    else { return nil }
    let thousandths = whole * 1000 + fraction
    return (1...1_000_000_000).contains(thousandths) ? thousandths : nil
  }
}

// Decodes `download`.

internal import Diagnostics
import JSONText
import YAMLText

extension NodeDecoder {
  mutating func download(_ node: Node, into job: inout Job) {
    var draft = DownloadDraft()
    guard let entries = map(node, keys: SpecKeys.downloadKeys, into: &draft) else { return }
    for name in ["url", "to"] where !entries.contains(where: { $0.key == name }) && !suggested.contains(name) {
      refuse("no '\(name)' in 'download'", at: node.range, advice: "write '{ url: \"${input.url}\", to: photos/ }'")
    }
    if let url = draft.url { job.endpoint = url }
    guard let path = draft.path else { return }
    let download = Job.Download(path: path, naming: draft.naming ?? .url, size: draft.size)
    job.download = download
    if download.naming == .server, let key = entries.first(where: { $0.key == "name" }), !path.spelling.hasSuffix("/") {
      refuse(
        "'name: server' with a 'to' that gives the name", at: key.value.range,
        advice: "end 'to' with '/', or leave 'name' out")
    }
  }

  /// Returns the size of a file: a number, or a template that gives one.
  mutating func fileSize(_ node: Node) -> Template? {
    let advice = "write the member that has it, such as '${input.size}'"
    let expected = "a template with the size in bytes"
    if case .string = node.content {
      guard let size = template(node, .request, expected: expected, advice: advice) else { return nil }
      if size.pieces.count == 1, !size.holes.isEmpty { return size }
    }
    refuse(node, expected: expected, advice: advice)
    return nil
  }

  /// Returns the path of a saved file; values of its templates are checked when they are known.
  mutating func savePath(_ node: Node) -> Template? {
    let advice = "write 'photos/', or 'photos/${input.id}.jpg'"
    guard let template = template(node, .request, expected: "a path below '--dir'", advice: advice) else { return nil }
    // A hole is one whole piece of a name, so any letter can replace it here.
    let shape = template.pieces.map { piece in
      if case .text(let text) = piece { text } else { "x" }
    }.joined()
    guard let flaw = Self.flaw(ofPath: shape) else { return template }
    refuse(flaw.message, at: node.range, advice: flaw.advice)
    return nil
  }

  private static func flaw(ofPath path: String) -> (message: String, advice: String)? {
    let names = path.slashSeparated
    if path.isEmpty { return ("an empty path", "write './' for the folder itself, where the URL gives the name") }
    if path.utf8.first == UInt8(ascii: "/") {
      return ("an absolute path in 'to'", "leave the first '/' out: files are saved below the folder of '--dir'")
    }
    if names.contains("..") { return ("'..' in 'to'", "leave it out: files are saved below the folder of '--dir'") }
    if names.last == "." { return ("'to' ends with '.'", "write './' for the folder itself") }
    if names.dropLast().contains("") { return ("two '/' in a row", "write one") }
    if path.unicodeScalars.contains(where: { $0 == "\\" || $0.properties.generalCategory == .control }) {
      return ("a '\\' or a control character in a path", "folders are separated by '/'")
    }
    if names.contains(where: { $0.utf8.count > 255 }) {
      return ("a name of more than 255 bytes", "write a shorter name: file systems take no more")
    }
    return nil
  }
}

// Checks `base` and `endpoint` before their templates have values: a template never supplies a scheme, and a host only
// allows `${param.x}`.

extension NodeDecoder {
  mutating func base(_ node: Node) -> Template? {
    if case .string(let text) = node.content, text.hasPrefix("unix:") { return socketBase(text, node) }
    guard let base = template(node, .base, expected: "an absolute URL ending in '/'") else { return nil }
    return checkBase(base, node) ? base : nil
  }

  /// Checks that a base is an absolute URL ending in `/`; returns false after a diagnostic.
  private mutating func checkBase(_ base: Template, _ node: Node) -> Bool {
    let before = mistakes.count
    if let hole = base.originHole {
      checkPath(after: hole, base, node)
      return mistakes.count == before
    }
    let shape = URLShape(base)
    guard shape.scheme != nil else {
      refuseRelative(shape, node, "'base' is not absolute", advice: "begin it with '\(base.likelyScheme)'")
      return false
    }
    check(shape, node, advice: "begin it with '\(base.likelyScheme)'")
    checkPath(shape, node)
    return mistakes.count == before
  }

  /// Returns the base of a socket, such as `unix:/var/run/docker.sock:/v1.43/`, whose host stands for the socket.
  private mutating func socketBase(_ text: String, _ node: Node) -> Template? {
    let advice = "write 'unix:/var/run/docker.sock:/v1.43/': the path of the socket, a ':', and the path of the API"
    guard !refusesTemplate(text, node, advice: "write the path of the socket itself") else { return nil }
    let rest = text.dropFirst("unix:".count)
    let colon = rest.ranges(of: ":/").last
    let path = colon.map { String(rest[..<$0.lowerBound]) } ?? ""
    guard path.utf8.count <= UnixSocket.longest else {
      let problem =
        "the path '\(path.printable)' has \(path.utf8.count) bytes, and that of a socket "
        + "\(UnixSocket.longest) at most"
      refuse(problem, at: node.range, advice: "make a link with a shorter path: ln -s SOCKET /tmp/a.sock")
      return nil
    }
    guard let colon, let host = UnixSocket.host(of: path) else {
      refuse("'\(text.printable)' names no socket and path", at: node.range, advice: advice)
      return nil
    }
    let base = Template(
      pieces: [.text("http://\(host)\(rest[colon.lowerBound...].dropFirst())")],
      position: source.position(at: node.range.lowerBound))
    return checkBase(base, node) ? base : nil
  }

  /// Checks that a path follows the value that supplies scheme and host, so that the value alone decides the origin.
  private mutating func checkPath(after hole: Template.Hole, _ base: Template, _ node: Node) {
    guard case .text(let text)? = base.pieces.dropFirst().first, text.utf8.first == UInt8(ascii: "/") else {
      let advice = "write '\(hole.spelling)/', then the path"
      refuse("no '/' after the value that supplies scheme and host", at: node.range, advice: advice)
      return
    }
    checkPath(URLShape(base), node)
  }

  private mutating func checkPath(_ shape: URLShape, _ node: Node) {
    if let index = shape.rest.firstIndex(where: { $0.isByte(UInt8(ascii: "?")) || $0.isByte(UInt8(ascii: "#")) }) {
      let what = shape.rest[index].isByte(UInt8(ascii: "?")) ? "query" : "fragment"
      refuse("a \(what) in 'base'", at: node.range, advice: "end 'base' with '/', and put the rest into 'endpoint'")
    } else if shape.rest.last?.isByte(UInt8(ascii: "/")) != true {
      refuse("'base' does not end in '/'", at: node.range, advice: "add a '/' to it")
    }
  }

  /// Checks that an endpoint is a URL, or a reference that the base completes.
  ///
  /// - Parameters:
  ///   - key: the key in quotes.
  ///   - mayBeValue: true if a value may supply the origin, which then is not checked.
  mutating func check(
    _ endpoint: Template, of draft: JobDraft, _ node: Node, named key: String = "'endpoint'", mayBeValue: Bool = false
  ) {
    let hasBase = draft.job.base != nil || draft.own["base"] != nil || draft.inherited["base"] != nil
    if !mayBeValue, endpoint.inputURL != nil {
      guard !hasBase, draft.job.hosts.isEmpty, draft.own["hosts"] == nil, draft.inherited["hosts"] == nil else {
        return
      }
      let advice = "give 'base', or list the hosts it may lead to in 'hosts'"
      refuse(
        "\(key == "'url'" ? "a URL" : "an endpoint") from a record needs an origin", at: node.range, advice: advice)
      return
    }
    let shape = URLShape(endpoint)
    if mayBeValue, shape.hasOriginHole { return }
    if shape.scheme == nil, shape.authority == nil || !hasBase {
      guard !hasBase else { return }
      refuseRelative(
        shape, node, "\(key) is relative and there is no 'base'",
        advice: "begin it with '\(endpoint.likelyScheme)', or give the step a 'base'")
    } else {
      let scheme = "begin it with '\(endpoint.likelyScheme)'"
      check(shape, node, advice: hasBase ? "write './' before it if it is a path" : scheme)
    }
  }

  private mutating func refuseRelative(_ shape: URLShape, _ node: Node, _ message: String, advice: String) {
    if let hole = shape.rest.first?.hole {
      refuse("a template can't supply scheme and host", at: range(of: hole), advice: advice)
    } else {
      refuse(message, at: node.range, advice: advice)
    }
  }

  /// Checks scheme and authority of a reference that has at least one of them.
  private mutating func check(_ shape: URLShape, _ node: Node, advice: String) {
    if let scheme = shape.scheme, !checkScheme(scheme, node, advice: advice) { return }
    if let authority = shape.authority {
      checkAuthority(authority, node)
    } else {
      refuse("no '//' after the scheme", at: node.range, advice: "write 'https://', then host and path")
    }
  }

  private mutating func checkScheme(_ scheme: ArraySlice<URLShape.Token>, _ node: Node, advice: String) -> Bool {
    if let hole = scheme.compactMap(\.hole).first {
      refuse("a template can't supply the scheme", at: range(of: hole), advice: advice)
      return false
    }
    let name = URLShape.text(of: scheme)
    guard ["http", "https"].contains(name.lowercased()) else {
      let isQuoted = ["“", "”", "‘", "’", "„"].contains { name.hasPrefix($0) }
      refuse(
        "'\(name.printable):' is neither http nor https", at: node.range,
        advice: isQuoted ? "'\(name.prefix(1))' is not a quote of YAML: write \" around the text, or nothing" : advice)
      return false
    }
    return true
  }

  private mutating func checkAuthority(_ authority: ArraySlice<URLShape.Token>, _ node: Node) {
    if let hole = authority.compactMap(\.hole).first(where: { $0.root != .param }) {
      refuse("only a parameter can stand in a host", at: range(of: hole), advice: "read it as '${param.name}'")
      return
    }
    do {
      _ = try Authority(URLShape.text(of: authority))
    } catch {
      refuse(error.message, at: node.range, advice: error.advice)
    }
  }
}

extension Template {
  /// The scheme that a URL without one probably has.
  fileprivate var likelyScheme: String {
    ["localhost", "127.0.0.1", "[::1]"].contains { spelling.hasPrefix($0) } ? "http://" : "https://"
  }
}
