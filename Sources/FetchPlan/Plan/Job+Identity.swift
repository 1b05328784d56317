// The identity of a job: what it asks for, apart from the spelling of its spec.

import Diagnostics
import JSONText
package import PipelineSpec
import Wire

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
      ("isPacked", isPacked ? true : nil), ("columns", columns), ("contentIdentifier", contentIdentifier),
      ("absent", absent == .error ? nil : absent), ("empty", empty), ("key", key), ("failure", failure), ("poll", poll),
      ("filter", filter), ("uniqueMembers", uniqueMembers.isEmpty ? nil : uniqueMembers),
      ("drop", drop.isEmpty ? nil : drop), ("model", model),
      ("decode", decode == Decode() ? nil : decode), ("pages", pages), ("attach", attach),
      ("match", match.isEmpty ? nil : match), ("batch", batch), ("count", count), ("set", set.isEmpty ? nil : set),
      ("download", download), ("incremental", incremental), ("onError", onError == .stop ? nil : onError),
      ("auth", auth), ("tls", tls),
    ]
  }

  /// Keys of the properties that have another name than their key.
  package static let keys = [
    "filter": "where", "isPacked": "unpack", "ownsRetry": "retry", "rateTemplate": "rate", "removedHeaders": "headers",
    "ignored": "ignore", "uniqueMembers": "unique",
  ]

  /// The job with one form of values that can be written in several ways.
  private var asked: Job {
    var job = self
    if endpoint != nil { job.method = method ?? (hasBody ? "POST" : "GET") }
    job.contentIdentifier = contentIdentifier?.asPointer
    if let later = ofLaterPages {
      job.pages?.then?.method = later.sentMethod
      job.pages?.then?.query = later.query.map(\.asText)
      job.pages?.then?.form = later.form?.map(\.asText)
      if let url = later.wholeURL { job.pages?.then?.endpoint = Template(pieces: [.text(url)], place: place) }
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
      job.endpoint = Template(pieces: [.text(url)], place: place)
    }
    return job
  }

  /// Returns the origin of a base for credentials; nil if it is the job's own.
  private func foreignOrigin(_ base: Template) -> Template? {
    let url = base.withStandIns(origin: base.originHole)
    let origin = Origin(of: url)?.description ?? url
    let own = wholeURL.flatMap { Origin(of: $0)?.description }
    return origin == own ? nil : Template(pieces: [.text(origin)], place: place)
  }

  /// The URL that `base` and `endpoint` make together; nil if only a record gives the endpoint.
  private var wholeURL: String? {
    guard let endpoint, endpoint.onlyHole == nil else { return nil }
    return resolve(endpoint.withStandIns(), against: base.map { $0.withStandIns(origin: $0.originHole) })
  }
}

extension Template {
  /// A root key as the pointer that it stands for.
  fileprivate var asPointer: Template {
    guard let literal, !literal.hasPrefix("/"), !literal.isEmpty else { return self }
    return Template(pieces: [.text(JSONPath([literal]).pointer)], place: place)
  }

  /// Returns the text with names in place of values that are not known.
  fileprivate func withStandIns(origin: Hole? = nil) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .hole(let hole) where hole == origin: StandIn.url(hole.spelling).text
      case .hole(let hole): StandIn.template(CanonicalText.text(of: hole)).text
      }
    }.joined()
  }
}

extension Job.QueryItem {
  /// The item with its numbers and booleans as the text that is sent.
  fileprivate var asText: Self {
    let texts: [TemplateValue] = values.compactMap { value in
      guard case .constant(let json, let spelling) = value else { return value }
      return json.kind == .null
        ? nil : .string(Template(pieces: [.text(spelling)], place: SourcePosition(line: 1, column: 1)))
    }
    return Self(name: name, values: texts)
  }
}

extension SpecKeys {
  /// Names of keys of a job that may change before an interrupted run is resumed.
  package static let changeable = Set(job.filter(\.mayChange).map(\.name))
}
