// Parses `${root.path:form:-default}` in a string. Only `${` opens a template; `$${` writes `${`; any other `$` is itself.
// A path alone, such as `body.next`, is a template without `${`, form and default.

internal import Diagnostics
internal import JSONText
internal import Primitives
import YAMLText

/// Parses one string; after an error it continues after the template's `}`, so that several can be reported.
struct TemplateParser {
  private(set) var pieces: [Template.Piece] = []
  /// Range of each hole in the source.
  private(set) var holeRanges: [Range<Int>] = []
  private(set) var mistakes: [Diagnostic] = []

  private let text: LocatedText
  private let source: SourceText
  private var offset = 0
  private var literal: [UInt8] = []

  init(_ text: LocatedText, in source: SourceText) {
    self.text = text
    self.source = source
    while let byte = peek() {
      if byte == UInt8(ascii: "$"), follows("$${") {
        literal += Array("${".utf8)
        offset += 3
      } else if byte == UInt8(ascii: "$"), follows("${") {
        readHole()
      } else {
        literal.append(byte)
        offset += 1
      }
    }
    endLiteral()
  }

  /// Parses a path that begins with a root, and may end with `?`.
  init(path text: LocatedText, in source: SourceText) {
    self.text = text
    self.source = source
    do throws(Diagnostic) {
      let root = try root(from: 0)
      let path = JSONPath(try steps())
      try check(path, of: root, from: 0)
      let isOptional = follows("?")
      if isOptional { offset += 1 }
      guard offset == text.bytes.count else { throw error(of: PathError(string(0..<text.bytes.count))) }
      let position = source.position(at: text.range.lowerBound)
      pieces = [
        .hole(
          Template.Hole(
            root: root, path: path, fallback: nil, isOptional: isOptional, spelling: string(0..<offset),
            position: position))
      ]
      holeRanges = [text.range]
    } catch {
      mistakes = [error]
    }
  }

  private mutating func endLiteral() {
    guard !literal.isEmpty else { return }
    pieces.append(.text(String(decoding: literal, as: UTF8.self)))
    literal = []
  }

  private mutating func readHole() {
    let start = offset
    endLiteral()
    do {
      let hole = try hole()
      pieces.append(.hole(hole))
      holeRanges.append(text.sourceRange(of: start..<offset))
    } catch {
      mistakes.append(error)
      let end = text.bytes[offset...].firstIndex(of: UInt8(ascii: "}"))
      offset = end.map { $0 + 1 } ?? text.bytes.count
    }
  }

  private mutating func hole() throws(Diagnostic) -> Template.Hole {
    let start = offset
    offset += 2
    guard text.bytes[offset...].contains(UInt8(ascii: "}")) else {
      throw mistake("unclosed '${'", start..<start + 2, "close it with '}', or write '$${' for a literal '${'")
    }
    let root = try root(from: start)
    let shiftOfTime = try root.isTime ? shift(of: root) : (.none, 0)
    let path = JSONPath(try steps())
    try check(path, of: root, from: start)
    let (shift, increment) = try root.isTime ? shiftOfTime : shift(of: root)
    let form = try form(of: root)
    let (fallback, isOptional) = try ending()
    return Template.Hole(
      root: root, path: path, fallback: fallback, isOptional: isOptional, shift: shift,
      increment: increment, form: form.time, isAge: form.isAge, separator: form.separator, urlForm: form.url,
      spelling: string(start..<offset),
      position: source.position(at: text.sourceRange(of: start..<offset).lowerBound))
  }

  // MARK: Root

  private mutating func root(from start: Int) throws(Diagnostic) -> Template.Hole.Root {
    let word = take { $0.isWord && $0 != UInt8(ascii: "-") }
    guard !word.isEmpty else {
      if peek() == UInt8(ascii: "{") {
        let inside = string(offset..<text.bytes.count).prefix { $0 != "}" }.filter { !"{ ".contains($0) }
        let likely = Self.likely(inside) ?? "${input.name}"
        throw mistake("a template has one brace", start..<offset + 1, "write '\(likely)'")
      }
      if peek() == UInt8(ascii: " ") { throw blank() }
      if peek() == UInt8(ascii: ".") {
        let path = string(offset..<(text.bytes[offset...].firstIndex(of: UInt8(ascii: "}")) ?? text.bytes.count))
          .printable
        let example = path == "." ? ".name" : path
        throw mistake(
          "a template begins with a root", start..<offset + 1,
          "write '${body\(example)}' for the response, '${input\(example)}' for the input record")
      }
      throw mistake(
        "a template begins with a root", start..<min(offset + 1, text.bytes.count),
        "write '${input.name}', or '$${' for a literal '${'")
    }
    let name = string(word)
    guard let root = Template.Hole.Root(rawValue: name) else {
      throw mistake("unknown template root '\(name.printable)'", word, advice(forRoot: name))
    }
    return root
  }

  private func advice(forRoot name: String) -> String {
    if let root = Self.otherRoots[name.lowercased()] {
      let end = text.bytes[offset...].firstIndex(of: UInt8(ascii: "}")) ?? text.bytes.count
      let rest = string(offset..<end).printable
      return "write '${\(root)\(rest.hasPrefix(".") || rest.hasPrefix("[") ? rest : ".…")}'"
    }
    let roots = Template.Hole.Root.allCases.map(\.rawValue)
    if let near = nearest(to: name, in: roots) { return "did you mean '\(near)'?" }
    if name.utf8.allSatisfy({ (65...90).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }) {
      return "environment variables are read as '${env.\(name)}'"
    }
    let rest = string(offset..<(text.bytes[offset...].firstIndex { "}:?".utf8.contains($0) } ?? offset)).printable
    if rest.hasPrefix(".") {
      return "write '${input\(rest)}' for what the step reads; a parameter is '${param.\(name)}'"
    }
    return "parameters are read as '${param.\(name)}', members of the input record as '${input.\(name)}'"
  }

  /// Returns the template that another tool's variable probably means; nil if the text is no name.
  static func likely(_ name: String) -> String? {
    guard let path = try? JSONPath(name), let root = path.steps.first?.name, !path.hasEvery else { return nil }
    if let known = Template.Hole.Root(rawValue: root) {
      return known == .record ? "${input\(JSONPath(Array(path.steps.dropFirst())).suffix)}" : "${\(name)}"
    }
    if path.steps.count > 1, let other = otherRoots[root.lowercased()] {
      return "${\(other)\(JSONPath(Array(path.steps.dropFirst())).suffix)}"
    }
    return root == root.uppercased() ? "${env.\(name)}" : "${param.\(name)}"
  }

  /// Names of the roots in other tools, and in earlier versions.
  static let otherRoots = [
    "response": "body", "resp": "body", "res": "body", "reply": "body", "result": "body", "data": "body",
    "json": "body", "item": "input", "row": "input", "this": "input", "records": "inputs",
    "parent": "input", "previous": "input", "prev": "input", "stream_slice": "input", "stream_partition": "input",
    "config": "param", "vars": "param", "var": "param",
    "args": "param", "secrets": "env", "secret": "env", "environment": "env",
  ]

  private func check(_ path: JSONPath, of root: Template.Hole.Root, from start: Int) throws(Diagnostic) {
    let steps = path.steps.count
    switch root {
    case .input, .inputs, .record, .body, .last:
      return
    case .page:
      guard steps > 0 else { return }
      throw mistake(
        "'page' has no members", start..<offset,
        "write '${body\(path.suffix)}' for what an answer has; '${page}' is the page's number in 'endpoint'")
    case .token, .since, .now, .today, .epoch:
      guard steps > 0 else { return }
      // A call, such as `today.format('YYYY')`.
      let argument = string(offset..<text.bytes.count).prefix { $0 != ")" }
      let form = argument.hasPrefix("(") ? Self.pattern(String(argument.dropFirst())).map { ":\($0)" } : nil
      throw mistake(
        "'\(root.rawValue)' has no members", start..<offset, "write '${\(root.rawValue)\(form ?? "")}'")
    case .param, .env, .file, .headers:
      if root == .file, steps == 1, !Template.Hole.isFileName(path.steps[0].name) {
        throw mistake(
          "not the name of a file", start..<offset,
          "it names a file in a folder of secrets: no '/', and no '.' in front")
      }
      guard steps != 1 else { return }
      throw mistake("'\(root.rawValue)' takes one name", start..<offset, "write '${\(root.rawValue).name}'")
    }
  }

  // MARK: Path

  private mutating func steps() throws(Diagnostic) -> [JSONStep] {
    var reader = PathReader(text.bytes, from: offset)
    var steps: [JSONStep] = []
    while true {
      let next: JSONStep?
      do {
        next = try reader.nextStep()
      } catch {
        offset = reader.offset
        throw self.error(of: error)
      }
      guard let step = next else { break }
      guard !step.isEvery else {
        throw mistake(
          "'*' names several values, and a template reads one", reader.offset - 1..<reader.offset,
          "write the member's name, or the element's number from 0")
      }
      steps.append(step)
    }
    offset = reader.offset
    return steps
  }

  private func error(of error: PathError) -> Diagnostic {
    mistake(error.message.printable, error.range, error.advice?.printable)
  }

  // MARK: Shift and ending

  /// Reads a shift of a time such as `+1h` or `-7d`, or of a whole number such as `+1`.
  ///
  /// A shift of a time is at most ten thousand years, so that dates stay computable.
  private mutating func shift(of root: Template.Hole.Root) throws(Diagnostic) -> (CivilShift, increment: Int) {
    let start = offset
    guard let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return (.none, 0) }
    guard root.isTime || root.mayBeShifted && text.bytes[(offset + 1)...].first?.isDigit == true else {
      return (.none, 0)
    }
    offset += 1
    let digits = take(\.isDigit)
    let unit = take(\.isLetter)
    if unit.isEmpty, !digits.isEmpty, root.mayBeShifted {
      guard digits.count <= Self.mostDigits, let number = Int(string(digits)) else {
        throw mistake(
          "a shift of more than \(Self.mostDigits) digits", start..<offset, "write a smaller one: '${last.id+1}'")
      }
      return (.none, sign == UInt8(ascii: "-") ? -number : number)
    }
    guard !digits.isEmpty, let unit = CivilShift.Unit(rawValue: string(unit)) else {
      throw mistake(
        "a shift is a number and a unit", start..<max(offset, start + 1),
        "units are s, m, h, d, w, mo and y: '${today-7d}'")
    }
    guard let shift = Int(string(digits)).flatMap({ CivilShift($0, unit) }) else {
      throw mistake("a shift of more than ten thousand years", start..<offset, "write a shorter one: '${today-7d}'")
    }
    return (sign == UInt8(ascii: "-") ? shift.negated : shift, 0)
  }

  /// Most digits of a number to add, which always fits.
  private static let mostDigits = 18

  /// Reads a form such as `:date`, `:path`, `:encoded` or `:%d/%m/%Y`, or a separator such as `:,`.
  ///
  /// It ends before `:-`, before a `?` at the end, or at the end.
  private mutating func form(
    of root: Template.Hole.Root
  ) throws(Diagnostic) -> (time: TimeForm?, isAge: Bool, separator: String?, url: Template.Hole.URLForm?) {
    guard follows(":"), !follows(":-") else { return (nil, false, nil, nil) }
    offset += 1
    let start = offset
    while peek() != nil, !follows("}"), !follows(":-"), !follows("?}") { offset += 1 }
    let name = string(start..<offset)
    if name == "path", [.input, .param, .env].contains(root) { return (nil, false, nil, .path) }
    if name == "encoded", [.input, .param, .env, .body, .headers, .last].contains(root) {
      return (nil, false, nil, .encoded)
    }
    if root.mayBeList, name.isSeparator { return (nil, false, name, nil) }
    if root == .inputs {
      let advice = "a separator such as ',' joins the list: '${inputs.id:,}'"
      throw mistake("'\(name.printable)' is not a separator", max(start - 1, 0)..<offset, advice)
    }
    if name == Self.age { return (nil, true, nil, nil) }
    if let form = TimeForm(name) { return (form, false, nil, nil) }
    let names = TimeForm.named.map(\.name) + [Self.age]
    let before = text.bytes[..<start].lastIndex(of: UInt8(ascii: "{")).map { string($0 + 1..<start).printable } ?? ""
    let advice =
      Self.pattern(name).map { "write '${\(before)\($0)}'" }
      ?? nearest(to: name, in: names).map { "did you mean '\($0)'?" }
      ?? "write \(names.joined(separator: ", ")), or a pattern of \(TimePattern.fieldNames); a default begins with ':-'"
    throw mistake(
      name.isEmpty ? "no form after ':'" : "unknown form '\(name.printable)'", max(start - 1, 0)..<offset, advice)
  }

  /// The form that only templates have, since it depends on the start of the run.
  private static let age = "age"

  /// Returns the pattern that letters of other tools mean: `%Y-%m-%d` for `YYYY-MM-DD`; nil for other text.
  private static func pattern(_ text: String) -> String? {
    let letters = [
      ("YYYY", "%Y"), ("yyyy", "%Y"), ("MM", "%m"), ("DD", "%d"), ("dd", "%d"), ("HH", "%H"), ("hh", "%H"),
      ("mm", "%M"),
      ("ss", "%S"),
    ]
    let bare = text.filter { $0 != "'" && $0 != "\"" }
    let pattern = letters.reduce(bare) { $0.replacing($1.0, with: $1.1) }
    return pattern != bare && TimeForm(pattern) != nil ? pattern : nil
  }

  private mutating func ending() throws(Diagnostic) -> (fallback: String?, isOptional: Bool) {
    var fallback: String?
    var isOptional = false
    if follows(":-") {
      offset += 2
      let text = take { $0 != UInt8(ascii: "}") }
      fallback = string(text)
      if string(text).contains("${") { throw mistake("a template in a default", text, "a default is plain text") }
    } else if follows("?") {
      offset += 1
      isOptional = true
    }
    guard peek() == UInt8(ascii: "}") else { throw unexpected() }
    offset += 1
    return (fallback, isOptional)
  }

  private func unexpected() -> Diagnostic {
    guard peek() != UInt8(ascii: " ") else { return blank() }
    if let advice = adviceOnOperator {
      return mistake("unexpected '\(string(offset..<offset + 1).printable)' in a template", offset..<offset + 1, advice)
    }
    let end = text.bytes[offset...].dropFirst().firstIndex { $0 & 0xC0 != 0x80 } ?? text.bytes.count
    let letter = string(offset..<end).printable
    let advice = "after the root come '.name' or [\"any name\"], then ':form', then ':-default' or '?', then '}'"
    return mistake("unexpected '\(letter)' in a template", offset..<end, advice)
  }

  private func blank() -> Diagnostic {
    mistake(
      "a blank in a template", offset..<offset + 1,
      adviceOnOperator ?? "write '${input.name}', or [\"a name\"] for a name with blanks")
  }

  /// Advice where an operator of another language follows: `//`, `|`, `- 7d`.
  private var adviceOnOperator: String? {
    let start = text.bytes[..<offset].lastIndex(of: UInt8(ascii: "{")).map { $0 + 1 } ?? offset
    let end = text.bytes[offset...].firstIndex(of: UInt8(ascii: "}")) ?? text.bytes.count
    let before = string(start..<offset).printable
    let rest = string(offset..<end).drop { $0 == " " }
    if ["//", "??", "||"].contains(where: rest.hasPrefix) {
      let value = rest.dropFirst(2).filter { !" '\"".contains($0) }
      return "a default is written ':-': '${\(before.isEmpty ? "body.next" : before):-\(value)}'"
    }
    guard rest.utf8.count > 1 else { return nil }
    switch rest.first {
    case "|":
      return
        "write '${\(before)}': there are no filters; a time's form is written as in '${now:date}', and records are "
        + "changed behind the pipe"
    case "+", "-", "*", "/", "=", "!", "<", ">":
      let root = Template.Hole.Root(rawValue: String(before.prefix { $0 != "." && $0 != "[" }))
      if root?.isTime == true { return "a shift has no blanks: '${today-7d}'" }
      let number = rest.dropFirst().filter { $0 != " " }
      let isShift = "+-".contains(rest.first ?? "*") && number.first?.isNumber == true && number.allSatisfy(\.isNumber)
      return isShift && root?.mayBeShifted == true
        ? "a shift has no blanks: '${\(before)+\(number)}'; before a '-', the name stands in brackets: [\"id\"]-1"
        : "write '${\(before)}': a template reads one value, and does not calculate"
    default: return nil
    }
  }

  // MARK: Letters

  private func peek() -> UInt8? { offset < text.bytes.count ? text.bytes[offset] : nil }

  private func follows(_ letters: String) -> Bool {
    text.bytes[offset...].starts(with: letters.utf8)
  }

  private mutating func take(_ isWanted: (UInt8) -> Bool) -> Range<Int> {
    let start = offset
    while let byte = peek(), isWanted(byte) { offset += 1 }
    return start..<offset
  }

  private func string(_ range: Range<Int>) -> String { String(decoding: text.bytes[range], as: UTF8.self) }

  private func mistake(_ message: String, _ range: Range<Int>, _ advice: String? = nil) -> Diagnostic {
    Diagnostic(message, at: text.sourceRange(of: range), advice: advice)
  }

}

extension Template.Hole.Root {
  /// True if the root is a time, or may be one, and has no members.
  var isTime: Bool { [.now, .today, .epoch, .since].contains(self) }
  /// True if the value may be a list, which a separator joins.
  fileprivate var mayBeList: Bool { [.input, .inputs, .param, .record, .body, .last].contains(self) }
  /// True if the value may be a whole number, to which another one is added.
  fileprivate var mayBeShifted: Bool {
    [.input, .record, .param, .body, .headers, .last, .since].contains(self)
  }
}

extension String {
  /// True if the text can join a list, and is neither the name of a form nor a pattern, not even a misspelt one.
  fileprivate var isSeparator: Bool {
    utf8.first.map { !$0.isLetter && !$0.isDigit } == true && !contains("%")
  }
}

// MARK: The roots that a template may read depend on the template's site

/// Site of a template in a job.
enum TemplateSite {
  /// The request, the path of the content, and marks.
  case request
  /// An item of the query or of a form.
  case item
  /// A URL of the request, whose path a value may have several segments of.
  case endpoint
  case base
  case each
  /// The members of `set`.
  case set
  case pages
  case auth
  /// `mark` of `incremental`.
  case mark
  /// `start` of `incremental`, which is the same for every record.
  case start
  /// `as` of `login`.
  case login
  /// A number, or what a condition compares, which are known before any request.
  case fixed
  /// The default of a parameter.
  case parameter

  /// The advice about the keys that can read the input records of a request.
  static let ofInputs =
    "'inputs' are those of one request: 'endpoint', 'query', 'headers', 'body', 'form' and 'text' can read them"

  /// Returns the reason, as advice, if a template can't be read at this site, else nil.
  func refusal(of hole: Template.Hole) -> String? {
    switch hole.root {
    case _ where self == .fixed:
      [.param, .env, .file, .now, .today, .epoch].contains(hole.root)
        ? nil
        : "this is the same for all requests of a run; it can read 'param', 'env', 'file', 'now', 'today' and 'epoch'"
    case _ where self == .parameter:
      [.env, .now, .today, .epoch].contains(hole.root)
        ? nil : "the default of a parameter can read 'env', 'now', 'today' and 'epoch'"
    case .record:
      self == .set
        ? nil
        : "'record' is what the step fetches, and only 'set' can read it; write '\(hole.ofInput)' for what the step reads"
    case .body, .headers:
      self == .pages || self == .set || self == .mark
        ? nil : "'\(hole.root.rawValue)' is of the answer that came: only 'pages', 'failure' and 'set' can read it"
    case .page:
      self == .endpoint ? nil : "'page' is the number of the page in the path: only 'endpoint' can read it"
    case .last:
      self == .pages ? nil : "'last' is the last record of a page: only 'pages' and 'failure' can read it"
    case .input where self == .start, .since where self == .start:
      "'start' is what 'since' is at first; it can read 'param', 'env', 'file', 'now', 'today' and 'epoch'"
    case .input where self == .base:
      "'base' is the same for every record; put it into 'endpoint'"
    case .token:
      self == .login ? nil : "'token' is what 'login' has fetched: only 'as' of 'login' can read it"
    case .input where self == .auth || self == .login:
      "'auth' is the same for every record; what a record says can stand in 'headers' or 'query'"
    case .inputs:
      [.request, .item, .endpoint].contains(self) ? nil : Self.ofInputs
    case .input, .param, .env, .file, .since, .now, .today, .epoch:
      nil
    }
  }
}

extension Template.Hole {
  /// The template as it reads the input record: `${input.id}` for `${record.id}`.
  var ofInput: String {
    guard let range = spelling.firstRange(of: root.rawValue) else { return spelling }
    return spelling.replacingCharacters(in: range, with: "input")
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
