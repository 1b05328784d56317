// Mistakes in `read`, and what can't stand beside it.

import Testing

@Suite("Mistakes in the format of a body")
struct SpecReadMistakeTests {
  @Test(
    "A format is a word, or a map of one",
    arguments: [
      Wrong.job("read: «xml»", "expected 'json', 'lines', 'sequence', 'csv' or {csv: {…}}, found 'xml'"),
      Wrong.job(
        "read: «ndjson»",
        "expected 'json', 'lines', 'sequence', 'csv' or {csv: {…}}, found 'ndjson' | did you mean 'lines'?"),
      Wrong.job(
        "read: «CSV»", "expected 'json', 'lines', 'sequence', 'csv' or {csv: {…}}, found 'CSV' | did you mean 'csv'?"),
      Wrong.job("read: «[csv]»", "expected 'json', 'lines', 'sequence', 'csv' or {csv: {…}}, found a list"),
      Wrong.job("read: «{}»", "no format in 'read' | write '{ csv: { delimiter: \";\" } }'"),
      Wrong.job("read: { «lines»: {} }", "unknown key 'lines'"),
      Wrong.job("read: { csv: «;» }", "expected a map, found the text ';' | its keys are delimiter, header, quotes"),
      Wrong.job("read: { csv: { «delimeter»: ';' } }", "unknown key 'delimeter' | did you mean 'delimiter'?"),
      Wrong.job(
        "read: { csv: { delimiter: «'\\t'» } }",
        "expected one ASCII character, found '\\t' | write ';', '|', or a tab as \"\\t\", in double quotes"),
      Wrong.job("read: { csv: { delimiter: «'é'» } }", "expected one ASCII character, found 'é'"),
      Wrong.job("read: { csv: { delimiter: «'\"'» } }", "a quote or a line end can't be the delimiter"),
      Wrong.job(
        "read: { csv: { header: «[]» } }", "expected true, false, 'first' or a list of names, found an empty list"),
      Wrong.job(
        "read: { csv: { header: «none» } }", "expected true, false, 'first' or a list of names, found the text 'none'"),
      Wrong.job("read: { csv: { header: [a, «a»] } }", "'a' is given twice"),
      Wrong.job("read: { csv: { quotes: «none» } }", "expected true or false, found the text 'none'"),
      Wrong.job(
        "read: «json-seq»",
        "expected 'json', 'lines', 'sequence', 'csv' or {csv: {…}}, found 'json-seq' | did you mean 'sequence'?"),
      Wrong.job("read: sequence\n«contentIdentifier»: a", "'contentIdentifier' beside 'read'"),
      Wrong.job("read: { csv: { header: [«'${param.p}'»] } }", "no template can stand here"),
    ])
  func formats(wrong: Wrong) { wrong.check() }

  @Test(
    "Files are gzip; columns are under what has them",
    arguments: [
      Wrong.job("unpack: «rar»", "expected one of 'gzip', 'zip', 'auto', found 'rar'"),
      Wrong.job("unpack: «true»", "expected one of 'gzip', 'zip', 'auto', found true"),
      Wrong.job(
        "contentIdentifier: a\ncolumns: «'*.name'»",
        "'columns' begins with '*' | name what has the columns: 'columns.*.name'"),
      Wrong.job(
        "contentIdentifier: a\ncolumns: «a.*.b.*»",
        "two '*' in 'columns' | one goes through the columns: 'columns.*.name'"),
      Wrong.job("contentIdentifier: a\ncolumns: «/a~2»", "'/a~2' is a JSON Pointer"),
      Wrong.job(
        "«columns»: names",
        "'columns' without 'contentIdentifier' | add 'contentIdentifier' with where the arrays are, such as 'rows', or write '0' for a body's own first row"
      ),
      Wrong.job(
        "contentIdentifier: a.*\nkey: k\ncolumns: b".replacing("key", with: "«key»"), "'key' beside 'columns'"),
      Wrong.job("read: csv\n«columns»: b", "'columns' beside 'read'"),
      Wrong.job("read: csv\n«columns»: [a, b]", "'columns' beside 'read'"),
      Wrong.job("columns: «[a, a]»", "a name twice | give each a name of its own"),
      Wrong.job(
        "contentIdentifier: a.*.*\nkey: «[k, l, m]»",
        "3 names in 'key' for 2 '*' in 'contentIdentifier' | write one for each '*', or a single name for the last"),
      Wrong.job("contentIdentifier: a.*\nkey: [k, «[]»]", "expected a member's name, found an empty list"),
    ])
  func tables(wrong: Wrong) { wrong.check() }

  @Test(
    "A poll is a map of conditions and durations",
    arguments: [
      Wrong.job("poll: «10s»", "expected a map, found the text '10s' | its keys are until, failure, every, within"),
      Wrong.job("poll: { «til»: { a: b } }", "unknown key 'til'"),
      Wrong.job("poll: { every: «10» }", "expected a duration, found 10 | write '10s'"),
      Wrong.job("poll: { until: «DONE» }", "a path at an answer begins with its root"),
      Wrong.job("read: lines\npoll: «{ until: { body.a: b } }»", "'body' can't be read beside 'read'"),
    ])
  func polls(wrong: Wrong) { wrong.check() }

  @Test(
    "Lines and CSV have nothing around their records",
    arguments: [
      Wrong.job("read: lines\n«contentIdentifier»: a", "'contentIdentifier' beside 'read'"),
      Wrong.job(
        "read: csv\npages: { number: p, totalPages: «body.pages» }",
        "'body' can't be read beside 'read' | CSV has no members around its records; read 'headers.…' or 'last.…'"
      ),
      Wrong.job("read: lines\nfailure: «body.error»", "'body' can't be read beside 'read'"),
      Wrong.job("read: lines\npages: { next: «body.next» }", "'body' can't be read beside 'read'"),
      Wrong.job(
        "read: lines\npages: { link: { «in»: links, rel: next } }",
        "'in' beside 'read' | leave it out to read the header 'Link': NDJSON has no links in its body"),
      Wrong.job(
        "read: csv\nmodel: { a: string, b?: «integer» }",
        "a value of CSV is a text | write 'string', or read it in 'decode': 'types: { b: integer }'"),
      Wrong.job("read: { csv: { header: false } }\n«model»: { a: string }", "'model' of records that are arrays"),
      Wrong("steps:\n- endpoint: https://h/\n- «read»: csv\n  set: { a: '${input.a}' }", "'read' without 'endpoint'"),
    ])
  func around(wrong: Wrong) { wrong.check() }
}
