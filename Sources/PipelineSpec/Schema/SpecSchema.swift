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
      ("properties", .object(Table("file", SpecKeys.file).properties + job.properties)),
      ("additionalProperties", JSONValue(false)),
      ("if", .anyOf(.required("steps"), .required("streams"))),
      // Beside `steps` and `streams`, only keys that are defaults for all steps are valid.
      ("then", .object([("properties", .object(others.map { ($0, JSONValue(false)) }))])),
      ("else", .object([("anyOf", Self.fetching)])), ("dependencies", job.relations),
    ]
    // `null` takes a default away.
    let properties = job.properties.map { key in
      (name: key.name, value: defaults.contains(key.name) ? .anyOf(key.value, .type("null")) : key.value)
    }
    let step = JSONValue.object([
      ("type", JSONValue("object")), ("properties", .object(properties)), ("additionalProperties", JSONValue(false)),
      ("anyOf", Self.fetching), ("dependencies", job.relations),
    ])
    let ofStream = [
      (name: "of", value: JSONValue.filledText), ("steps", .array(of: .reference("step"))),
    ]
    // A stream's name is its default endpoint.
    let ofStreams = properties.filter { $0.name != "name" }.map { key in
      key.name == "endpoint" ? (name: key.name, value: .anyOf(key.value, .type("null"))) : key
    }
    let stream = JSONValue.object([
      ("type", .texts(["object", "null"])),
      ("properties", .object(ofStream + ofStreams)),
      ("additionalProperties", JSONValue(false)), ("dependencies", job.relations),
    ])
    let tables = Self.tables.map { table in
      let schema = table.schema
      guard table.name == "pages" else { return (name: table.name, value: schema) }
      return (name: table.name, value: .object(schema.members.map { ($0.name, $0.value) } + [("anyOf", pager)]))
    }
    let shapes = [
      (name: "tests", value: tests), ("condition", condition(isOfAnswer: false)),
      ("answer", condition(isOfAnswer: true)),
      ("type", type),
    ]
    members.append(("definitions", .object([("step", step), ("stream", stream)] + tables + shapes)))
    return .object(members)
  }

  /// What `pages` must say: how to get the next page.
  private static var pager: JSONValue {
    let kinds = SpecKeys.pagers
    func way(_ required: [String], _ properties: [(name: String, value: JSONValue)]) -> JSONValue {
      .object([("required", .texts(required)), ("properties", .object(properties))])
    }
    let ways = kinds.map { kind in
      kind == "cursor"
        ? way([kind, "from"], [("from", .object([("not", .type("object"))]))])
        : way([kind], [("from", JSONValue(false))])
    }
    let items = way(["from"], [("from", .type("object"))] + kinds.map { ($0, JSONValue(false)) })
    return JSONValue(elements: ways + [items])
  }

  /// Keys of which a job needs at least one.
  private static var fetching: JSONValue {
    JSONValue(elements: (["endpoint", "download"] + SpecKeys.shaping).map { .required($0) })
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
      Table("basic", SpecKeys.basic), Table("oauth2", SpecKeys.oauth2), Table("jwt", SpecKeys.jwt),
      Table("login", SpecKeys.login),
      Table("use", SpecKeys.use, isFilled: true), Table("aws", SpecKeys.aws), Table("tls", SpecKeys.tls),
    ]
  }

  /// A map of tests, in the place of a condition's value.
  private static var tests: JSONValue { Table("tests", SpecKeys.condition).schema }

  /// A path, a map of paths with a value, a list of values or tests, or a list of these; of an answer also a status.
  private static func condition(isOfAnswer: Bool) -> JSONValue {
    let value = JSONValue.anyOf(.scalar, .array(of: .scalar, from: 1), .reference("tests"))
    let status = JSONValue.integer(from: 100, to: 599)
    var paths = JSONValue.map(of: value, isFilled: true)
    if isOfAnswer {
      let one = JSONValue.anyOf(status, .fixedTemplate, .type("null"))
      let statuses = JSONValue.anyOf(status, .fixedTemplate, .array(of: one, from: 1), .reference("tests"))
      paths = .object(
        paths.members.map { ($0.name, $0.value) } + [("properties", .object([("status", statuses)]))])
    }
    let one = [.type("string"), paths] + (isOfAnswer ? [status] : [])
    return .anyOf(one + [.array(of: .anyOf(one), from: 1)])
  }

  /// The type of a member in `model`: a word, a list with the type of its elements, or a map.
  private static var type: JSONValue {
    .anyOf(
      .words(["string", "integer", "number", "boolean", "date", "url", "any"]),
      .array(of: .reference("type"), from: 1), .map(of: .reference("type")))
  }
}

extension JSONValue {
  /// A map with this key.
  fileprivate static func required(_ key: String) -> JSONValue { .object([("required", .texts([key]))]) }
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
        return (key.name, .object([help] + key.schema().members.map { ($0.name, $0.value) }))
      }
    }

    /// Keys that need others, and keys that exclude one another.
    ///
    /// A key that may stand beside `steps` can be needed, and not be there.
    var relations: JSONValue {
      let defaults = name == "job" ? keys.filter(\.isDefault).map(\.name) : []
      let relations = keys.compactMap { key -> (name: String, value: JSONValue)? in
        let needed = (key.needs?.names ?? []).filter { !defaults.contains($0) }
        let excluded = key.excludes?.names ?? []
        let back = keys.filter { $0.excludes?.names.contains(key.name) == true }.map(\.name)
        let others = excluded + back.filter { !excluded.contains($0) }
        var members: [(name: String, value: JSONValue)] = []
        if needed.count == 1 { members.append(("required", .texts(needed))) }
        if needed.count > 1 { members.append(("anyOf", JSONValue(elements: needed.map { .required($0) }))) }
        if !others.isEmpty { members.append(("not", .anyOf(others.map { .required($0) }))) }
        return members.isEmpty ? nil : (key.name, .object(members))
      }
      return .object(relations)
    }

    var schema: JSONValue {
      var members = [
        (name: "type", value: JSONValue("object")), ("properties", .object(properties)),
        ("additionalProperties", JSONValue(false)),
      ]
      let required = keys.filter(\.isRequired).map(\.name)
      if !required.isEmpty { members.append(("required", .texts(required))) }
      let relations = relations
      if relations != .anything { members.append(("dependencies", relations)) }
      if isFilled { members.append(("minProperties", JSONValue(1))) }
      return .object(members)
    }
  }
}
