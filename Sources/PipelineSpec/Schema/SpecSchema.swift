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
    // A stream's name is its default endpoint.
    let ofStreams = properties.filter { $0.name != "name" }.map { key in
      key.name == "endpoint" ? (name: key.name, value: anyOf([key.value, type("null")])) : key
    }
    let stream = object([
      ("type", strings(["object", "null"])),
      ("properties", object(ofStream + ofStreams)),
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
    "login": ["refreshToken": ["nextRefreshToken"], "nextRefreshToken": ["refreshToken"]],
    "then": [
      "method": ["endpoint"], "query": ["endpoint"], "body": ["endpoint"], "form": ["endpoint"], "text": ["endpoint"],
    ],
    "pages": [
      "cursor": ["from"], "then": ["from"], "scroll": ["from"],
    ],
  ]
  /// Keys that exclude one another, by table.
  fileprivate static let exclusive = [
    "pages": [["number", "offset", "cursor", "next", "link"]], "job": [["body", "form", "text"], ["drop", "keep"]],
    "login": [["body", "form"]], "oauth2": [["refreshToken", "jwt", "deviceUrl"]], "then": [["body", "form", "text"]],
    "span": [["step", "window"]],
    "auth": ["headers", "query"].map { ["bearer", "basic", $0, "oauth2", "login", "aws"] },
  ]

  /// What `pages` must say: how to get the next page.
  private static var pager: JSONValue {
    let kinds = (exclusive["pages"] ?? []).joined()
    func way(_ required: [String], _ properties: [(name: String, value: JSONValue)]) -> JSONValue {
      object([("required", strings(required)), ("properties", object(properties))])
    }
    let ways = kinds.map { kind in
      kind == "cursor"
        ? way([kind, "from"], [("from", object([("not", type("object"))]))]) : way([kind], [("from", JSONValue(false))])
    }
    let items = way(["from"], [("from", type("object"))] + kinds.map { ($0, JSONValue(false)) })
    return JSONValue(elements: ways + [items])
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
      Table("basic", SpecKeys.basic), Table("oauth2", SpecKeys.oauth2), Table("jwt", SpecKeys.jwt),
      Table("login", SpecKeys.login),
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

// MARK: The JSON Schema of one key's value

/// The schema of a key's value, derived from the words of the reference.
struct KeySchema {
  private let key: KeyEntry
  private let table: String

  init(_ key: KeyEntry, in table: String) {
    self.key = key
    self.table = table
  }

  var members: [(name: String, value: JSONValue)] { schema.members.map { ($0.name, $0.value) } }

  private var schema: JSONValue {
    nested ?? number ?? list ?? map ?? text
  }

  /// Values that have a table of their own, or several shapes.
  private var nested: JSONValue? {
    switch (table, key.name) {
    case ("job", "body"), ("then", "body"), ("login", "body"), ("file", "$schema"): SpecSchema.object([])
    case ("file", "steps"): SpecSchema.array(of: SpecSchema.reference("step"))
    case ("file", "streams"): SpecSchema.map(of: SpecSchema.reference("stream"), isFilled: true)
    case ("job", "decode"), ("job", "download"),
      ("job", "poll"), ("job", "tls"), ("pages", "then"), ("auth", "basic"), ("auth", "oauth2"), ("auth", "login"),
      ("auth", "aws"), ("oauth2", "jwt"):
      SpecSchema.reference(key.name)
    case ("job", "pages"): SpecSchema.anyOf([words(["auto", "link", "one"]), SpecSchema.reference("pages")])
    case ("pages", "link"): SpecSchema.anyOf([Self.filledText, SpecSchema.reference("link")])
    case ("job", "incremental"): SpecSchema.anyOf([Self.filledText, SpecSchema.reference("incremental")])
    case ("job", "retry"):
      SpecSchema.anyOf([
        JSONValue(members: [
          ("type", JSONValue("integer")), ("minimum", JSONValue(1)), ("maximum", JSONValue(1_000)),
        ]), fixedTemplate, SpecSchema.reference("retry"),
      ])
    case ("job", "auth"): orWord("netrc", SpecSchema.reference("auth"))
    case ("login", "as"), ("oauth2", "as"): orWord("bearer", SpecSchema.reference("use"))
    case ("job", "attach"): SpecSchema.anyOf([Self.filledText, SpecSchema.reference("attach")])
    case ("tests", "has"): SpecSchema.type("string", "number", "boolean")
    case ("job", "key"): oneOrMore(Self.filledText)
    case ("job", "contentIdentifier"):
      // A list of one has a plain name: YAML reads `["@graph"]` as a list.
      SpecSchema.anyOf([
        path, Self.list(of: path, from: 2), Self.list(of: pattern("^[A-Za-z_][A-Za-z0-9_]*\\??$"), from: 1, to: 1),
      ])
    case ("job", "read"):
      SpecSchema.anyOf([
        words(["json", "lines", "sequence", "csv"]),
        SpecSchema.object([
          ("type", JSONValue("object")),
          ("properties", SpecSchema.object([("csv", SpecSchema.reference("csv"))])),
          ("required", SpecSchema.strings(["csv"])), ("additionalProperties", JSONValue(false)),
        ]),
      ])
    case ("pages", "number"), ("pages", "offset"), ("pages", "cursor"):
      SpecSchema.anyOf(
        [Self.filledText]
          + (["body", "form", "header"] + (key.name == "cursor" ? [] : ["endpoint"])).map { Self.item(in: $0) })
    case ("pages", "from"):
      SpecSchema.anyOf([pattern(Self.rooted), SpecSchema.map(of: pattern(Self.rooted), isFilled: true)])
    case ("download", "size"): pattern(#"^\$\{[^}]+\}$"#)
    case ("csv", "header"):
      SpecSchema.anyOf([
        SpecSchema.type("boolean"), words(["first"]), SpecSchema.array(of: SpecSchema.type("string")),
      ])
    case ("job", "each"):
      SpecSchema.map(
        of: SpecSchema.anyOf([SpecSchema.type("array"), SpecSchema.reference("span"), template]), isFilled: true)
    case ("tests", "not"):
      SpecSchema.anyOf([
        SpecSchema.scalar, SpecSchema.array(of: SpecSchema.scalar), SpecSchema.reference("tests"),
      ])
    case ("incremental", "mark"), ("link", "in"): path
    case ("job", "columns"): SpecSchema.anyOf([path, SpecSchema.array(of: Self.filledText, isFilled: true)])
    default:
      key.value.contains("a condition on the answer")
        ? SpecSchema.reference("answer")
        : key.value.contains("a condition") ? SpecSchema.reference("condition") : quotedWords
    }
  }

  /// Schema of a value that is one of the quoted words: `'error' or 'empty'`.
  private var quotedWords: JSONValue? {
    guard key.value.hasPrefix("'") else { return nil }
    let words = words(key.value.split(separator: "'").map(String.init).filter { !["", ", ", " or "].contains($0) })
    return ["onError", "keys", "send"].contains(key.name) ? SpecSchema.anyOf([words, fixedTemplate]) : words
  }

  /// A text with a template in it, in place of a constant.
  private var fixedTemplate: JSONValue { pattern("\\$\\{") }

  private var number: JSONValue? {
    if key.value == "true or false" { return SpecSchema.anyOf([SpecSchema.type("boolean"), fixedTemplate]) }
    if key.value == "a number, a date or a time" { return SpecSchema.type("number", "string") }
    if key.value.hasPrefix("a step ") { return step }
    guard key.value.hasPrefix("a whole number") else { return nil }
    var members = [(name: "type", value: JSONValue("integer"))]
    let bounds = key.value.split(separator: " ").compactMap { Int($0) }
    members += zip(["minimum", "maximum"], bounds).map { ($0, JSONValue($1)) }
    return SpecSchema.anyOf([SpecSchema.object(members), fixedTemplate])
  }

  /// A text, or a whole number above 0; the bound holds for numbers only, and the pattern for texts.
  private var step: JSONValue {
    SpecSchema.object([
      ("type", JSONValue(elements: [JSONValue("string"), JSONValue("integer")])), ("minimum", JSONValue(1)),
      ("pattern", JSONValue("^0*[1-9][0-9]*(s|m|h|d|w|mo|y)?$|\\$\\{")),
    ])
  }

  private var list: JSONValue? {
    switch key.value {
    case "a host, or a list of hosts": SpecSchema.anyOf([Self.filledText, SpecSchema.array(of: Self.filledText)])
    case "a sign, or a list of signs":
      SpecSchema.anyOf([
        words(Sign.ignorable.map(\.rawValue)), SpecSchema.array(of: words(Sign.ignorable.map(\.rawValue))),
      ])
    case "a path, or a list of paths":
      key.name == "drop" ? SpecSchema.anyOf([path, SpecSchema.array(of: path)]) : oneOrMore(path)
    case "a member, or a list of members": oneOrMore(path)
    case "a path, or a list of names": oneOrMore(Self.filledText)
    case _ where key.value.hasPrefix("a list of"): SpecSchema.array(of: Self.filledText)
    default: nil
    }
  }

  private var map: JSONValue? {
    let constant = SpecSchema.type("string", "number", "boolean")
    let values: JSONValue? =
      switch key.value {
      case "a map of query items" where !["job", "then"].contains(table), "a map of names and texts": Self.filledText
      case "a map of query items", "a map of items":
        SpecSchema.anyOf([SpecSchema.scalar, SpecSchema.array(of: SpecSchema.scalar)])
      case "a map of header fields": SpecSchema.scalar
      case "a map of names and their defaults": SpecSchema.anyOf([SpecSchema.scalar, SpecSchema.array(of: constant)])
      case "a map of paths in fetched records to paths in input records":
        SpecSchema.anyOf([SpecSchema.type("string"), SpecSchema.type("integer")])
      case "a map of members and their new names": Self.filledText
      case "a map of members and forms":
        SpecSchema.type("string")
      case "a map of members and their words":
        SpecSchema.object([("enum", SpecSchema.strings(Decode.ValueType.allCases.map(\.rawValue)))])
      case "a map of members and their values" where key.name == "nulls":
        SpecSchema.anyOf([constant, SpecSchema.array(of: constant, isFilled: true)])
      case "a map of members and their types": SpecSchema.reference("type")
      default: key.value.hasPrefix("a map") ? SpecSchema.object([]) : nil
      }
    return values.map { SpecSchema.map(of: $0) }
  }

  /// Texts, some of which may also be numbers.
  private var text: JSONValue {
    for (start, text) in Self.patterns where key.value.hasPrefix(start) { return pattern(text) }
    if table == "pages", ["a path", "a path, or a text with templates"].contains(key.value), key.name != "in" {
      return pattern(Self.rooted)
    }
    if isFilled { return Self.filledText }
    if key.value.hasPrefix("a size ") { return size }
    let isNumberToo = ["number", "size", "date"].contains { key.value.contains($0) }
    return isNumberToo ? SpecSchema.type("string", "number") : SpecSchema.type("string")
  }

  /// Patterns of texts, by the first words of what a key takes.
  private static let patterns = [
    ("a duration ", "^0*[1-9][0-9]*(ms|s|m|h)$|\\$\\{"),
    ("a method ", "^[!#$%&'*+.^_`|~0-9A-Z-]+$"),
    ("a rate ", "^(?!0*(\\.0*)?/)[0-9]+(\\.[0-9]{1,3})?/[smh]$|\\$\\{"),
  ]

  /// First words of what a key takes, if it is a text that is not empty.
  private static let filled = [
    "a name", "a member's name", "a relation ", "a token", "a refresh token", "a path", "a region ",
  ]

  /// The same, in maps of `auth` that sign or fetch a token.
  private static let filledForToken = ["a text", "a URL"]

  static let filledText = SpecSchema.object([("type", JSONValue("string")), ("minLength", JSONValue(1))])

  /// True for a text that is not empty.
  private var isFilled: Bool {
    let isOfToken = ["aws", "oauth2", "jwt", "login"].contains(table)
    return (Self.filled + (isOfToken ? Self.filledForToken : [])).contains(where: key.value.hasPrefix)
  }

  /// Pattern of a path that begins with a root, or a text with a template in it.
  private static let rooted = "\\$\\{|^(body|headers|last|input|param)([.\\[?]|$)"

  /// A path; digits alone may be a number of YAML.
  private var path: JSONValue { Self.anyPath }

  private static func list(of element: JSONValue, from least: Int, to most: Int? = nil) -> JSONValue {
    let most = most.map { [("maxItems", JSONValue($0))] } ?? []
    return SpecSchema.object(
      [("type", JSONValue("array")), ("items", element), ("minItems", JSONValue(least))] + most)
  }

  private static var anyPath: JSONValue {
    SpecSchema.object([
      ("type", SpecSchema.strings(["string", "integer"])), ("minimum", JSONValue(0)), ("minLength", JSONValue(1)),
    ])
  }

  /// A pager's item in one part of the request.
  private static func item(in part: String) -> JSONValue {
    SpecSchema.object([
      ("type", JSONValue("object")),
      (
        "properties",
        SpecSchema.object([
          (
            part,
            part == "body"
              ? anyPath : part == "endpoint" ? SpecSchema.object([("enum", SpecSchema.strings(["page"]))]) : filledText
          )
        ])
      ),
      ("required", SpecSchema.strings([part])), ("additionalProperties", JSONValue(false)),
    ])
  }

  private func pattern(_ pattern: String) -> JSONValue {
    SpecSchema.object([("type", JSONValue("string")), ("pattern", JSONValue(pattern))])
  }

  /// A number of bytes, with or without a unit; the bound holds for numbers only, and the pattern for texts.
  private var size: JSONValue {
    SpecSchema.object([
      ("type", SpecSchema.strings(["string", "integer"])), ("minimum", JSONValue(1)),
      ("pattern", JSONValue("^[0-9]+([KMGT]i?)?B$|\\$\\{")),
    ])
  }

  /// A list of the input record, or a template that reads a list.
  private var template: JSONValue {
    pattern("^(input([.\\[]|$)|\\$\\{param\\.)")
  }

  /// One value, or a list of at least one.
  private func oneOrMore(_ schema: JSONValue) -> JSONValue {
    SpecSchema.anyOf([schema, SpecSchema.array(of: schema, isFilled: true)])
  }

  private func words(_ words: [String]) -> JSONValue { SpecSchema.object([("enum", SpecSchema.strings(words))]) }

  private func orWord(_ word: String, _ schema: JSONValue) -> JSONValue { SpecSchema.anyOf([words([word]), schema]) }
}
