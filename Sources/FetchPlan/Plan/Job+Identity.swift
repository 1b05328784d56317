// The identity of a job: what it asks for, apart from the spelling of its spec.

import Diagnostics
import JSONText
package import PipelineSpec
package import Wire

extension Job {
  /// Canonical texts of what the job asks for, by key; a resumed run compares them.
  ///
  /// Texts are equal in every process if the decoded values are. Keys on which no record depends are left out
  /// (`mayChange` in the tables of keys), and so are values that are the same for every job.
  package var identity: [(key: String, text: String)] {
    var texts: [String: [String]] = [:]
    for (label, value) in asked.compared {
      guard let value else { continue }
      let key = Self.keys[label] ?? label
      guard let text = CanonicalText(of: value)?.text else { continue }
      texts[key, default: []].append(text)
    }
    return texts.map { (key: $0.key, text: $0.value.joined(separator: "\n")) }.sorted { $0.key < $1.key }
  }

  /// The properties that describe requests and records; nil for a value that says nothing.
  ///
  /// A value that is left out saves time: reflection searches all conformances of the process for each new type.
  package var compared: [(label: String, value: Any?)] {
    [
      // Marks are kept by the job's name.
      ("name", incremental == nil ? nil : name),
      ("base", base), ("endpoint", endpoint), ("method", method), ("query", query.isEmpty ? nil : query),
      ("headers", headers.isEmpty ? nil : headers), ("removedHeaders", removedHeaders.isEmpty ? nil : removedHeaders),
      ("body", body), ("form", form), ("text", text), ("each", each), ("read", read == .json ? nil : read),
      ("unpack", unpack), ("columns", columns), ("columnNames", columnNames), ("contentIdentifier", contentIdentifier),
      ("empty", empty),
      ("keyNames", keyNames.isEmpty ? nil : keyNames), ("failure", failure), ("when", when), ("poll", poll),
      ("filter", filter), ("filterTemplates", filterTemplates.isEmpty ? nil : filterTemplates),
      ("uniqueMembers", uniqueMembers.isEmpty ? nil : uniqueMembers),
      ("drop", drop.isEmpty ? nil : drop), ("keep", keep.isEmpty ? nil : keep),
      ("flatten", flatten.isEmpty ? nil : flatten),
      ("rename", rename.isEmpty ? nil : rename), ("model", model),
      ("decode", decode == Decode() ? nil : decode), ("pages", pages), ("maxPages", maxPages), ("attach", attach),
      ("match", match.isEmpty ? nil : match), ("batch", batch), ("count", count), ("set", set.isEmpty ? nil : set),
      ("download", download), ("incremental", incremental), ("onError", onError == .stop ? nil : onError),
      ("auth", auth), ("tls", tls),
    ]
  }

  /// Keys of the properties that have another name than their key.
  package static let keys = [
    "filter": "where", "filterTemplates": "where", "ownsRetry": "retry",
    "removedHeaders": "headers",
    "ignored": "ignore", "uniqueMembers": "unique", "keyNames": "key", "columnNames": "columns",
  ]

  /// The job with one form of values that can be written in several ways.
  private var asked: Job {
    var job = self
    if endpoint != nil { job.method = method ?? (hasBody ? "POST" : "GET") }
    job.contentIdentifier = contentIdentifier.map { identifier in
      ContentIdentifier(identifier.paths.map { .init($0.template.asPath, isOptional: $0.isOptional) })
    }
    if let later = ofLaterPages {
      job.pages?.then?.method = later.sentMethod
      job.pages?.then?.query = later.query.map(\.asText)
      job.pages?.then?.form = later.form?.map(\.asText)
      if let url = later.wholeURL { job.pages?.then?.endpoint = Template(pieces: [.text(url)], position: position) }
    }
    job.query = query.map(\.asText)
    job.form = form?.map(\.asText)
    job.headers = headers.sorted { $0.name.lowercased() < $1.name.lowercased() }
      .map { Header(name: $0.name.lowercased(), value: $0.value) }
      .filter { $0.name != "accept" || $0.value.literal != acceptedTypes }
    job.auth?.base = auth?.base.flatMap(foreignOrigin)
    job.tls?.base = tls?.base.flatMap(foreignOrigin)
    if let url = wholeURL {
      job.base = nil
      job.endpoint = Template(pieces: [.text(url)], position: position)
    }
    return job
  }

  /// Returns the origin of a base for credentials; nil if it is the job's own.
  private func foreignOrigin(_ base: Template) -> Template? {
    let url = base.withStandIns(origin: base.originHole)
    let origin = Origin(of: url)?.description ?? url
    let own = wholeURL.flatMap { Origin(of: $0)?.description }
    return origin == own ? nil : Template(pieces: [.text(origin)], position: position)
  }

  /// The URL that `base` and `endpoint` make together; nil if only a record gives the endpoint.
  private var wholeURL: String? {
    guard let endpoint, endpoint.onlyHole == nil else { return nil }
    return resolve(endpoint.withStandIns(), against: base.map { $0.withStandIns(origin: $0.originHole) })
  }
}

extension Template {
  /// A path of content in its usual spelling.
  fileprivate var asPath: Template {
    guard literal != nil, let path = contentShape else { return self }
    return Template(pieces: [.text(path.description)], position: position)
  }

  /// Returns the text with names in place of values that are not known.
  fileprivate func withStandIns(origin: Hole? = nil) -> String {
    text { hole in
      (hole == origin ? StandIn.url(hole.spelling) : StandIn.template(CanonicalText.text(of: hole))).text
    }
  }
}

extension Job.QueryItem {
  /// The item with its numbers and booleans as the text that is sent.
  fileprivate var asText: Self {
    let texts: [TemplateValue] = values.compactMap { value in
      guard case .constant(let json, let spelling) = value else { return value }
      return json.kind == .null
        ? nil : .string(Template(pieces: [.text(spelling)], position: SourcePosition(line: 1, column: 1)))
    }
    return Self(name: name, values: texts)
  }
}

extension SpecKeys {
  /// Names of keys of a job that may change before an interrupted run is resumed.
  package static let changeable = Set(job.filter(\.mayChange).map(\.name))
}

// A text of decoded values that does not depend on their position in the source.

/// Text of a value of a spec that is the same in every process, and differs for every other value.
///
/// The parts of a value are found by reflection, so that a new property of a part is compared from its first day on.
/// Positions and missing values are left out.
struct CanonicalText {
  let text: String

  /// Nil for a value that is missing, and for a position.
  init?(of value: Any) {
    guard type(of: value) != SourcePosition.self, let text = Self.leaf(value) ?? Self.node(value) else { return nil }
    self.text = text
  }

  /// Returns the text of a value with a form of its own.
  private static func leaf(_ value: Any) -> String? {
    if let text = exact(value, String.self) { return JSONValue(text).text }
    if let flag = exact(value, Bool.self) { return flag ? "true" : "false" }
    if let number = exact(value, Int.self) { return String(number) }
    if let json = exact(value, JSONValue.self) { return json.text }
    if let template = exact(value, Template.self) { return text(of: template) }
    // The text of the number is sent, not its spelling.
    if let value = exact(value, TemplateValue.self), case .constant(let json, _) = value { return json.text }
    if type(of: value) == Poll.self { return node(value, without: changeableOfPoll) }
    return nil
  }

  private static let changeableOfPoll = Set(SpecKeys.poll.filter(\.mayChange).map(\.name))

  /// Casts a value to its own type; a cast to another one would search all conformances of the process.
  private static func exact<Value>(_ value: Any, _ type: Value.Type) -> Value? {
    Swift.type(of: value) == type ? value as? Value : nil
  }

  private static func text(of template: Template) -> String {
    let pieces = template.pieces.map { piece in
      switch piece {
      case .text(let text): JSONValue(text).text
      case .hole(let hole): text(of: hole)
      }
    }
    return "(\(pieces.joined()))"
  }

  /// Returns the text of a hole, whatever its spelling: `${input.id}` and `${input['id']}` are the same.
  static func text(of hole: Template.Hole) -> String {
    "${\(node(hole, without: ["spelling"]) ?? hole.spelling)}"
  }

  private static func node(_ value: Any, without changeable: Set<String> = []) -> String? {
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.filter { !changeable.contains($0.label ?? "") }.compactMap { child in
      CanonicalText(of: child.value).map { "\(child.label.map { $0 + ":" } ?? "")\($0.text)" }
    }
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.flatMap { CanonicalText(of: $0.value)?.text }
    case .collection: return "[\(parts.joined(separator: ","))]"
    case .set, .dictionary: return "{\(parts.sorted().joined(separator: ","))}"
    case .struct, .tuple, .enum: return mirror.children.isEmpty ? "\(value)" : "(\(parts.joined(separator: ",")))"
    default: return "\(value)"
    }
  }
}

// Secrets in texts that are compared with those of another run.

extension SecretStore {
  /// Redacts a text that is compared with that of another run; a redacted text is followed by its short fingerprint.
  package func identity(of text: String) -> String {
    let redacted = redacting(text)
    return redacted == text ? text : "\(redacted) (\(text.shortFingerprint))"
  }
}

extension String {
  /// 16 bits of a hash: enough to notice another value, and too few to find a secret.
  package var shortFingerprint: Int { Array(utf8).fingerprint & 0xFFFF }
}
