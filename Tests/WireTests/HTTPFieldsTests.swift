// Header fields: order is kept, the case of names is not looked at.

import Testing

@testable import Wire

@Suite struct HTTPFieldsTests {
  @Test("Names match without regard to the case of ASCII letters, and of nothing else")
  func names() {
    var fields = HTTPFields()
    fields.append("Link", "<a>; rel=next")
    fields.append("X-@", "1")
    fields.append("link", "<b>; rel=last")
    #expect(fields.values(of: "LINK") == ["<a>; rel=next", "<b>; rel=last"])
    #expect(fields["lINK"] == "<a>; rel=next")
    #expect(fields["x-`"] == nil)
    #expect(fields["\u{212A}"] == nil)
    #expect(fields["Lin"] == nil)
  }

  @Test("A value that is not UTF-8 stands for its bytes, percent-encoded; one that is stays as it came")
  func bytes() {
    let block = Array("A: é\u{FFFD}%B: ".utf8) + [0xE9, 0x25, 0xF0, 0x9F, 0x98]
    let fields = HTTPFields(FieldBlock(block, lines: [0..<9, 9..<block.count]))
    #expect(fields["A"] == "é\u{FFFD}%" && fields.isText("A"))
    #expect(fields["B"] == "%E9%%F0%9F%98" && !fields.isText("b"))
    #expect(fields.isText("C"))
  }

  @Test("Setting a field leaves one of that name; removing leaves none")
  func changes() {
    var fields = HTTPFields([.init(name: "A", value: Redactable("1")), .init(name: "a", value: Redactable("2"))])
    fields.set("a", .secret("3"))
    #expect(fields.all.map(\.value.text) == ["3"])
    #expect(fields.all.map(\.value.redacted) == ["***"])
    fields.remove("A")
    #expect(fields.all.isEmpty)
  }

  @Test(
    "Parameters are read by one rule: quoted texts with escapes, and none from a cut text on",
    arguments: [
      (#"attachment; filename="a\"b""#, ["filename": #"a"b"#]),
      (#"a;B = "x;y=\\" ; c=d e;f"#, ["b": #"x;y=\"#, "c": "d e"]),
      (#"a; b=c; d="e"#, ["b": "c"]), (#"a; b="c\""#, [:]), (#"a; b="c\"#, [:]),
      (#"a; b=""; ;c="#, ["b": "", "c": ""]),
      ("a", [:]), ("", [:]),
    ])
  func parameters(field: String, expected: [String: String]) {
    let parameters = HTTPFields.parameters(of: field)
    #expect(Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0.value) }) == expected)
  }

  @Test(
    "The charset is a parameter of the type",
    arguments: [
      (#"text/csv; header="a;charset=x"; Charset="ISO-8859-1""#, "iso-8859-1"), ("text/csv;charset='latin1'", "latin1"),
      (#"text/csv; a="charset=x""#, nil), ("text/csv; charset=", nil), ("a/b; charset=utf-8", "utf-8"),
    ])
  func charset(type: String, expected: String?) {
    #expect(HTTPFields([.init(name: "Content-Type", value: Redactable(type))]).charset == expected)
  }
}
