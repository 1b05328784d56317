// The body of a request: JSON, an urlencoded form, or a text as it stands.

import JSONText
import PipelineSpec
import Wire

extension Job {
  /// Returns the body for a record; nil if there is none, or if it is one optional value that is missing.
  func sentBody(in scope: TemplateScope) throws(ParameterError) -> Request.Body? {
    if let form { return Request.Body(form: try form.encoded(in: scope)) }
    if let text {
      guard let sent = try text.text(in: scope) else { return nil }
      return Request.Body(bytes: Array(sent.text.utf8), redacted: sent.redacted, format: .text)
    }
    return try body?.json(in: scope).map { Request.Body($0) }
  }
}

extension [Job.QueryItem] {
  fileprivate func encoded(in scope: TemplateScope) throws(ParameterError) -> [Redactable] {
    var items: [Redactable] = []
    for item in self { items += try item.encoded(in: scope) }
    return items
  }
}

extension Request.Body {
  init(_ json: RedactableJSON) {
    self.init(bytes: Array(json.value.bytes), redacted: json.redacted.text)
  }

  fileprivate init(form items: [Redactable]) {
    var text = Redactable("")
    for (index, item) in items.enumerated() {
      if index > 0 { text += Redactable("&") }
      text += item
    }
    self.init(bytes: Array(text.text.utf8), redacted: text.redacted, format: .form)
  }

  /// Returns the body with another value at a path; nil if there is no place for it.
  func setting(_ path: JSONPath, to value: RedactableJSON) -> Request.Body? {
    switch format {
    case .json: settingMember(path, to: value)
    case .form: settingItem(path, to: value)
    case .text: nil
    }
  }

  private func settingMember(_ path: JSONPath, to value: RedactableJSON) -> Request.Body? {
    // Both texts were built from values, and have the same members.
    let own = JSONValue(validated: bytes[...])
    let masked = JSONValue(validated: Array(redacted.utf8)[...])
    guard let changed = own.setting(path.steps[...], to: value.value) else { return nil }
    return Self(RedactableJSON(changed, redacted: masked.setting(path.steps[...], to: value.redacted) ?? masked))
  }

  /// Returns a form with another item, which is set as in a query; nil if there is no place for it.
  private func settingItem(_ path: JSONPath, to value: RedactableJSON) -> Request.Body? {
    guard path.steps.count == 1, let name = path.steps.first?.name else { return nil }
    // A null only asks whether there is a place.
    guard !value.value.isNull else { return self }
    guard let texts = value.queryTexts, !texts.isEmpty else { return nil }
    let query = Redactable("?" + String(decoding: bytes, as: UTF8.self), redacted: "?" + redacted)
    let (before, after) = SplitURL(query).around(name)
    var form = before
    for (index, text) in texts.enumerated() {
      if index > 0 { form += Redactable("&\(name.percentEncoded)=") }
      form += text
    }
    form += after
    return Self(bytes: Array(form.text.utf8.dropFirst()), redacted: String(form.redacted.dropFirst()), format: .form)
  }
}

extension JSONValue {
  /// Returns the value with the end of the path replaced, or added to an object; nil if the path leads nowhere.
  fileprivate func setting(_ steps: ArraySlice<JSONStep>, to value: JSONValue) -> JSONValue? {
    guard let step = steps.first else { return value }
    let rest = steps.dropFirst()
    switch kind {
    case .object:
      let member = self[[step.name]]
      guard let changed = rest.isEmpty ? value : member?.setting(rest, to: value) else { return nil }
      return setting(step.name, to: changed)
    case .array:
      var all = Array(elements)
      guard let index = step.index, all.indices.contains(index) else { return nil }
      guard let changed = all[index].setting(rest, to: value) else { return nil }
      all[index] = changed
      return JSONValue(elements: all)
    case .string, .number, .boolean, .null:
      return nil
    }
  }
}

// Header fields of a job: the standard ones, unless the spec overrides them, and the spec's own.

extension HTTPFields {
  /// Evaluates the header fields of a job.
  ///
  /// - Parameter body: format of the body, whose type is sent unless the spec names another one; nil for no body.
  init(_ job: Job, userAgent: String, body: Request.Body.Format?, in scope: TemplateScope) throws(ParameterError) {
    var own = HTTPFields()
    for header in job.headers {
      guard let value = try header.checkedValue(in: scope) else { continue }
      let isSecret = CredentialName.isSecret(field: header.name) && !value.isSecret && !scope.showsTemplates
      own.append(header.name, isSecret ? .secret(value.text) : value)
    }
    self.init()
    var standard = [("Accept", job.acceptedTypes), ("User-Agent", userAgent)]
    if let body { standard.append(("Content-Type", body.mediaType)) }
    for (name, value) in standard where own[name] == nil && !job.removedHeaders.contains(name.lowercased()) {
      append(name, value)
    }
    for field in own.all { append(field.name, field.value) }
  }
}

extension Job {
  /// The value of `Accept`, unless the spec has one.
  ///
  /// Some servers give JSON unless a request asks for another format. Others know one format, and refuse a request for
  /// it.
  var acceptedTypes: String {
    guard download == nil, unpack == nil else { return "*/*" }
    return switch read {
    case .json: "application/json"
    case .lines: "application/x-ndjson, */*;q=0.5"
    case .sequence: "application/json-seq, */*;q=0.5"
    case .csv: "text/csv, */*;q=0.5"
    }
  }
}

extension Request.Body.Format {
  fileprivate var mediaType: String {
    switch self {
    case .json: "application/json"
    case .form: "application/x-www-form-urlencoded"
    case .text: "text/plain; charset=utf-8"
    }
  }
}

extension Job.Header {
  /// Returns the value, and throws if a control character could end the field and begin another (RFC 9110 §5.5).
  func checkedValue(in scope: TemplateScope) throws(ParameterError) -> Redactable? {
    for hole in value.holes {
      guard let text = try hole.reading(in: scope)?.text, text.hasControlCharacter else { continue }
      throw scope.fault(hole, "the value has a line end or another control character, which no header can hold")
    }
    guard let text = try value.text(in: scope) else { return nil }
    guard !text.text.hasControlCharacter else {
      throw scope.fault(
        value, "the header '\(name)' has a line end or another control character, which no header can hold")
    }
    return text
  }
}

extension String {
  /// True if no header field can have the text, because of a control character.
  package var hasControlCharacter: Bool {
    utf8.contains { ($0 < 0x20 && $0 != UInt8(ascii: "\t")) || $0 == 0x7F }
  }
}

// The retry policy and the rate of a job.

extension RetryPolicy {
  /// Creates the policy of a job.
  ///
  /// A request that only reads may be repeated (RFC 9110 §9.2.2). Of another one, only the author of the job knows. So
  /// such a request is retried only if the job has its own `retry`.
  init(_ job: Job) {
    self.init(job.retry)
    // What the spec says of a status comes before a retry.
    let named = (job.empty?.alternatives ?? []) + (job.failure?.alternatives ?? [])
    let decided = named.filter { $0.allSatisfy(\.isAboutStatus) }.joined().flatMap(\.statuses)
    statuses.removeAll { decided.contains($0) && !job.retry.statuses.contains($0) }
    guard !job.isRead, !job.ownsRetry else { return }
    attempts = RetryPolicy.once.attempts
    statuses = RetryPolicy.once.statuses
  }

  init(_ retry: Job.Retry) {
    self.init()
    attempts = retry.attempts ?? attempts
    statuses += retry.statuses.filter { !statuses.contains($0) }
    wait = retry.wait ?? wait
    total = retry.within ?? total
  }
}
