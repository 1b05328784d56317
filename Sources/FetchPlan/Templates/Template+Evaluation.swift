// Evaluation of templates to text, or to JSON that keeps its types. Values are not searched for templates.

import JSONText
import PipelineSpec
import Wire

extension Template {
  /// Returns the text; nil if an optional value is missing.
  ///
  /// `literals` encodes the spec's own pieces, and `encoded` the values.
  func text(
    in scope: TemplateScope, literals: (String) -> String = { $0 }, encoded: (String) -> String = { $0 }
  ) throws(ParameterError) -> Redactable? {
    var text = Redactable("")
    for piece in pieces {
      switch piece {
      case .text(let literal):
        text += Redactable(literals(literal))
      case .hole(let hole):
        guard let reading = try hole.reading(in: scope) else { return nil }
        text += try hole.text(of: reading, in: scope, encoded: encoded)
      }
    }
    return text
  }
}

extension Template.Hole {
  /// Returns a resolved value as text.
  func text(
    of reading: ResolvedValue, in scope: TemplateScope, encoded: (String) -> String = { $0 }
  ) throws(ParameterError) -> Redactable {
    guard let text = reading.text else { throw scope.fault(self, reading.value.whyNoText) }
    if isEncoded {
      guard text.isEncodedItem else { throw scope.fault(self, Self.notEncoded) }
      return Redactable(text, redacted: reading.isSecret ? "***" : nil)
    }
    return Redactable(encoded(text), redacted: reading.isSecret ? "***" : nil)
  }
}

extension Template.Hole {
  /// The reason why a value of `:encoded` can't be sent.
  static let notEncoded =
    "the value has a character that no URL has, or one that ends an item: leave ':encoded' out, which is for values that "
    + "are percent-encoded already"
}

extension JSONValue {
  fileprivate var whyNoText: String {
    switch kind {
    case .array:
      "the value is an array; make it a whole item of 'query', which repeats, or join its elements by ':,' after its name"
    case .object: "the value is an object, which can't be put into a text; name a member of it"
    default: "the value has half of a surrogate pair, which can't be put into a text"
    }
  }
}

extension TemplateValue {
  /// Returns the value; a string that is a single template has the type of its value.
  ///
  /// Members and elements whose optional value is missing are left out; nil if the whole value is missing.
  func json(in scope: TemplateScope) throws(ParameterError) -> RedactableJSON? {
    switch self {
    case .constant(let value, _): RedactableJSON(value)
    case .string(let template): try template.json(in: scope)
    case .list(let values): try Self.array(values, in: scope)
    case .map(let members): try Self.object(members, in: scope)
    }
  }

  private static func array(_ values: [TemplateValue], in scope: TemplateScope) throws(ParameterError) -> RedactableJSON
  {
    var elements: [RedactableJSON] = []
    for value in values {
      if let element = try value.json(in: scope) { elements.append(element) }
    }
    return RedactableJSON(
      JSONValue(elements: elements.map(\.value)), redacted: JSONValue(elements: elements.map(\.redacted)))
  }

  private static func object(_ members: [Member], in scope: TemplateScope) throws(ParameterError) -> RedactableJSON {
    var own: [(name: String, value: JSONValue)] = []
    var redacted: [(name: String, value: JSONValue)] = []
    for member in members {
      guard let value = try member.value.json(in: scope) else { continue }
      own.append((member.name, value.value))
      redacted.append((member.name, value.redacted))
    }
    return RedactableJSON(JSONValue(members: own), redacted: JSONValue(members: redacted))
  }
}

extension Template {
  fileprivate func json(in scope: TemplateScope) throws(ParameterError) -> RedactableJSON? {
    guard let hole = onlyHole else { return try text(in: scope).map { RedactableJSON($0) } }
    guard let reading = try hole.reading(in: scope) else { return nil }
    return RedactableJSON(reading.value, redacted: reading.isSecret ? JSONValue("***") : nil)
  }
}

// `query`: names and values with all but unreserved characters percent-encoded; a list repeats the item.

extension Job.QueryItem {
  /// Returns `name=value` for each value; missing optional values are left out.
  func encoded(in scope: TemplateScope) throws(ParameterError) -> [Redactable] {
    var items: [Redactable] = []
    for value in values {
      for text in try value.queryTexts(in: scope) {
        var item = Redactable("\(name.percentEncoded)=")
        item += text
        items.append(item)
      }
    }
    return items
  }
}

extension TemplateValue {
  fileprivate func queryTexts(in scope: TemplateScope) throws(ParameterError) -> [Redactable] {
    switch self {
    case .constant(let value, let spelling):
      return value.isNull ? [] : [Redactable(spelling.percentEncoded)]
    case .string(let template):
      return try template.queryTexts(in: scope)
    case .list(let values):
      var texts: [Redactable] = []
      for value in values { texts += try value.queryTexts(in: scope) }
      return texts
    case .map:
      // The spec decoder refuses maps: APIs do not agree on their meaning.
      return []
    }
  }
}

extension Template {
  fileprivate func queryTexts(in scope: TemplateScope) throws(ParameterError) -> [Redactable] {
    guard let hole = onlyHole else {
      return try text(in: scope, literals: \.percentEncoded, encoded: \.percentEncoded).map { [$0] } ?? []
    }
    guard let reading = try hole.reading(in: scope) else { return [] }
    let values = reading.value.kind == .array ? Array(reading.value.elements).map { ResolvedValue($0) } : [reading]
    var texts: [Redactable] = []
    for value in values where !value.value.isNull {
      texts.append(try hole.text(of: value, in: scope, encoded: \.percentEncoded))
    }
    return texts
  }
}

// Paths of content with values: a value is a piece of one name, and can neither add steps nor be a `*`.

extension ContentIdentifier {
  /// Returns the path; the body itself if an optional value is missing.
  func contentPath(in scope: TemplateScope) throws(ParameterError) -> JSONPath {
    guard paths.count > 1 else { return try paths.first?.template.contentPath(in: scope) ?? [] }
    var found: [(path: JSONPath, isOptional: Bool)] = []
    for path in paths {
      let next = try path.template.contentPath(in: scope)
      // Two values may make one name.
      if !found.contains(where: { $0.path == next }) { found.append((next, path.isOptional)) }
    }
    if found.count == 1 { return found[0].path }
    guard let path = JSONPath(anyOf: found) else {
      throw scope.fault(paths[0].template, "the paths of 'contentIdentifier' differ in more than one name")
    }
    return path
  }
}

extension Template {
  /// Returns the path; the body itself if an optional value is missing.
  func contentPath(in scope: TemplateScope) throws(ParameterError) -> JSONPath {
    guard let shape = contentShape else { throw scope.fault(self, "'\(spelling)' is not a path") }
    var values: [String] = []
    for hole in holes {
      guard let reading = try hole.reading(in: scope) else { return [] }
      values.append(try hole.text(of: reading, in: scope).text)
    }
    var rest = values[...]
    return JSONPath(
      shape.steps.map { step in
        let parts = step.name.split(separator: "\0", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return step }
        return JSONStep(parts.dropFirst().reduce(String(parts[0])) { $0 + (rest.popFirst() ?? "") + $1 })
      })
  }
}
