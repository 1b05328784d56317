// One spec key is one entry: the decoder, did-you-mean, the reference and the schema come from these tables.

import YAMLText

internal import Diagnostics
internal import JSONText

/// All keys of the language, table by table, in the order of the reference.
package enum SpecKeys {
  /// Keys of a file; beside them are one job's keys, or `steps` with those of `job` that may be defaults.
  package static let file: [KeyEntry] = fileKeys.map(\.entry)
  package static let job: [KeyEntry] = jobKeys.map(\.entry)
  package static let pages: [KeyEntry] = pagesKeys.map(\.entry)
  package static let link: [KeyEntry] = linkKeys.map(\.entry)
  package static let then: [KeyEntry] = thenKeys.map(\.entry)
  package static let span: [KeyEntry] = spanKeys.map(\.entry)
  package static let decode: [KeyEntry] = decodeKeys.map(\.entry)
  package static let condition: [KeyEntry] = conditionKeys.map(\.entry)
  package static let incremental: [KeyEntry] = incrementalKeys.map(\.entry)
  package static let attach: [KeyEntry] = attachKeys.map(\.entry)
  package static let poll: [KeyEntry] = pollKeys.map(\.entry)
  package static let csv: [KeyEntry] = csvKeys.map(\.entry)
  package static let download: [KeyEntry] = downloadKeys.map(\.entry)
  package static let retry: [KeyEntry] = retryKeys.map(\.entry)
  package static let auth: [KeyEntry] = authKeys.map(\.entry)
  package static let basic: [KeyEntry] = basicKeys.map(\.entry)
  package static let oauth2: [KeyEntry] = oauth2Keys.map(\.entry)
  package static let jwt: [KeyEntry] = jwtKeys.map(\.entry)
  package static let login: [KeyEntry] = loginKeys.map(\.entry)
  package static let use: [KeyEntry] = useKeys.map(\.entry)
  package static let aws: [KeyEntry] = awsKeys.map(\.entry)
  package static let tls: [KeyEntry] = tlsKeys.map(\.entry)

  static let jobKeys: [Key<JobDraft>] = requestKeys + contentKeys + shapeKeys + wholeKeys + joiningKeys + fetchingKeys
  static let defaultKeys: [Key<JobDraft>] = jobKeys.filter(\.entry.isDefault)
  /// Keys that make a step without a request, since each does something with its input records.
  static let shaping = ["set", "each", "where", "drop", "keep", "flatten", "rename", "decode", "model", "unique"]

  /// Reports that a name is a job's key that can't stand in a kind of step.
  static func isUnfit(_ name: String, for steps: KeyEntry.Steps) -> Bool {
    job.contains { $0.name == name && !$0.fits.contains(steps) }
  }
}

/// Key with the function that reads its value into a target.
struct Key<Target>: Sendable {
  private(set) var entry: KeyEntry
  let read: @Sendable (Node, inout Target, inout NodeDecoder) -> Void

  typealias Member<Value> = any WritableKeyPath<Target, Value> & Sendable

  /// A key whose value becomes one of the target's; without a value, that stays as it is.
  init<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ member: Member<Value>,
    standard: String = "", _ summary: String, besideSteps: KeyEntry.BesideSteps = .content,
    fits: KeyEntry.Steps = .pages, needs: KeyEntry.Others? = nil, excludes: KeyEntry.Others? = nil,
    isRequired: Bool = false, mayChange: Bool = false
  ) {
    self.init(
      name, kind.words, kind.schema(), standard: standard, summary, besideSteps: besideSteps, fits: fits, needs: needs,
      excludes: excludes, isRequired: isRequired, mayChange: mayChange
    ) { node, target, decoder in
      if let value = kind.read(node, &decoder) { target[keyPath: member] = value }
    }
  }

  /// A key whose value becomes one of the target's that may be nil; without a value, that stays as it is.
  init<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ member: Member<Value?>,
    standard: String = "", _ summary: String, besideSteps: KeyEntry.BesideSteps = .content,
    fits: KeyEntry.Steps = .pages, needs: KeyEntry.Others? = nil, excludes: KeyEntry.Others? = nil,
    isRequired: Bool = false, mayChange: Bool = false
  ) {
    self.init(
      name, kind.words, kind.schema(), standard: standard, summary, besideSteps: besideSteps, fits: fits, needs: needs,
      excludes: excludes, isRequired: isRequired, mayChange: mayChange
    ) { node, target, decoder in
      if let value = kind.read(node, &decoder) { target[keyPath: member] = value }
    }
  }

  /// A key that reads more than one value, or reads into what is there.
  init(
    _ name: String, _ value: String, _ schema: @autoclosure @escaping @Sendable () -> JSONValue,
    standard: String = "", _ summary: String, besideSteps: KeyEntry.BesideSteps = .content,
    fits: KeyEntry.Steps = .pages, needs: KeyEntry.Others? = nil, excludes: KeyEntry.Others? = nil,
    isRequired: Bool = false, mayChange: Bool = false,
    read: @escaping @Sendable (Node, inout Target, inout NodeDecoder) -> Void
  ) {
    entry = KeyEntry(
      name: name, value: value, schema: schema, standard: standard, summary: summary, besideSteps: besideSteps,
      fits: fits, needs: needs, excludes: excludes, isRequired: isRequired, mayChange: mayChange)
    self.read = read
  }
}

extension Key {
  /// Returns the key of a map in which it needs others.
  func needing(_ others: KeyEntry.Others) -> Self {
    var key = self
    key.entry.needs = others
    return key
  }
}

/// Description of a key for people and editors.
package struct KeyEntry: Sendable {
  package let name: String
  /// Accepted values, in words that also end the sentence "expected …".
  package let value: String
  /// JSON Schema of accepted values; made when it is asked for, since a run needs none.
  let schema: @Sendable () -> JSONValue
  /// Value that applies if the key is not given; empty for none.
  package let standard: String
  /// One line of help.
  package let summary: String
  let besideSteps: BesideSteps
  /// Kinds of steps in which a job's key may stand; it says nothing about keys of other maps.
  let fits: Steps
  /// Keys of which one must stand beside this one.
  var needs: Others?
  /// Keys of which none may stand beside this one.
  let excludes: Others?
  package let isRequired: Bool
  /// True if no record depends on the value, so that a resumed run may have another value.
  package let mayChange: Bool

  /// Effect of a job's key that is written beside `steps`.
  package enum BesideSteps: Sendable, Hashable {
    /// The key can't stand there.
    case nothing
    /// Every step begins with its value.
    case setting
    /// Each step that the key fits has it, as if written there.
    case content
  }

  /// Kinds of steps.
  struct Steps: OptionSet {
    let rawValue: Int
    /// A step that requests pages.
    static let pages = Self(rawValue: 1)
    /// A step with `download`; a file is no page.
    static let files = Self(rawValue: 2)
    /// A step without a request, which only changes its input records.
    static let passing = Self(rawValue: 4)

    static let requests: Self = [.pages, .files]
    /// Every step but a download.
    static let records: Self = [.pages, .passing]
    static let all: Self = [.requests, .passing]
  }

  /// Keys of the same map.
  struct Others {
    let names: [String]
    /// Remedy for a map that breaks the rule; nil if a check of its own says more.
    let advice: String?
    /// True if the message is about the whole map.
    let isOfMap: Bool

    init(_ names: [String], isOfMap: Bool = false, advice: String?) {
      (self.names, self.isOfMap, self.advice) = (names, isOfMap, advice)
    }
  }

  /// True if the key may also be beside `steps`, as a default for every step.
  package var isDefault: Bool { besideSteps != .nothing }
}

/// What a key takes: the words of the reference, the JSON Schema, and the function that reads it.
struct ValueKind<Value>: Sendable {
  /// Accepted values, in words that also end the sentence "expected …".
  let words: String
  let schema: @Sendable () -> JSONValue
  /// Returns nil after a diagnostic, and where the run has no value.
  let read: @Sendable (Node, inout NodeDecoder) -> Value?

  init(
    _ words: String, _ schema: @autoclosure @escaping @Sendable () -> JSONValue,
    read: @escaping @Sendable (Node, inout NodeDecoder) -> Value?
  ) {
    (self.words, self.schema, self.read) = (words, schema, read)
  }
}

// MARK: Kinds that several keys have

extension ValueKind<Int> {
  static func integer(from least: Int, to most: Int? = nil) -> Self {
    let words = "a whole number from \(least)" + (most.map { " to \($0)" } ?? "")
    return Self(words, .anyOf(.integer(from: least, to: most), .fixedTemplate)) {
      $1.integer($0, in: least...(most ?? 1 << 53), expected: words)
    }
  }

  /// Attempts of a request, in `retry` and in its place.
  static var attempts: Self { .integer(from: 1, to: 1_000) }
}

extension ValueKind<Bool> {
  static var flag: Self { Self("true or false", .anyOf(.type("boolean"), .fixedTemplate)) { $1.boolean($0) } }
}

extension ValueKind<Duration> {
  /// - Parameter other: what a bare number may mean instead, for the advice.
  static func duration(like example: String, orMeant other: (@Sendable (Int) -> String)? = nil) -> Self {
    Self("a duration such as \(example)", .pattern("^0*[1-9][0-9]*(ms|s|m|h)$|\\$\\{")) {
      $1.duration($0, orMeant: other)
    }
  }
}

extension ValueKind where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
  /// One of the words of a type.
  static func word(of type: Value.Type) -> Self {
    let words = Value.allCases.map(\.rawValue)
    let quoted = words.map { "'\($0)'" }
    return Self(
      quoted.dropLast().joined(separator: ", ") + " or " + (quoted.last ?? ""), .anyOf(.words(words), .fixedTemplate)
    ) { $1.word($0, Value.self) }
  }
}

extension ValueKind<String> {
  static var method: Self {
    Self("a method such as GET or POST", .pattern("^[!#$%&'*+.^_`|~0-9A-Z-]+$")) { $1.method($0) }
  }

  /// A member's name that the spec gives.
  static var memberName: Self { Self("a member's name", .filledText) { $1.givenName($0, expected: "a member's name") } }
}

extension ValueKind<[JSONPath]> {
  static func paths(
    _ words: String = "a path, or a list of paths", mayBeEmpty: Bool = false,
    read: @escaping @Sendable (Node, inout NodeDecoder) -> [JSONPath]
  ) -> Self {
    Self(words, mayBeEmpty ? .anyOf(.path, .array(of: .path)) : .oneOrMore(.path), read: read)
  }
}

extension ValueKind<Template> {
  /// A text with templates.
  ///
  /// - Parameter expected: the words of a message, if they are fewer.
  static func text(_ words: String, _ site: TemplateSite, expected: String? = nil) -> Self {
    Self(words, .type("string")) { $1.template($0, site, expected: expected ?? words) }
  }

  /// A text of `auth` or `tls` with templates, which is not empty.
  static func credential(
    _ words: String = "a text", expected: String? = nil, advice: String? = "write '${env.NAME}'"
  ) -> Self {
    Self(words, .filledText) { $1.authValue($0, expected ?? words, advice: advice) }
  }

  /// A text of `auth` with templates, which may be empty.
  static var emptyCredential: Self { Self("a text", .type("string")) { $1.authValue($0, "a text", mayBeEmpty: true) } }

  /// A value in each page, such as a total.
  static var ofPage: Self { Self("a path", .rootedPath) { $1.pageTemplate($0) } }
}

extension ValueKind<[Job.QueryItem]> {
  static func items(_ words: String) -> Self {
    Self(words, .map(of: .anyOf(.scalar, .array(of: .scalar)))) { $1.queryItems($0, expected: words) }
  }
}

// MARK: Pieces of JSON Schema

extension JSONValue {
  static func object(_ members: [(name: String, value: JSONValue)]) -> JSONValue { JSONValue(members: members) }

  static func texts(_ texts: [String]) -> JSONValue { JSONValue(elements: texts.map { JSONValue($0) }) }

  static func type(_ names: String...) -> JSONValue {
    .object([("type", names.count == 1 ? JSONValue(names[0]) : .texts(names))])
  }

  static func reference(_ name: String) -> JSONValue { .object([("$ref", JSONValue("#/definitions/\(name)"))]) }

  static func anyOf(_ schemas: JSONValue...) -> JSONValue { .anyOf(schemas) }

  static func anyOf(_ schemas: [JSONValue]) -> JSONValue { .object([("anyOf", JSONValue(elements: schemas))]) }

  static func words(_ words: [String]) -> JSONValue { .object([("enum", .texts(words))]) }

  static func pattern(_ pattern: String) -> JSONValue {
    .object([("type", JSONValue("string")), ("pattern", JSONValue(pattern))])
  }

  static func integer(from least: Int, to most: Int?) -> JSONValue {
    let bounds = [("minimum", least), ("maximum", most)].compactMap { name, bound in
      bound.map { (name: name, value: JSONValue($0)) }
    }
    return .object([("type", JSONValue("integer"))] + bounds)
  }

  static func array(of element: JSONValue, from least: Int = 0, to most: Int? = nil) -> JSONValue {
    var members = [(name: "type", value: JSONValue("array")), ("items", element)]
    if least > 0 { members.append(("minItems", JSONValue(least))) }
    if let most { members.append(("maxItems", JSONValue(most))) }
    return .object(members)
  }

  static func map(of value: JSONValue, isFilled: Bool = false) -> JSONValue {
    let least = isFilled ? [(name: "minProperties", value: JSONValue(1))] : []
    return .object([("type", JSONValue("object")), ("additionalProperties", value)] + least)
  }

  /// One value, or a list of at least one.
  static func oneOrMore(_ schema: JSONValue) -> JSONValue { .anyOf(schema, .array(of: schema, from: 1)) }

  static let anything = JSONValue.object([])

  /// A template or a constant: text, a number, a boolean or null.
  static let scalar = JSONValue.type("string", "number", "boolean", "null")

  static let constant = JSONValue.type("string", "number", "boolean")

  static let filledText = JSONValue.object([("type", JSONValue("string")), ("minLength", JSONValue(1))])

  /// A text with a template in it, in place of a constant.
  static let fixedTemplate = JSONValue.pattern("\\$\\{")

  /// A path; digits alone may be a number of YAML.
  static let path = JSONValue.object([
    ("type", .texts(["string", "integer"])), ("minimum", JSONValue(0)), ("minLength", JSONValue(1)),
  ])

  /// A path that begins with a root, or a text with a template in it.
  static let rootedPath = JSONValue.pattern("\\$\\{|^(body|headers|last|input|param)([.\\[?]|$)")

  /// A text of a form, or a whole number above 0; the bound holds for numbers only, and the pattern for texts.
  static func numberOrText(_ pattern: String) -> JSONValue {
    .object([("type", .texts(["string", "integer"])), ("minimum", JSONValue(1)), ("pattern", JSONValue(pattern))])
  }
}
