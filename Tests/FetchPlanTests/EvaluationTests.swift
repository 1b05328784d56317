// Templates become text, or JSON with its types kept.

import Primitives
import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct EvaluationTests {
  static let record = JSONValue.record(
    #"{"id":7,"big":12345678901234567890123,"price":1.50,"e":1E2,"yes":true,"no":false,"null":null,"empty":"","name":"J\u00f6rg \"x\" ${env.KEY}","#
      + #""tags":["a",1,null],"deep":{"er":{"0":"zero"}},"list":[{"x":1}],"half":"\ud800"}"#)

  static let texts: [(template: String, text: String?)] = [
    ("", ""), ("plain $x $", "plain $x $"), ("a-${input.id}-b", "a-7-b"),
    // Byte for byte.
    ("${input.big}", "12345678901234567890123"), ("${input.price}", "1.50"), ("${input.e}", "1E2"),
    ("${input.yes}${input.no}", "truefalse"), ("${input.empty}", ""), ("${input.deep.er.0}", "zero"),
    ("${input.list.0.x}", "1"), ("${input.tags.1}", "1"), ("${param.price}", "1.50"), ("${param.flag}", "true"),
    // A value is never read for templates again.
    ("${input.name}", #"Jörg "x" ${env.KEY}"#),
    // Missing, null and an empty environment variable are the same; a default is also for an empty string.
    ("${input.x:-d}", "d"), ("${input.null:-d}", "d"), ("${input.empty:-d}", "d"), ("${env.EMPTY:-d}", "d"),
    ("${env.NO:-}", ""), ("${param.no:-d}", "d"), ("${param.none:-d}", "d"), ("${param.empty:-d}", "d"),
    ("${input.deep.x.y:-d}", "d"), ("${input.id.x:-d}", "d"), ("${input.tags.3:-d}", "d"), ("${input.id:-d}", "7"),
    ("${input.no:-d}", "false"),
    ("a${input.x?}b", nil), ("${env.EMPTY?}", nil), ("${param.none?}", nil), ("${param.empty?}", nil),
    ("${input.empty?}", ""),
    // The start of the run.
    ("${now}", "2026-01-01T00:00:00Z"), ("${today}", "2026-01-01"), ("${epoch}", "1767225600"),
    // Months are those of the calendar, and forms spell times of all kinds.
    ("${today+1mo}", "2026-02-01"), ("${today-1y}", "2025-01-01"), ("${now:date}", "2026-01-01"),
    ("${now:milliseconds}", "1767225600000"), ("${today:rfc3339}", "2026-01-01T00:00:00Z"),
    ("${epoch:%d %b %Y}", "01 Jan 2026"), ("${today-1d:%Y%j}", "2025365"), ("${input.none:date:-d}", "d"),
    ("${input.none:date?}", nil), ("${input.id:rfc3339}", "1970-01-01T00:00:07Z"),
    ("${input.price:milliseconds}", "1500"), ("${param.start:seconds}", "1706572800"),
    ("${now-1s}", "2025-12-31T23:59:59Z"), ("${today-7d}", "2025-12-25"), ("${epoch+1h}", "1767229200"),
  ]

  @Test("Values are put in as text", arguments: texts)
  func text(template: String, text: String?) throws {
    let scope = TemplateScope(run: run, record: Self.record)
    #expect(try Template(template).text(in: scope)?.text == text)
  }

  static let failing: [(template: String, problem: String, isConfiguration: Bool)] = [
    ("${env.NO}", "the environment variable 'NO' is not set or empty; set it, or give a default: ${env.NO:-…}", true),
    (
      "${env.EMPTY}",
      "the environment variable 'EMPTY' is not set or empty; set it, or give a default: ${env.EMPTY:-…}", true
    ),
    (
      "${param.no}", "the parameter 'no' is empty; give no=VALUE on the command line, or a default: ${param.no:-…}",
      true
    ),
    ("${now+3000000d}", "that is not in the years 1 to 9999", true),
    ("${epoch-3000000d}", "that is not in the years 1 to 9999", true),
    ("${input.null}", "'null' of the input record is null", false),
    ("${input.deep.no}", "'deep' of the input record has no member 'no'; it has 'er'", false),
    ("${input.deep.er.no.x}", "'deep.er' of the input record has no member 'no'; it has '0'", false),
    ("${input.id.x}", "'id' of the input record is a number, and has no member 'x'", false),
    ("${input.null.x}", "'null' of the input record is null, and has no member 'x'", false),
    ("${input.tags.3}", "'tags' of the input record is an array of 3, and has no element '3'", false),
    (
      "a${input.tags}",
      "the value is an array; make it a whole item of 'query', which repeats, or join its elements by ':,' "
        + "after its name", false
    ),
    ("${input.deep}", "the value is an object, which can't be put into a text; name a member of it", false),
    ("${input.half}", "the value has half of a surrogate pair, which can't be put into a text", false),
    ("${body.x}", "the response body has no value at 'x'", false),
  ]

  private static let remedy = "; if records may lack it, give a default with ':-', or leave the item out with '?'"

  @Test("A value that is missing, or can't be text, is a fault that says where and what to do", arguments: failing)
  func faults(template: String, problem: String, isConfiguration: Bool) {
    let scope = TemplateScope(run: run, record: Self.record, specName: "t.yaml")
    let fault = faultOf { () throws(ParameterError) in try Template(template).text(in: scope) }
    let isMissing = problem.contains("of the input record")
    #expect(fault?.problem == problem + (isMissing ? Self.remedy : ""))
    #expect(fault?.isConfiguration == isConfiguration)
    #expect(fault?.template == template.drop { $0 != "$" }.description)
    #expect(fault?.position == (template.first == "$" ? "t.yaml:7:1" : "t.yaml:7:2"))
  }

  @Test("A missing member lists at most twenty that are there")
  func manyMembers() {
    let members = (1...30).map { "\"m\($0)\":0" }.joined(separator: ",")
    let scope = TemplateScope(run: run, record: .record("{\(members)}"))
    let fault = faultOf { () throws(ParameterError) in try Template("${input.id}").text(in: scope) }
    #expect(fault?.problem.hasPrefix("the input record has no member 'id'; it has 'm1', 'm2'") == true)
    #expect(fault?.problem.hasSuffix("'m20', …" + Self.remedy) == true)
    let none = TemplateScope(run: run, record: .record("{}"))
    #expect(
      faultOf { () throws(ParameterError) in try Template("${input.id}").text(in: none) }?.problem
        == "the input record has no member 'id'; it has none" + Self.remedy)
    #expect(
      faultOf { () throws(ParameterError) in try Template("${input.id}").text(in: TemplateScope(run: run)) }?.problem
        == "there is no input record")
    #expect(
      faultOf { () throws(ParameterError) in try Template("${input}").text(in: TemplateScope(run: run, record: .null))
      }?
      .problem
        == "the input record is null" + Self.remedy)
  }

  @Test("Environment values are shown as ***, however short")
  func masked() throws {
    let scope = TemplateScope(run: run)
    #expect(
      try Template("k=${env.KEY}&${env.ab}").text(in: scope) == Redactable("k=s3cr et/1&x", redacted: "k=***&***"))
    #expect(try Template("${env.NO:-open}").text(in: scope) == Redactable("open"))
  }

  static let values: [(value: TemplateValue, json: String?)] = [
    // One template and nothing else keeps the type.
    ("${input.id}", "7"), ("${input.price}", "1.50"), ("${input.tags}", #"["a",1,null]"#), ("${input.yes}", "true"),
    ("${input.deep}", #"{"er":{"0":"zero"}}"#), ("${input.half}", #""\ud800""#), ("${param.n}", "5"),
    ("${param.text}", #""a b""#), ("${input.x:-7}", #""7""#), ("${epoch}", "1767225600"),
    ("${today}", #""2026-01-01""#), ("n${input.id}", #""n7""#), ("${input.name}", #""J\u00f6rg \"x\" ${env.KEY}""#),
    ("[${input.name}]", #""[Jörg \"x\" ${env.KEY}]""#), ("${env.KEY}", #""s3cr et/1""#),
    // Order of members is kept; what is optional and missing is left out.
    (
      ["z": "${input.id}", "a": [1, "${input.x?}", "b"], "o": "${input.x?}", "m": ["x": "p${input.x?}"]],
      #"{"z":7,"a":[1,"b"],"m":{}}"#
    ),
    ("${input.x?}", nil), ([], "[]"), (12, "12"),
  ]

  @Test("Values in JSON keep their types and order", arguments: values)
  func json(value: TemplateValue, json: String?) throws {
    let scope = TemplateScope(run: run, record: Self.record)
    #expect(try value.json(in: scope)?.value.text == json)
  }

  @Test("Secrets in JSON are masked member by member")
  func maskedJSON() throws {
    let value: TemplateValue = ["user": "me", "password": "${env.ab}", "auth": ["Bearer ${env.KEY}"]]
    let json = try value.json(in: TemplateScope(run: run))
    #expect(json?.value.text == #"{"user":"me","password":"x","auth":["Bearer s3cr et/1"]}"#)
    #expect(json?.redacted.text == #"{"user":"me","password":"***","auth":["Bearer ***"]}"#)
  }
}
