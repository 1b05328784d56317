// Keys at the top of a file, beside one job's keys, or beside `steps` and their defaults.

import YAMLText

internal import Diagnostics
internal import JSONText
internal import Primitives

extension SpecKeys {
  static let fileKeys: [Key<FileDraft>] = [
    Key(
      "$schema", "anything", .anything, standard: "none", "ignored by pagecat; names a schema for editors",
      mayChange: true
    ) { _, _, _ in },
    Key(
      "description", "text", .type("string"), standard: "none", "what the file fetches, for people", mayChange: true
    ) { node, _, decoder in
      _ = decoder.string(node, expected: "text")
    },
    Key(
      "params",
      .init("a map of names and their defaults", .map(of: .anyOf(.scalar, .array(of: .constant)))) {
        $1.declarations($0)
      },
      \.parameters, standard: "none", "what the command line may set; `null` is required"),
    Key(
      "steps", .init("a list of steps", .array(of: .reference("step"))) { $1.steps($0) }, \.steps,
      standard: "one step's keys stand at the top", "the steps, each reading what the one before it writes"),
    Key(
      "streams",
      .init("a map of names and steps", .map(of: .reference("stream"), isFilled: true)) { $1.streams($0) }, \.streams,
      standard: "none",
      "the outputs of a file with several: each a step, or `{ steps: […] }`; `of: NAME` reads the records of another"),
  ]
}

extension NodeDecoder {
  /// Returns the steps, or none if the node is no list.
  mutating func steps(_ node: Node) -> [Node] {
    guard case .list(let steps) = node.content else {
      var example: String?
      if case .map(let entries) = node.content, let first = entries.first {
        let value = sourceText(of: first.value)
        let inner = value.hasPrefix("{ ") ? String(value.dropFirst(2)) : nil
        example = inner.map { "- { name: \(first.key.printable), \($0)" } ?? "- \(first.key.printable): \(value)"
      }
      refuse(node, expected: "a list of steps", advice: "begin each with '- '\(example.map { ": '\($0)'" } ?? "")")
      return []
    }
    let names = steps.compactMap { node -> String? in if case .string(let text) = node.content { text } else { nil } }
    if let name = names.first, names.count == steps.count {
      refuse(
        "a step is a map of keys, and no name", at: node.range,
        advice: "write each as '- endpoint: \(name.printable)'")
      return []
    }
    if steps.isEmpty {
      refuse(
        "no step in 'steps'", at: node.range,
        advice: "write each step as '- endpoint: URL', or leave 'steps' out, and write one step's keys in its place")
    }
    return steps
  }

  mutating func declarations(_ node: Node) -> [Spec.Parameter] {
    guard let entries = entries(of: node) else {
      refuse(node, expected: "a map of names and their defaults", advice: "write '{ name: default }', or '{}' for none")
      return []
    }
    return entries.compactMap { declaration($0) }
  }

  /// Returns a declaration; one with a wrong default still declares its name.
  private mutating func declaration(_ entry: Node.Entry) -> Spec.Parameter? {
    guard !entry.key.isEmpty, entry.key.utf8.allSatisfy(\.isWord) else {
      refuse(
        "a parameter's name is made of letters, digits, '_' and '-'", at: entry.keyRange,
        advice: "'NAME=VALUE' on the command line sets it")
      return nil
    }
    var standard: JSONValue?
    var template: Template?
    switch entry.value.content {
    case .null: break
    case .boolean, .number: standard = entry.value.constant
    case .string(let text):
      template = text.contains("${") ? self.template(text, entry.value, .parameter) : nil
      if template?.literal != nil || !text.contains("${") {
        (standard, template) = (JSONValue(template?.literal ?? text), nil)
      }
    case .list(let nodes): standard = list(nodes)
    case .map: refuse(entry.value, expected: "text, a number, a boolean, a list of these, or null")
    }
    return Spec.Parameter(
      name: entry.key, standard: standard, spelling: standard.map { $0.string ?? entry.value.spelling } ?? "",
      template: template)
  }
}

extension NodeDecoder {
  /// Returns the default of a parameter that is a list of texts, numbers or booleans.
  private mutating func list(_ nodes: [Node]) -> JSONValue? {
    let elements = nodes.compactMap { node -> JSONValue? in
      switch node.content {
      case .boolean, .number: return node.constant
      case .string(let text): return refusesTemplate(text, node) ? nil : JSONValue(text)
      case .null, .list, .map:
        refuse(node, expected: "text, a number or a boolean")
        return nil
      }
    }
    return JSONValue(elements: elements)
  }
}

extension UInt8 {
  /// True for letters, digits, `_` and `-`, which form names of parameters, and of members in templates.
  var isWord: Bool { isLetterOrDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
}
