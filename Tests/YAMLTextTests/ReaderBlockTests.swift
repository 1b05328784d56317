// Maps and lists by indentation: each row is a text and its value as JSON.

import Testing

@testable import YAMLText

@Suite("Maps and lists by indentation")
struct ReaderBlockTests {
  @Test(
    "maps and lists nest by indentation",
    arguments: [
      ("a: 1", #"{"a":1}"#),
      ("a: 1\nb: 2\n", #"{"a":1,"b":2}"#),
      ("a:\n  b: 1\n  c:\n    d: 2\ne: 3\n", #"{"a":{"b":1,"c":{"d":2}},"e":3}"#),
      ("a:\n    b: 1\nc:\n d: 2\n", #"{"a":{"b":1},"c":{"d":2}}"#),
      ("  a: 1\n  b: 2\n", #"{"a":1,"b":2}"#),
      ("- 1\n- 2\n", "[1,2]"),
      ("a:\n  - 1\n  - 2\nb: 3\n", #"{"a":[1,2],"b":3}"#),
      ("a:\n- 1\n- 2\nb: 3\n", #"{"a":[1,2],"b":3}"#),
      ("a:\n- b:\n  - 1\n- c\nd:\n- 2\n", #"{"a":[{"b":[1]},"c"],"d":[2]}"#),
      ("- a: 1\n  b: 2\n- c: 3\n", #"[{"a":1,"b":2},{"c":3}]"#),
      ("-   a: 1\n    b: 2\n", #"[{"a":1,"b":2}]"#),
      ("- - 1\n  - 2\n- - 3\n", "[[1,2],[3]]"),
      ("- - - x\n", #"[[["x"]]]"#),
      ("- - a: 1\n    b:\n    - 2\n  - 3\n", #"[[{"a":1,"b":[2]},3]]"#),
      ("-\n  a: 1\n-\n  - 2\n", #"[{"a":1},[2]]"#),
      ("- \n- x\n-\n", #"[null,"x",null]"#),
      ("a:\nb:\n", #"{"a":null,"b":null}"#),
      ("a:\n  b:\nc:\n", #"{"a":{"b":null},"c":null}"#),
      ("a: # comment\n  b: 1\n", #"{"a":{"b":1}}"#),
      ("- # comment\n  b: 1\n- 2\n", #"[{"b":1},2]"#),
      ("a:\n\n  # comment\n\n  b: 1\n# at the left\n  c: 2\n", #"{"a":{"b":1,"c":2}}"#),
      ("a: 1 # c\n#d\n  # e\nb: 2", #"{"a":1,"b":2}"#),
      ("# only\n---\na: 1\n", #"{"a":1}"#),
      ("---\na: 1\n", #"{"a":1}"#),
      ("--- # c\na: 1\n", #"{"a":1}"#),
      ("a: 1\n...\n", #"{"a":1}"#),
      ("a: 1\n...  # c\n\n# d\n", #"{"a":1}"#),
      ("---\n...\n", "null"),
      ("", "null"),
      ("\n\n", "null"),
      ("# only a comment", "null"),
      ("---\n", "null"),
      ("...\n", "null"),
      ("a :  1\nb\t:\t2\n", #"{"a":1,"b":2}"#),
      ("a:    \n  b: 1\n", #"{"a":{"b":1}}"#),
      ("a: 1\n\t\n \t# comment\nb: 2\n", #"{"a":1,"b":2}"#),
      (#""a": 1\#n'b': 2\#n"c" : 3\#n"#, #"{"a":1,"b":2,"c":3}"#),
      ("?a: 1\n-b: 2\n:c: 3\n", #"{"?a":1,"-b":2,":c":3}"#),
      ("a b c: 1\n", #"{"a b c":1}"#),
      ("a#b: 1\n", #"{"a#b":1}"#),
      ("a:b: 1\n", #"{"a:b":1}"#),
      ("http://x.y: 1\n", #"{"http://x.y":1}"#),
      ("a,b: ", #"{"a,b":null}"#),
      ("true: 1\nnull: 2\n404: 3\n-1: 4\n", #"{"true":1,"null":2,"404":3,"-1":4}"#),
      (#""1": a\#n"~": b\#n"<<": c\#n"#, #"{"1":"a","~":"b","<<":"c"}"#),
      ("é: 1\n日本: 2\n🎉: 3\n", #"{"é":1,"日本":2,"🎉":3}"#),
      ("a: 1\r\nb:\r\n  - 2\r\n", #"{"a":1,"b":[2]}"#),
      ("a: 1\rb: 2\r", #"{"a":1,"b":2}"#),
      ("\u{feff}a: 1\n", #"{"a":1}"#),
      (#"a: {b: 1}\#nc: [2]\#nd: "e"\#n"#, #"{"a":{"b":1},"c":[2],"d":"e"}"#),
      (
        "steps:\n  - name: categories\n    query: { c: list }\n  - name: drinks\n    query:\n      c: ${input.strCategory}\n    concurrency: 2\n",
        #"{"steps":[{"name":"categories","query":{"c":"list"}},{"name":"drinks","query":{"c":"${input.strCategory}"},"concurrency":2}]}"#
      ),
      (#"a:\#n  b\#nc:\#n  "d"\#ne:\#n  [f]\#n"#, #"{"a":"b","c":"d","e":["f"]}"#),
      ("a:\n  -\n  - b\n", #"{"a":[null,"b"]}"#),
      ("- a:\n  - b\n- c:\n    - d\n", #"[{"a":["b"]},{"c":["d"]}]"#),
      ("- a: 1\n\n\n  b: 2\n\n- c\n", #"[{"a":1,"b":2},"c"]"#),
      ("- -1\n- --\n- -x\n- - -1\n", #"[-1,"--","-x",[-1]]"#),
    ] as [(String, String)])
  func mapsAndLists(text: String, json: String) {
    #expect(read(text) == json)
  }
}
