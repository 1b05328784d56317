// Templates become text, or JSON with its types kept. A value is never read for templates again.

import JSONText
import PipelineSpec
import Wire

extension Template {
  /// The text, with the spec's own pieces and the values encoded for where they stand. Nil when an optional value is
  /// missing.
  func text(
    in scope: Scope, literals: (String) -> String = { $0 }, encoded: (String) -> String = { $0 }
  ) throws(ParameterFault) -> Masked? {
    var text = Masked("")
    for piece in pieces {
      switch piece {
      case .text(let literal):
        text += Masked(literals(literal))
      case .hole(let hole):
        guard let reading = try hole.reading(in: scope) else { return nil }
        text += try hole.text(of: reading, in: scope, encoded: encoded)
      }
    }
    return text
  }
}

extension Template.Hole {
  /// A value that was read, as text.
  func text(
    of reading: Reading, in scope: Scope, encoded: (String) -> String = { $0 }
  ) throws(ParameterFault) -> Masked {
    guard let text = reading.text else { throw scope.fault(self, reading.value.whyNoText) }
    return Masked(encoded(text), shown: reading.isSecret ? "***" : nil)
  }
}

extension JSONValue {
  fileprivate var whyNoText: String {
    switch kind {
    case .array: "the value is an array; only a whole item of 'query' can be one, and repeats then"
    case .object: "the value is an object, which can't be put into a text"
    default: "the value has half of a surrogate pair, which can't be put into a text"
    }
  }
}

/// A JSON value beside what may be shown of it.
struct MaskedJSON: Sendable {
  var value: JSONValue
  var shown: JSONValue

  var isSecret: Bool { value != shown }

  init(_ value: JSONValue, shown: JSONValue? = nil) {
    self.value = value
    self.shown = shown ?? value
  }

  init(_ text: Masked) {
    self.init(JSONValue(text.text), shown: JSONValue(text.shown))
  }
}

extension TemplateValue {
  /// The value, where a string that is one template and nothing else has the type of what it reads. Members and elements
  /// whose optional value is missing are left out; nil when that is the whole value.
  func json(in scope: Scope) throws(ParameterFault) -> MaskedJSON? {
    switch self {
    case .constant(let value, _): MaskedJSON(value)
    case .string(let template): try template.json(in: scope)
    case .list(let values): try Self.array(values, in: scope)
    case .map(let members): try Self.object(members, in: scope)
    }
  }

  private static func array(_ values: [TemplateValue], in scope: Scope) throws(ParameterFault) -> MaskedJSON {
    var elements: [MaskedJSON] = []
    for value in values {
      if let element = try value.json(in: scope) { elements.append(element) }
    }
    return MaskedJSON(JSONValue(elements: elements.map(\.value)), shown: JSONValue(elements: elements.map(\.shown)))
  }

  private static func object(_ members: [Member], in scope: Scope) throws(ParameterFault) -> MaskedJSON {
    var own: [(name: String, value: JSONValue)] = []
    var shown: [(name: String, value: JSONValue)] = []
    for member in members {
      guard let value = try member.value.json(in: scope) else { continue }
      own.append((member.name, value.value))
      shown.append((member.name, value.shown))
    }
    return MaskedJSON(JSONValue(members: own), shown: JSONValue(members: shown))
  }
}

extension Template {
  fileprivate func json(in scope: Scope) throws(ParameterFault) -> MaskedJSON? {
    guard let hole = onlyHole else { return try text(in: scope).map { MaskedJSON($0) } }
    guard let reading = try hole.reading(in: scope) else { return nil }
    return MaskedJSON(reading.value, shown: reading.isSecret ? JSONValue("***") : nil)
  }
}
