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
