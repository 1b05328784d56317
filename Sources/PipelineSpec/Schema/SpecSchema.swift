// The JSON Schema of the spec language (draft-07), from the tables of keys.

import JSONText

/// The schema by which editors complete and check specs.
///
/// The schema covers names and types. It accepts errors that only `pagecat check` finds, such as wrong templates and
/// contradicting keys.
package enum SpecSchema {
  package static var text: String { json.text }

  private static var json: JSONValue {
    let job = Table("job", SpecKeys.job)
    let defaults = SpecKeys.job.filter(\.isDefault).map(\.name)
    let others = SpecKeys.job.map(\.name).filter { !defaults.contains($0) }
    var members = [
      (name: "$schema", value: JSONValue("http://json-schema.org/draft-07/schema#")),
      ("title", JSONValue("pagecat spec")),
      ("type", JSONValue("object")),
      ("properties", object(Table("file", SpecKeys.file).properties + job.properties)),
      ("additionalProperties", JSONValue(false)),
      ("if", anyOf([object([("required", strings(["steps"]))]), object([("required", strings(["streams"]))])])),
      // Beside `steps` and `streams`, only keys that are defaults for all steps are valid.
      ("then", object([("properties", object(others.map { ($0, JSONValue(false)) }))])),
      ("else", object([("anyOf", Self.fetching)])), ("dependencies", job.relations),
    ]
    // `null` takes a default away.
    let properties = job.properties.map { key in
      (name: key.name, value: defaults.contains(key.name) ? anyOf([key.value, type("null")]) : key.value)
    }
    let step = object([
      ("type", JSONValue("object")), ("properties", object(properties)), ("additionalProperties", JSONValue(false)),
      ("anyOf", Self.fetching), ("dependencies", job.relations),
    ])
    let ofStream = [
      (name: "of", value: KeySchema.filledText),
      ("steps", array(of: reference("step"))),
    ]
    let stream = object([
      ("type", strings(["object", "null"])),
      ("properties", object(ofStream + properties.filter { $0.name != "name" })),
      ("additionalProperties", JSONValue(false)), ("dependencies", job.relations),
    ])
    let tables = Self.tables.map { table in
      let schema = table.schema
      guard table.name == "pages" else { return (name: table.name, value: schema) }
      return (name: table.name, value: object(schema.members.map { ($0.name, $0.value) } + [("anyOf", pager)]))
    }
    let shapes = [
      (name: "tests", value: tests), ("condition", condition(isOfAnswer: false)),
      ("answer", condition(isOfAnswer: true)),
      ("type", type),
    ]
    members.append(("definitions", object([("step", step), ("stream", stream)] + tables + shapes)))
    return object(members)
  }

  /// Keys that mean nothing without another one, which is one of a list, by table.
  fileprivate static let needed = [
    "then": [
      "method": ["endpoint"], "query": ["endpoint"], "body": ["endpoint"], "form": ["endpoint"], "text": ["endpoint"],
    ],
    "pages": [
      "cursor": ["from"], "from": ["cursor"], "then": ["cursor"], "scroll": ["cursor"],
    ],
  ]
  /// Keys that exclude one another, by table.
  fileprivate static let exclusive = [
    "pages": [["number", "offset", "cursor", "next", "link"]], "job": [["body", "form", "text"], ["drop", "keep"]],
    "login": [["body", "form"]], "then": [["body", "form", "text"]], "span": [["step", "window"]],
    "auth": ["headers", "query"].map { ["bearer", "basic", $0, "oauth2", "login", "aws"] },
  ]

  /// What `pages` must say: how to get the next page.
  private static var pager: JSONValue {
    JSONValue(elements: (exclusive["pages"] ?? []).joined().map { object([("required", strings([$0]))]) })
  }

  /// Keys of which a job needs at least one.
  private static var fetching: JSONValue {
    JSONValue(elements: (["endpoint", "download"] + NodeDecoder.shaping).map { object([("required", strings([$0]))]) })
  }

  /// Tables of keys inside other keys.
  private static var tables: [Table] {
    [
      Table("pages", SpecKeys.pages), Table("link", SpecKeys.link), Table("then", SpecKeys.then),
      Table("span", SpecKeys.span),
      Table("decode", SpecKeys.decode), Table("incremental", SpecKeys.incremental),
      Table("attach", SpecKeys.attach), Table("poll", SpecKeys.poll), Table("csv", SpecKeys.csv),
      Table("download", SpecKeys.download), Table("retry", SpecKeys.retry),
      Table("auth", SpecKeys.auth, isFilled: true),
      Table("basic", SpecKeys.basic), Table("oauth2", SpecKeys.oauth2), Table("login", SpecKeys.login),
      Table("use", SpecKeys.use, isFilled: true), Table("aws", SpecKeys.aws), Table("tls", SpecKeys.tls),
    ]
  }

  /// A map of tests, in the place of a condition's value.
  private static var tests: JSONValue { Table("tests", SpecKeys.condition).schema }

  /// A path, a map of paths with a value, a list of values or tests, or a list of these; of an answer also a status.
  private static func condition(isOfAnswer: Bool) -> JSONValue {
    let value = anyOf([scalar, array(of: scalar, isFilled: true), reference("tests")])
    let status = object([
      ("type", JSONValue("integer")), ("minimum", JSONValue(100)), ("maximum", JSONValue(599)),
    ])
    var paths = map(of: value, isFilled: true)
    if isOfAnswer {
      let template = object([("type", JSONValue("string")), ("pattern", JSONValue("\\$\\{"))])
      let one = anyOf([status, template, type("null")])
      let statuses = anyOf([status, template, array(of: one, isFilled: true), reference("tests")])
      paths = object(
        paths.members.map { ($0.name, $0.value) } + [("properties", object([("status", statuses)]))])
    }
    let one = [type("string"), paths] + (isOfAnswer ? [status] : [])
    return anyOf(one + [array(of: anyOf(one), isFilled: true)])
  }

  /// The type of a member in `model`: a word, a list with the type of its elements, or a map.
  private static var type: JSONValue {
    let words = ["string", "integer", "number", "boolean", "date", "url", "any"]
    return anyOf([
      object([("enum", strings(words))]), array(of: reference("type"), isFilled: true), map(of: reference("type")),
    ])
  }

  // MARK: Pieces

  static func object(_ members: [(name: String, value: JSONValue)]) -> JSONValue { JSONValue(members: members) }

  static func strings(_ texts: [String]) -> JSONValue { JSONValue(elements: texts.map { JSONValue($0) }) }

  static func type(_ names: String...) -> JSONValue {
    object([("type", names.count == 1 ? JSONValue(names[0]) : strings(names))])
  }

  static func reference(_ name: String) -> JSONValue { object([("$ref", JSONValue("#/definitions/\(name)"))]) }

  static func anyOf(_ schemas: [JSONValue]) -> JSONValue { object([("anyOf", JSONValue(elements: schemas))]) }

  static func array(of element: JSONValue, isFilled: Bool = false) -> JSONValue {
    let least = isFilled ? [(name: "minItems", value: JSONValue(1))] : []
    return object([("type", JSONValue("array")), ("items", element)] + least)
  }

  static func map(of value: JSONValue, isFilled: Bool = false) -> JSONValue {
    let least = isFilled ? [(name: "minProperties", value: JSONValue(1))] : []
    return object([("type", JSONValue("object")), ("additionalProperties", value)] + least)
  }

  /// Schema of a template or a constant: text, a number, a boolean or null.
  static var scalar: JSONValue { type("string", "number", "boolean", "null") }
}

extension SpecSchema {
  /// One table of keys, as an object's schema.
  struct Table {
    let name: String
    private let keys: [KeyEntry]
    /// True if a map has at least one of the keys.
    private let isFilled: Bool

    init(_ name: String, _ keys: [KeyEntry], isFilled: Bool = false) {
      self.name = name
      self.keys = keys
      self.isFilled = isFilled
    }

    var properties: [(name: String, value: JSONValue)] {
      keys.map { key in
        let standard = key.standard.isEmpty || key.standard == "none" ? "" : " (default: \(key.standard))"
        let help = (name: "description", value: JSONValue(key.summary + standard))
        return (key.name, SpecSchema.object([help] + KeySchema(key, in: name).members))
      }
    }

    /// Keys that need others, and keys that exclude one another.
    var relations: JSONValue {
      let (needed, exclusive) = (SpecSchema.needed[name] ?? [:], SpecSchema.exclusive[name] ?? [])
      func required(_ keys: [String]) -> (name: String, value: JSONValue) {
        guard keys.count > 1 else { return ("required", SpecSchema.strings(keys)) }
        return ("anyOf", JSONValue(elements: keys.map { SpecSchema.object([required([$0])]) }))
      }
      let related = keys.map(\.name).filter { needed[$0] != nil || exclusive.joined().contains($0) }
      return SpecSchema.object(
        related.map { key in
          var others: [String] = []
          for name in exclusive.filter({ $0.contains(key) }).joined() where name != key && !others.contains(name) {
            others.append(name)
          }
          let not =
            others.isEmpty ? [] : [("not", SpecSchema.anyOf(others.map { SpecSchema.object([required([$0])]) }))]
          return (key, SpecSchema.object([needed[key].map(required)].compactMap { $0 } + not))
        })
    }

    var schema: JSONValue {
      var members = [
        (name: "type", value: JSONValue("object")), ("properties", SpecSchema.object(properties)),
        ("additionalProperties", JSONValue(false)),
      ]
      let required = keys.filter(\.isRequired).map(\.name)
      if !required.isEmpty { members.append(("required", SpecSchema.strings(required))) }
      if SpecSchema.needed[name] != nil || SpecSchema.exclusive[name] != nil {
        members.append(("dependencies", relations))
      }
      if isFilled { members.append(("minProperties", JSONValue(1))) }
      return SpecSchema.object(members)
    }
  }
}
