// The value that a hole reads, and the text that is inserted for it.

import Diagnostics
import JSONText
import PipelineSpec
import Primitives
import Wire

/// The value at the end of a hole's path.
struct ResolvedValue {
  let value: JSONValue
  /// Text to insert, with numbers and booleans as they are spelled; nil if the value can't be text.
  let text: String?
  let isSecret: Bool

  /// Takes a value from a record, a page or a list.
  init(_ value: JSONValue, isSecret: Bool = false) {
    self.value = value
    self.isSecret = isSecret
    text =
      switch value.kind {
      case .string: value.string
      case .number, .boolean: value.text
      case .array, .object, .null: nil
      }
  }

  init(text: String, isSecret: Bool = false) {
    value = JSONValue(text)
    self.text = text
    self.isSecret = isSecret
  }

  init(_ parameter: RunValues.Parameter) {
    let isText = [.string, .number, .boolean].contains(parameter.value.kind)
    value = parameter.value
    text = isText ? parameter.text : nil
    isSecret = parameter.isSecret
  }
}

extension Template.Hole {
  /// Returns the value; nil if it is missing and the hole is optional.
  func reading(in scope: TemplateScope) throws(ParameterError) -> ResolvedValue? {
    if let found = try found(in: scope) { return found }
    guard isOptional else { throw scope.fault(self, missing(in: scope)) }
    return nil
  }

  /// Returns the value or its default; nil if it is missing or null.
  ///
  /// - Parameter isURL: true if the value is a whole URL, in which bytes of a header that are not UTF-8 can be
  ///   percent-encoded.
  func found(in scope: TemplateScope, isURL: Bool = false) throws(ParameterError) -> ResolvedValue? {
    if scope.showsTemplates, root == .input || root == .inputs {
      return ResolvedValue(text: StandIn.template(spelling).text)
    }
    if root == .headers, !isURL, scope.page?.fields.isText(name) == false {
      throw scope.fault(self, "the header '\(name)' holds bytes that are not UTF-8, and only a URL can hold those")
    }
    let found = try lookedUp(in: scope).map { (value) throws(ParameterError) in
      try joined(try formatted(value, in: scope), in: scope)
    }
    // The path is blocked by a value, rather than missing.
    if root == .body, found == nil, fallback == nil, !isOptional, let bar = scope.page?.body.blockedPaths[pathText] {
      throw scope.fault(self, "\(bar), and has nothing in it: see how the API says it")
    }
    guard let fallback, found == nil || found?.text?.isEmpty == true else { return found }
    return ResolvedValue(text: fallback)
  }

  private func lookedUp(in scope: TemplateScope) throws(ParameterError) -> ResolvedValue? {
    switch root {
    case .input: scope.isValidation ? ResolvedValue(text: "x") : Self.reading(scope.record?[path])
    case .inputs: try list(in: scope)
    case .record: Self.reading(scope.fetched?[path])
    case .body: Self.reading(scope.page?.body.captured[pathText].map { JSONValue(validated: $0[...]) })
    case .last: Self.reading(scope.page?.body.last[pathText].map { JSONValue(validated: $0[...]) })
    case .headers: scope.page?.fields[name].map { ResolvedValue(text: $0) }
    case .param: scope.run.parameters[name].flatMap { $0.isEmpty ? nil : ResolvedValue($0) }
    case .env, .file:
      variable.flatMap { scope.run.environment[$0] }.flatMap {
        $0.isEmpty ? nil : ResolvedValue(text: $0, isSecret: true)
      }
    case .page: ResolvedValue(text: StandIn.page)
    case .token: scope.token.map { ResolvedValue(text: $0, isSecret: true) }
    case .since: scope.since.flatMap { $0.value.isNull ? nil : ResolvedValue($0.value, isSecret: $0.isSecret) }
    case .now: ResolvedValue(text: try instant(in: scope).rfc3339)
    case .today: ResolvedValue(text: try instant(in: scope).date.text)
    case .epoch: ResolvedValue(JSONValue(try instant(in: scope).seconds))
    }
  }

  private static func reading(_ value: JSONValue?) -> ResolvedValue? {
    value.flatMap { $0.isNull ? nil : ResolvedValue($0) }
  }

  private var name: String { path.steps.first?.name ?? "" }

  private func instant(in scope: TemplateScope) throws(ParameterError) -> Timestamp {
    guard let instant = Timestamp(seconds: scope.run.start)?.shifted(by: shift) else {
      throw scope.fault(self, Self.outOfYears)
    }
    return instant
  }

  // MARK: Missing values

  private func missing(in scope: TemplateScope) -> String {
    switch root {
    case .env: "the environment variable '\(name)' is not set or empty; set it, or give a default: ${env.\(name):-…}"
    case .file:
      "there is no file '\(name)' in a folder of secrets, or it is empty; see --secrets, or give a default: ${file.\(name):-…}"
    case .param:
      "the parameter '\(name)' is empty; give \(name)=VALUE on the command line, or a default: ${param.\(name):-…}"
    case .headers: "the response has no header '\(name)'"
    case .body: "the response body has no value at '\(path)'"
    case .last: "the page's last record has no value at '\(path)'"
    case .record:
      scope.fetched.map { missing(in: $0, named: "the fetched record") + Self.remedy } ?? "there is no fetched record"
    case .input:
      scope.record.map { missing(in: $0, named: "the input record") + Self.remedy } ?? "there is no input record"
    case .inputs: "no input record of the batch has a value"
    case .page: "there is no page"
    case .token: "there is no token yet"
    case .since: "nothing is remembered yet; give a 'start' in 'incremental', or a default: ${since:-…}"
    case .now, .today, .epoch: "there is no time"
    }
  }

  /// Advice for a member that some records lack.
  private static let remedy =
    "; if records may lack it, give a default with ':-', or leave the item out with '?'"

  /// Returns the point at which a record lacks the path, and the value there.
  func missing(in record: JSONValue, named name: String) -> String {
    var value = record
    var walked = ""
    for step in path.steps {
      let owner = walked.isEmpty ? name : "'\(walked)' of \(name)"
      walked += walked.isEmpty ? step.name : ".\(step.name)"
      guard let next = value[[step.name]] else { return "\(owner) \(value.lack(of: step))" }
      value = next
    }
    return walked.isEmpty ? "\(name) is null" : "'\(walked)' of \(name) is null"
  }
}

extension JSONValue {
  /// Returns the reason why a member or element is missing, to follow a subject.
  ///
  /// Example: `has no member 'id'; it has 'name', 'url'`.
  fileprivate func lack(of step: JSONStep) -> String {
    switch kind {
    case .object:
      let names = members.prefix(21).map { "'\($0.name.shortName)'" }
      let list = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
      return "has no member '\(step.name)'; it has \(list.isEmpty ? "none" : list)\(remedy(for: step.name))"
    case .array:
      return "is an array of \(elements.reduce(0) { count, _ in count + 1 }), and has no element '\(step.name)'"
    case .null:
      return "is null, and has no member '\(step.name)'"
    case .string, .number, .boolean:
      return "is a \(kind.rawValue), and has no member '\(step.name)'"
    }
  }
}

extension JSONValue {
  /// Advice for a name such as `id-1`, which is that of a member with a number to subtract.
  private func remedy(for name: String) -> String {
    guard let dash = name.lastIndex(of: "-"), Int(name[dash...]) != nil, self[[String(name[..<dash])]] != nil else {
      return ""
    }
    return "; write '[\"\(name[..<dash])\"]\(name[dash...])' to subtract"
  }
}

/// A JSON value and its redacted form.
struct RedactableJSON: Sendable {
  var value: JSONValue
  var redacted: JSONValue

  var isSecret: Bool { value != redacted }

  init(_ value: JSONValue, redacted: JSONValue? = nil) {
    self.value = value
    self.redacted = redacted ?? value
  }

  init(_ text: Redactable) {
    self.init(JSONValue(text.text), redacted: JSONValue(text.redacted))
  }
}

// MARK: Names that stand in a request for values that are not known yet, or must not be shown

/// A name for a value, spelled so that no part of a request encodes it: `pagecatv4b4559z` stands for the variable `KEY`.
package enum StandIn: Hashable, Sendable {
  /// The value of an environment variable, or of a variable of the shell.
  case variable(String)
  /// The value of a template that reads an input record: `${input.id}`.
  case template(String)
  /// Value that is a whole URL.
  case url(String)

  /// What stands in a URL for the number of the page, until a pager gives it.
  static let page = start + "numberz"

  private static let start = "pagecat"
  private static let scheme = "https://"

  /// The name that stands in the request.
  package var text: String {
    switch self {
    case .variable(let name): Self.start + "v" + Self.encoded(name)
    case .template(let spelling): Self.start + "t" + Self.encoded(spelling)
    case .url(let spelling): Self.scheme + Self.start + "u" + Self.encoded(spelling)
    }
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() + "z"
  }

  /// A part of a text.
  package enum Piece: Hashable, Sendable {
    case text(String)
    case standIn(StandIn)

    package var isVariable: Bool { if case .standIn(.variable) = self { true } else { false } }
  }

  /// Splits a text into plain texts and stand-ins.
  package static func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    var (plain, rest) = ("", text[...])
    while let found = rest.firstRange(of: start) {
      plain += rest[..<found.lowerBound]
      rest = rest[found.upperBound...]
      guard let (standIn, end) = read(rest) else {
        plain += start
        continue
      }
      rest = rest[end...]
      if case .url = standIn {
        plain.removeLast(plain.hasSuffix(scheme) ? scheme.count : 0)
        // Remove the `/` that a URL without a path gets.
        if rest.first == "/", rest.dropFirst().first.map({ $0 == "?" }) ?? true { rest.removeFirst() }
      }
      if !plain.isEmpty { pieces.append(.text(plain)) }
      pieces.append(.standIn(standIn))
      plain = ""
    }
    plain += rest
    return plain.isEmpty ? pieces : pieces + [.text(plain)]
  }

  /// Reads the rest of a stand-in, from the letter of its kind on.
  private static func read(_ text: Substring) -> (StandIn, end: String.Index)? {
    guard let kind = text.first, "vtu".contains(kind), let end = text.firstIndex(of: "z") else { return nil }
    let digits = Array(text[..<end].dropFirst().utf8)
    guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 0x80 }) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else { return nil }
      bytes.append(byte)
    }
    guard let name = String(validating: bytes, as: UTF8.self) else { return nil }
    let standIn: StandIn = kind == "v" ? .variable(name) : kind == "t" ? .template(name) : .url(name)
    return (standIn, text.index(after: end))
  }
}
