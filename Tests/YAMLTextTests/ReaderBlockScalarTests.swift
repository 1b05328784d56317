// Blocks of text: each row is a text and its value as JSON.

import Testing

@testable import YAMLText

@Suite("Blocks of text")
struct ReaderBlockScalarTests {
  @Test(
    "blocks keep or fold their lines, and chomp their end",
    arguments: [
      ("a: |\n  b\n  c\nd: e\n", #"{"a":"b\nc\n","d":"e"}"#),
      ("a: |\n  b\n    c\n\n  d\n", #"{"a":"b\n  c\n\nd\n"}"#),
      ("a: |-\n  b\n\n\nc: d\n", #"{"a":"b","c":"d"}"#),
      ("a: |+\n  b\n\n\nc: d\n", #"{"a":"b\n\n\n","c":"d"}"#),
      ("a: |\n  b\n\n\nc: d\n", #"{"a":"b\n","c":"d"}"#),
      ("a: >\n  b\n  c\n\n  d\n", #"{"a":"b c\nd\n"}"#),
      ("a: >-\n  b\n  c\n", #"{"a":"b c"}"#),
      ("a: >+\n  b\n\n", #"{"a":"b\n\n"}"#),
      ("a: >\n  b\n    c\n    d\n  e\n", #"{"a":"b\n  c\n  d\ne\n"}"#),
      ("a: >\n  b\n\n    c\n\n  d\n  e\n", #"{"a":"b\n\n  c\n\nd e\n"}"#),
      ("a: >\n\n\n  b\n", #"{"a":"\n\nb\n"}"#),
      ("a: |\n\n  b\n", #"{"a":"\nb\n"}"#),
      ("a: >\n  b\n  \tc\n  d\n", #"{"a":"b\n\tc\nd\n"}"#),
      ("a: |2\n    b\n   c\n", #"{"a":"  b\n c\n"}"#),
      ("a: |1-\n  b\n", #"{"a":" b"}"#),
      ("a: |-1\n  b\n", #"{"a":" b"}"#),
      ("a: >2+\n    b\n  c\n\n", #"{"a":"  b\nc\n\n"}"#),
      ("a: | # comment\n  b\n", #"{"a":"b\n"}"#),
      ("a: >- # comment\n  b\n", #"{"a":"b"}"#),
      ("- |\n b\n- >\n c\n", #"["b\n","c\n"]"#),
      ("- - |\n   a\n  - b\n", #"[["a\n","b"]]"#),
      ("- a: |\n    b\n  c: d\n", #"[{"a":"b\n","c":"d"}]"#),
      ("- |1\n  a\n", #"[" a\n"]"#),
      ("a:\n  - |\n    b\n  - c\n", #"{"a":["b\n","c"]}"#),
      ("a: |\n  # text\n  b: c\n  - d\n # comment\ne: f\n", ##"{"a":"# text\nb: c\n- d\n","e":"f"}"##),
      ("a: |\n  b\n# comment\n\nc: d\n", #"{"a":"b\n","c":"d"}"#),
      ("a: |\nb: c\n", #"{"a":"","b":"c"}"#),
      ("a: |-\nb: c\n", #"{"a":"","b":"c"}"#),
      ("a: |+\n\n\nb: c\n", #"{"a":"\n\n","b":"c"}"#),
      ("a: >\n\nb: c\n", #"{"a":"","b":"c"}"#),
      ("a: |\n  b  \n   \n  \nc: d\n", #"{"a":"b  \n \n","c":"d"}"#),
      ("a: |\n \n  \n  b\n", #"{"a":"\n\nb\n"}"#),
      ("--- |\n  a\n", #""a\n""#),
      ("--- |\na\nb\n", #""a\nb\n""#),
      ("--- >\na\nb\n...\n", #""a b\n""#),
      ("a: |\n  \tb\n", #"{"a":"\tb\n"}"#),
      (#"a: |\#n  b\n"'${x}\#n"#, #"{"a":"b\\n\"'${x}\n"}"#),
      ("a: |\r\n  b\r\n  c\r\n", #"{"a":"b\nc\n"}"#),
      ("a: >\n  b\n  c\n  \n  d\n", #"{"a":"b c\nd\n"}"#),
      ("a: |\n  b", #"{"a":"b"}"#),
      ("a: |-\n  b", #"{"a":"b"}"#),
      ("a: |\n  b\n   ", #"{"a":"b\n \n"}"#), ("a: >\n  b\n  c\n   ", #"{"a":"b c\n \n"}"#),
      ("a: |+\n  b\n   ", #"{"a":"b\n \n"}"#), ("a: |-\n  b\n   ", #"{"a":"b\n "}"#),
      ("a: |\n  b\n  \t", #"{"a":"b\n\t\n"}"#), ("a: |\n  b\n  ", #"{"a":"b\n"}"#),
      ("a: |\n  b\n ", #"{"a":"b\n"}"#), ("a: |\n  b\n   c", #"{"a":"b\n c"}"#),
      ("a: >\n b\n  c\n d\n\n\n", #"{"a":"b\n c\nd\n"}"#),
      ("a:\n  |\n  b\nc: >\n d\n", #"{"a":"b\n","c":"d\n"}"#),
      ("query: |\n  {\n    a(first: 1) { b }\n  }\nx: 1\n", #"{"query":"{\n  a(first: 1) { b }\n}\n","x":1}"#),
      ("a: >\n  b\n   \n  c\n", #"{"a":"b\n \nc\n"}"#),
      ("a: >\n b\n\n\n c\n", #"{"a":"b\n\nc\n"}"#),
      ("a: |4\n      b\n", #"{"a":"  b\n"}"#),
      ("a: |+\n  b\n  \n \n", #"{"a":"b\n\n\n"}"#),
    ] as [(String, String)])
  func blocks(text: String, json: String) {
    #expect(read(text) == json)
  }
}
