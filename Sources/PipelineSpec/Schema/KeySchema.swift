// The JSON Schema of one key's value.

import JSONText

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
      ("auth", "aws"):
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
        words(["json", "lines", "csv"]),
        SpecSchema.object([
          ("type", JSONValue("object")),
          ("properties", SpecSchema.object([("csv", SpecSchema.reference("csv"))])),
          ("required", SpecSchema.strings(["csv"])), ("additionalProperties", JSONValue(false)),
        ]),
      ])
    case ("pages", "number"), ("pages", "offset"), ("pages", "cursor"):
      SpecSchema.anyOf([Self.filledText] + ["body", "form", "header"].map { Self.item(in: $0) })
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
    case ("incremental", "mark"): path
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
    case "a member, or a list of members", "a path, or a list of names": oneOrMore(Self.filledText)
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
    let isOfToken = ["aws", "oauth2", "login"].contains(table)
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
      ("type", JSONValue("object")), ("properties", SpecSchema.object([(part, part == "body" ? anyPath : filledText)])),
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
