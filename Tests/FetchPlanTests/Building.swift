// Specs by hand: short spellings for templates, jobs and plans.

import Diagnostics
package import JSONText
package import PipelineSpec
import Primitives
import Wire

@testable import FetchPlan

/// Reads `${root.path:-default}`, `${root.path?}` and `${now-7d}`; enough for tests.
extension Template: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    self.init(text)
  }

  init(_ text: String, line: Int = 7) {
    var pieces: [Piece] = []
    var rest = text[...]
    while let range = rest.firstRange(of: "${"), let end = rest[range.upperBound...].firstIndex(of: "}") {
      if rest.startIndex < range.lowerBound { pieces.append(.text(String(rest[..<range.lowerBound]))) }
      let column = text.unicodeScalars.distance(from: text.startIndex, to: range.lowerBound) + 1
      pieces.append(.hole(Hole(rest[range.upperBound..<end], SourcePosition(line: line, column: column))))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { pieces.append(.text(String(rest))) }
    self.init(pieces: pieces, position: SourcePosition(line: line, column: 1))
  }
}

/// A bare path, as `body.more`.
extension Condition: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) {
    self.init([Clause(path: try! JSONPath(text), tests: [.truthy(readsTexts: false)])])
  }
}

extension Pages.Until: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self = .condition(Condition(stringLiteral: text)) }
}

extension Template.Hole {
  fileprivate init(_ text: Substring, _ position: SourcePosition) {
    var path = text
    var fallback: String?
    if let range = text.firstRange(of: ":-") {
      (path, fallback) = (text[..<range.lowerBound], String(text[range.upperBound...]))
    }
    let isOptional = path.last == "?"
    if isOptional { path.removeLast() }
    var form: TimeForm?
    if let colon = path.firstIndex(of: ":"), let found = TimeForm(String(path[path.index(after: colon)...])) {
      (form, path) = (found, path[..<colon])
    }
    var shift = CivilShift.none
    if let sign = path.firstIndex(where: { "+-".contains($0) }), !path.contains("."),
      let length = CivilShift(path[path.index(after: sign)...])
    {
      shift = path[sign] == "-" ? length.negated : length
      path = path[..<sign]
    }
    let names = path.split(separator: ".").map(String.init)
    self.init(
      root: Root(rawValue: names[0])!, path: JSONPath(Array(names.dropFirst())), fallback: fallback,
      isOptional: isOptional, shift: shift, form: form, spelling: "${\(text)}", position: position)
  }
}

extension ContentIdentifier: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.init([Path(Template(text))]) }
}

extension TemplateValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .string(Template(text)) }
  package init(integerLiteral number: Int) { self = .constant(JSONValue(number), spelling: String(number)) }
  package init(arrayLiteral values: TemplateValue...) { self = .list(values) }
  package init(dictionaryLiteral members: (String, TemplateValue)...) {
    self = .map(members.map { Member(name: $0.0, value: $0.1) })
  }
}

extension JSONValue {
  /// A record as it stands.
  init(_ text: StaticString) { self = .record("\(text)") }

  static func record(_ text: String) -> JSONValue {
    // Tests give valid texts.
    try! JSONValue(parsing: Array(text.utf8))
  }
}

func makeJob(
  _ endpoint: Template, base: Template? = "https://api.example.com/v1/", _ change: (inout Job) -> Void = { _ in }
)
  -> Job
{
  var job = Job(name: "test", position: SourcePosition(line: 1, column: 1), endpoint: endpoint)
  job.base = base
  change(&job)
  return job
}

/// Parameters `text` and `host`, `n` (the number 5) and `flag`; variables `KEY` (a secret) and `ab`.
let run = RunValues(
  parameters: [
    "text": .init(value: JSONValue("a b"), text: "a b"), "host": .init(value: JSONValue("eu-1"), text: "eu-1"),
    "n": .init(value: JSONValue(5), text: "5"), "flag": .init(value: JSONValue(true), text: "true"),
    "price": .init(value: .record("1.50"), text: "1.50"), "evil": .init(value: JSONValue("a@b/c"), text: "a@b/c"),
    "none": .init(value: .null, text: ""), "start": .init(value: JSONValue("2024-01-30"), text: "2024-01-30"),
    "empty": .init(value: JSONValue(""), text: ""), "days": .init(value: JSONValue(7), text: "7"),
  ],
  environment: ["KEY": "s3cr et/1", "ab": "x", "EMPTY": "", "LINES": "a\nb"], start: 1_767_225_600)

func makePlan(_ job: Job) throws(ParameterError) -> JobPlan {
  try JobPlan(job: job, specName: "t.yaml", run: run, userAgent: "pagecat/0")
}

/// The fault of what should fail; nil when it does not.
func faultOf<Result>(_ work: () throws(ParameterError) -> Result) -> ParameterError? {
  do {
    _ = try work()
    return nil
  } catch {
    return error
  }
}

// Most tests have no secrets.
extension JobPlan {
  func request(for record: JSONValue?) throws(ParameterError) -> Request {
    try request(for: record, hiding: SecretStore())
  }

  func pager(first: Request, record: JSONValue?) -> Pager {
    pager(first: first, record: record, secrets: SecretStore())
  }
}

extension Each.Values {
  static func span(
    from: TemplateValue, to: TemplateValue, step: String? = nil, isWindow: Bool = false, form: String? = nil
  ) -> Each.Values {
    .span(
      Each.Span(
        from: from, to: to, step: step.map { Template($0) }, isWindow: isWindow,
        form: form.map { TimeForm($0)! }))
  }
}
