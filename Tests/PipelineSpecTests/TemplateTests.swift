// Templates: what they are parsed into, and what is wrong with those that are none.

import Diagnostics
import JSONText
import PipelineSpec
import Primitives
import Testing

@Suite("Templates") struct TemplateTests {
  /// The template that a double-quoted YAML string in `query` is.
  private func template(_ quoted: String, _ others: String = "") throws -> Template {
    let job = try job("\(others)params: { p: a, q-r: 1 }\nendpoint: https://h/\nquery:\n  x: \(quoted)\n")
    guard case .string(let template)? = job.query.first?.values.first else {
      throw Diagnostic("no template", at: 0..<0)
    }
    return template
  }

  private func hole(_ written: String) throws -> Template.Hole {
    try #require(template("'\(written.replacing("'", with: "''"))'").onlyHole)
  }

  @Test(
    "Only '${' opens a template, '$${' writes '${', and any other '$' is itself",
    arguments: [
      ("a", "a"), ("", ""), ("$", "$"), ("$5 $$ {x} $x", "$5 $$ {x} $x"), ("$${a}", "${a}"), ("$$${a}", "$${a}"),
      ("a$${", "a${"), ("}", "}"), ("é$${é", "é${é"),
    ])
  func literals(written: String, text: String) throws {
    #expect(try template("'\(written)'").literal == text)
  }

  @Test("Texts and templates alternate, and no text is empty")
  func pieces() throws {
    let template = try template("'a ${input.x} b${env.Y}${param.p}$${z'")
    let shown = template.pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .hole(let hole): "<\(hole.root.rawValue)>"
      }
    }
    #expect(shown == ["a ", "<input>", " b", "<env>", "<param>", "${z"])
    #expect(template.onlyHole == nil)
    #expect(template.literal == nil)
  }

  @Test(
    "A path is made of names, indices and quoted names",
    arguments: [
      ("${input}", []), ("${input.a}", ["a"]), ("${input.a-b_C.0.x}", ["a-b_C", "0", "x"]),
      ("${input[\"any name\"]}", ["any name"]), ("${input['it is \"so\"'].b}", ["it is \"so\"", "b"]),
      ("${input.a[\"}\"][\"\"]}", ["a", "}", ""]), ("${input[\"é\"]}", ["é"]), ("${param.q-r}", ["q-r"]),
    ])
  func paths(written: String, names: [String]) throws {
    #expect(try hole(written).path == JSONPath(names))
  }

  @Test(
    "':-' gives a default up to the first '}', and '?' makes it optional",
    arguments: [
      ("${input.a}", nil, false), ("${input.a:-}", "", false), ("${input.a:-b c:-?}", "b c:-?", false),
      ("${input.a?}", nil, true), ("${env.A-B:-x}", "x", false),
    ] as [(String, String?, Bool)])
  func endings(written: String, fallback: String?, isOptional: Bool) throws {
    let hole = try hole(written)
    #expect(hole.fallback == fallback)
    #expect(hole.isOptional == isOptional)
    #expect(hole.spelling == written)
  }

  @Test(
    "Times are shifted by seconds, minutes, hours, days and weeks",
    arguments: [
      ("${now}", 0), ("${today-7d}", -604_800), ("${now+1h}", 3_600), ("${epoch+90s}", 90), ("${now-5m}", -300),
      ("${today+2w}", 1_209_600), ("${now+1h?}", 3_600), ("${today-0d:-x}", 0),
    ])
  func shifts(written: String, seconds: Int) throws {
    #expect(try hole(written).shift.seconds == seconds)
  }

  @Test("Months and years are those of the calendar")
  func monthShifts() throws {
    #expect(try hole("${today-1mo}").shift.months == -1)
    #expect(try hole("${now+2y:date}").shift.months == 24)
  }

  @Test(
    "A whole number is added after the path; a '-' is a part of a name, unless the name stands in brackets",
    arguments: [
      ("${input.id+1}", ["id"], 1), ("${input.a.b+10?}", ["a", "b"], 10), ("${input[\"a\"]-2:-x}", ["a"], -2),
      ("${input.a-1}", ["a-1"], 0), ("${input.a+1d}", ["a"], 0),
      ("${param.p+999999999999999999}", ["p"], 999_999_999_999_999_999),
    ] as [(String, JSONPath, Int)])
  func increments(written: String, path: JSONPath, increment: Int) throws {
    let hole = try hole(written)
    #expect(hole.path == path)
    #expect(hole.increment == increment)
    #expect(hole.isVerbatim == (written == "${input.a-1}"))
  }

  @Test(
    "A form of times comes after the path, and before a default or a '?'",
    arguments: [
      ("${today:date}", "date", nil, false), ("${now-1h:milliseconds}", "milliseconds", nil, false),
      ("${input.at:%d/%m/%Y}", "%d/%m/%Y", nil, false), ("${input.a.b:%H:%M:-x:y}", "%H:%M", "x:y", false),
      ("${input.at:%Y-%m-%d %H:%M?}", "%Y-%m-%d %H:%M", nil, true), ("${env.A:%s:-}", "%s", "", false),
      ("${input.a}", nil, nil, false),
    ] as [(String, String?, String?, Bool)])
  func forms(written: String, form: String?, fallback: String?, isOptional: Bool) throws {
    let hole = try hole(written)
    #expect(hole.form?.spelling == form)
    #expect(hole.fallback == fallback)
    #expect(hole.isOptional == isOptional)
    #expect(hole.spelling == written)
  }

  @Test(
    "A separator comes in place of a form, before a default or a '?'",
    arguments: [
      ("${inputs.id:,}", ",", nil, false), ("${input.tags:, }", ", ", nil, false), ("${param.p:|?}", "|", nil, true),
      ("${inputs.a.b: OR :-x}", " OR ", "x", false), ("${inputs}", nil, nil, false),
      ("${inputs.id:-,}", nil, ",", false),
    ] as [(String, String?, String?, Bool)])
  func separators(written: String, separator: String?, fallback: String?, isOptional: Bool) throws {
    let template = try template("'\(written)'", written.contains("inputs") ? "batch: 2\n" : "")
    let hole = try #require(template.onlyHole)
    #expect(hole.separator == separator)
    #expect(hole.form == nil)
    #expect(hole.fallback == fallback)
    #expect(hole.isOptional == isOptional)
  }

  @Test(
    "A template knows where its '$' stands, through quotes, escapes and folded lines",
    arguments: [
      ("a ${env.X}", 4, 8), ("'it''s ${env.X}'", 4, 13), ("\"\\u00e9 ${env.X}\"", 4, 14),
      ("\"${input[\\\"a\\\"]} é ${env.X}\"", 4, 25), ("|-\n    one\n    two ${env.X}", 6, 9),
      (">-\n    one\n\n    ${env.X}", 7, 5), ("\"one\n    ${env.X}\"", 5, 5),
    ])
  func places(yaml: String, line: Int, column: Int) throws {
    let hole = try #require(template(yaml).holes.last)
    #expect(hole.position == SourcePosition(line: line, column: column))
  }

  @Test(
    "What is no template is refused at its place",
    arguments: [
      ("«${»input.a", "unclosed '${' | close it with '}', or write '$${' for a literal '${'"),
      ("«${}»", "a template begins with a root | write '${input.name}', or '$${' for a literal '${'"),
      ("«${.»a}", "a template begins with a root"),
      ("${«recrod».a}", "unknown template root 'recrod' | did you mean 'record'?"),
      ("${«sinse»}", "unknown template root 'sinse'"),
      ("${«API_KEY»}", "unknown template root 'API_KEY' | environment variables are read as '${env.API_KEY}'"),
      (
        "${«currency»}",
        "unknown template root 'currency' | parameters are read as '${param.currency}', "
          + "members of the input record as '${input.currency}'"
      ),
      ("${« »record.a }", "a blank in a template"),
      ("${input.a« »}", "a blank in a template"),
      ("${input«.»}", "no name after '.'"),
      ("${input«.».a}", "no name after '.'"),
      ("${input«[»0]}", "no quote after '[' | write '.0' for an element, [\"any name\"] for a member"),
      ("${input«[»\"a\"}", "'[' is not closed"),
      ("${input«[»\"a}", "'[' is not closed"),
      ("${input.a«/»b}", "unexpected '/' in a template"),
      ("${input.a«+»}", "unexpected '+' in a template"),
      ("${input.a?«:»-x}", "unexpected ':' in a template"),
      ("${input.a:-«${input.b»}", "a template in a default"),
      ("«${param»}", "'param' takes one name | write '${param.name}'"),
      ("«${env.A.b»}", "'env' takes one name"),
      ("«${now.year»}", "'now' has no members"),
      ("${today«:dat»}", "unknown form 'dat' | did you mean 'date'?"),
      ("${inputs.a«:date»}", "'date' is not a separator | a separator such as ',' joins the list: '${inputs.id:,}'"),
      ("${now«:,»}", "unknown form ','"), ("${input.a«:,%q»}", "unknown form ',%q'"),
      ("${input.a«:»}", "no form after ':'"), ("${now«:%q»}", "unknown form '%q'"),
      ("${today«-1mon»}", "a shift is a number and a unit"),
      ("${today«-10001y»}", "a shift of more than ten thousand years"),
      ("${today«-7»}", "a shift is a number and a unit | units are s, m, h, d, w, mo and y: '${today-7d}'"),
      ("${today«-7q»}", "a shift is a number and a unit"),
      ("${today«+d»}", "a shift is a number and a unit"),
      ("${last.id«+1234567890123456789»}", "a shift of more than 18 digits"),
      ("${since«+1q»}", "a shift is a number and a unit"), ("${inputs.a«+»1}", "unexpected '+' in a template"),
      ("${env.A«+»1}", "unexpected '+' in a template"), ("${file.a«+»1}", "unexpected '+' in a template"),
      ("${now«+99999999999999999999s»}", "a shift of more than ten thousand years"),
      ("${now«+9223372036854775807w»}", "a shift of more than ten thousand years"),
      (
        "«${body.a}»",
        "'body' can't be read here | 'body' is of the answer that came: only 'pages', 'failure' and 'set' can read it"
      ),
      ("«${headers.link}»", "'headers' can't be read here"),
      ("«${last.id}»", "'last' can't be read here"),
      ("«${param.pp}»", "parameter 'pp' is not declared | did you mean 'p'?"),
      (
        "«${param.currency}»",
        "parameter 'currency' is not declared | declare it at the top of the file: 'params: { currency: null }'"
      ),
    ])
  func mistakes(marked: String, message: String) {
    Wrong("params: { p: a }\nendpoint: https://h/\nquery:\n  x: '\(marked.replacing("'", with: "''"))'\n", message)
      .check()
  }

  @Test("Every mistake of one string is found")
  func severalMistakes() {
    Wrong(
      "endpoint: https://h/${«x».a}/${input.ok}/${input«.»}/«${»record",
      "unknown template root 'x'", "no name after '.'", "unclosed '${'"
    ).check()
  }
}
