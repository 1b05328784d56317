import Diagnostics
import PipelineSpec
import Testing

@Suite("The types of a run's records")
struct RecordSchemaTests {
  private func schema(_ texts: String...) throws -> RecordSchema {
    try RecordSchema(
      texts.enumerated().map { index, text in
        try Spec(reading: SourceText(name: "dir/s\(index).yaml", bytes: Array(text.utf8)))
      })
  }

  private static let types = """
    endpoint: https://h/
    model: { i: integer, n: number, s: string, b?: boolean, d: date, u: url, l: ["integer"], m: { "x\\"y'z": integer, e?: string }, a: any }
    """

  @Test("in DuckDB keep integers of 38 digits, and quote names")
  func duckDB() throws {
    #expect(
      try schema(Self.types).text(as: .duckdb)
        == "{'i': 'HUGEINT', 'n': 'DOUBLE', 's': 'VARCHAR', 'b': 'BOOLEAN', 'd': 'TIMESTAMPTZ', 'u': 'VARCHAR', "
        + "'l': 'HUGEINT[]', 'm': 'STRUCT(\"x\"\"y''z\" HUGEINT, \"e\" VARCHAR)', 'a': 'JSON'}")
  }

  @Test("in PostgreSQL keep every digit; what may be missing or null may be NULL")
  func postgres() throws {
    #expect(
      try schema(Self.types).text(as: .postgres) == """
        CREATE TABLE "s0" (
          "i" numeric NOT NULL,
          "n" numeric NOT NULL,
          "s" text NOT NULL,
          "b" boolean,
          "d" timestamptz NOT NULL,
          "u" text NOT NULL,
          "l" jsonb NOT NULL,
          "m" jsonb NOT NULL,
          "a" jsonb
        );
        """)
  }

  @Test("a table has the key that 'unique' names, if it has its columns")
  func key() throws {
    let typed = "endpoint: https://h/\nmodel: { id: integer, n: string }\nunique: [n, id]"
    #expect(try schema(typed).text(as: .postgres).hasSuffix("NOT NULL,\n  PRIMARY KEY (\"n\", \"id\")\n);"))
    let joined = "each: { id: [1] }\nendpoint: https://h/${input.id}\nmodel: { n: string }\nattach: a\nunique: [n]"
    #expect(try schema(joined).text(as: .postgres).contains("PRIMARY") == false)
  }

  @Test(
    "in JSON Schema",
    arguments: [
      ("i: integer", #"{"i":{"type":"integer"}},"required":["i"]"#),
      ("i?: number", #"{"i":{"type":["number","null"]}},"required":[]"#),
      ("i: date", #"{"i":{"type":"string","anyOf":[{"format":"date-time"},{"format":"date"}]}},"required":["i"]"#),
      ("i: url", #"{"i":{"type":"string","format":"uri"}},"required":["i"]"#),
      ("i?: any", #"{"i":{}},"required":[]"#),
      (
        "i: [{ a: boolean }]",
        #"{"i":{"type":"array","items":{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}}},"required":["i"]"#
      ),
    ])
  func jsonSchema(member: String, wanted: String) throws {
    let text = try schema("endpoint: https://h/\nmodel: { \(member) }").text(as: .jsonSchema)
    #expect(
      text == #"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":"# + wanted + "}")
  }

  @Test("are those of the last step, with what it attaches to its input records")
  func steps() throws {
    let chained = """
      base: https://h/
      steps:
        - { name: users, endpoint: u, model: { id: integer, name: string } }
        - name: posts
          endpoint: p/${input.id}
          model: { title: string }
          attach: posts
          set: { at: "${now}", source: web, rank: 1, share: 1.0, id: "x-${input.id}" }
      """
    #expect(
      try schema(chained).text(as: .duckdb)
        == "{'id': 'HUGEINT', 'name': 'VARCHAR', 'posts': 'STRUCT(\"title\" VARCHAR, \"at\" JSON, \"source\" VARCHAR, "
        + "\"rank\" HUGEINT, \"share\" DOUBLE, \"id\" VARCHAR)[]'}")
    let matched = try schema(
      "each: { id: [1, 2] }\nendpoint: https://h/\nmodel: { id: integer }\nmatch: { id: id }\ncount: n")
    #expect(try matched.text(as: .duckdb) == "{'id': 'JSON', 'n': 'HUGEINT'}")
    let two = try schema("endpoint: https://h/\nmodel: { a: string }", "set: { b: \"${input.a}!\" }")
    #expect(try two.text(as: .duckdb) == "{'a': 'VARCHAR', 'b': 'VARCHAR'}" && two.name == "s1")
  }

  @Test("are what a step without a request leaves of them: dropped, decoded, or those of its own model")
  func shaped() throws {
    let fetched = "endpoint: https://h/\nmodel: { id: integer, at: integer, o: { id: integer, name: string } }"
    let left = try schema(fetched, "set: { o_id: '${input.o.id}', x: '${input.at.y}' }\ndrop: [o.id, id.none]")
    #expect(
      try left.text(as: .duckdb)
        == "{'id': 'HUGEINT', 'at': 'HUGEINT', 'o': 'STRUCT(\"name\" VARCHAR)', 'o_id': 'HUGEINT', 'x': 'JSON'}")
    let dated = try schema(fetched, "set: {}\ndrop: [o]\ndecode: { dates: { at: seconds } }")
    #expect(try dated.text(as: .duckdb) == "{'id': 'HUGEINT', 'at': 'JSON'}")
    let own = try schema(fetched, "set: { n: 1 }\nmodel: { id: string }")
    #expect(try own.text(as: .duckdb) == "{'id': 'VARCHAR', 'n': 'HUGEINT'}")
    #expect(throws: RecordSchema.Unknown.self) { try schema(fetched, "set: {}\ndecode: { keys: camelCase }") }
  }

  @Test("are those of the input records with the file that a download saves")
  func downloads() throws {
    let fetched = "endpoint: https://h/\nmodel: { id: integer, url: url }"
    let download = "download: { url: 'https://h/${input.id}', to: a/ }"
    let files = try schema(fetched, download + "\nset: { ref: '${input.id}' }")
    #expect(
      try files.text(as: .postgres) == """
        CREATE TABLE "s1" (
          "id" numeric NOT NULL,
          "url" text NOT NULL,
          "file" jsonb,
          "ref" numeric
        );
        """)
    #expect(
      try files.text(as: .duckdb)
        == "{'id': 'HUGEINT', 'url': 'VARCHAR', 'file': 'STRUCT(\"path\" VARCHAR, \"name\" VARCHAR, \"bytes\" HUGEINT, "
        + "\"contentType\" VARCHAR)', 'ref': 'HUGEINT'}")
    #expect(throws: RecordSchema.Unknown.self) { try schema("endpoint: https://h/", "keep: [id, o.name]", download) }
    #expect {
      try schema(download)
    } throws: {
      ($0 as? RecordSchema.Unknown)?.problem.hasSuffix(
        "'s0.yaml' adds to the records that it reads, and no step before it says their members") == true
    }
  }

  @Test("lose the list that 'each' goes over, and none for a parameter of its name")
  func lists() throws {
    let start =
      "params: { items: [a] }\nsteps:\n- { endpoint: 'https://h/', model: { id: integer, items: [string] } }\n"
    let elements = try schema(start + "- { each: { item: input.items }, set: { n: '${input.item}' } }")
    #expect(try elements.text(as: .duckdb) == "{'id': 'HUGEINT', 'item': 'JSON', 'n': 'JSON'}")
    let given = try schema(start + "- { each: { item: '${param.items}' }, set: {} }")
    #expect(try given.text(as: .duckdb) == "{'id': 'HUGEINT', 'items': 'VARCHAR[]', 'item': 'JSON'}")
  }

  @Test("have the members of an object that 'flatten' takes away")
  func flattened() throws {
    let fetched = "endpoint: https://h/\nmodel: { id: integer, o?: { p: { n: string }, x: any } }"
    let flat = try schema(fetched, "flatten: [o.p, o]\nrename: { n: name }")
    #expect(try flat.text(as: .postgres).contains("\"name\" text,\n  \"x\" jsonb"))
    #expect(throws: RecordSchema.Unknown.self) { try schema(fetched, "flatten: o.x") }
  }

  private static let long = String(repeating: "é", count: 31)

  @Test(
    "that a database can't keep apart, or cuts, are refused",
    arguments: [
      ("id: integer, ID: integer", RecordSchema.Form.duckdb, "'id' and 'ID' would be one column of DuckDB"),
      ("a: [{ n: integer, N: string }]", .duckdb, "'n' and 'N'"),
      ("\(long)ab?: integer", .postgres, "63 bytes"),
    ])
  func columns(members: String, form: RecordSchema.Form, problem: String) throws {
    let refused = try schema("endpoint: https://h/\nmodel: { \(members) }")
    #expect {
      try refused.text(as: form)
    } throws: {
      ($0 as? RecordSchema.Unknown)?.problem.contains(problem) == true
    }
    let wide = try schema("endpoint: https://h/\nmodel: { id: integer, ID: integer, \(Self.long)a: date }")
    #expect(try wide.text(as: .postgres).contains("\"ID\" numeric") && wide.text(as: .jsonSchema).contains("ID"))
  }

  @Test("are unknown without a model, and the step that lacks it is named")
  func unknown() throws {
    for texts in [
      ["endpoint: https://h/"],
      ["endpoint: https://h/\nmodel: { a: string }", "endpoint: https://h/${input.a}"],
      ["endpoint: https://h/", "set: { b: \"${input.a}\" }"],
    ] {
      let name = texts.count == 2 && texts[0].contains("model") ? "s1.yaml" : "s0.yaml"
      #expect {
        _ = try RecordSchema(
          texts.enumerated().map { try Spec(reading: SourceText(name: "s\($0).yaml", bytes: Array($1.utf8))) })
      } throws: { error in
        (error as? RecordSchema.Unknown)?.problem.contains("'\(name)' has no 'model'; add one") == true
      }
    }
  }
}
