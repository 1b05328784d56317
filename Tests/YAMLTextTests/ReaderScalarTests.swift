// Plain and quoted scalars: each row is a text and its value as JSON.

import Testing

@testable import YAMLText

@Suite("Plain and quoted text")
struct ReaderScalarTests {
  @Test(
    "plain text folds its lines and resolves by the core schema",
    arguments: [
      ("a: b c  d", #"{"a":"b c  d"}"#),
      ("a:  b  \n", #"{"a":"b"}"#),
      ("a: b:c\n", #"{"a":"b:c"}"#),
      ("a: b :c\n", #"{"a":"b :c"}"#),
      ("a: b#c # d\n", #"{"a":"b#c"}"#),
      ("a: b, c] {d}\n", #"{"a":"b, c] {d}"}"#),
      ("a: -b\n", #"{"a":"-b"}"#),
      ("a: ?b\n", #"{"a":"?b"}"#),
      ("a: :b\n", #"{"a":":b"}"#),
      ("a: --\n", #"{"a":"--"}"#),
      ("a: b - c\n", #"{"a":"b - c"}"#),
      (#"a: it's "so"\#n"#, #"{"a":"it's \"so\""}"#),
      ("a: http://x/?a=b&c=d#e\n", #"{"a":"http://x/?a=b&c=d#e"}"#),
      ("a: ${x.y}\n", #"{"a":"${x.y}"}"#),
      ("a: ${x:-y}/z\n", #"{"a":"${x:-y}/z"}"#),
      ("a: $\n", #"{"a":"$"}"#),
      ("a: a*b&c!d|e>f%g@h`i\n", #"{"a":"a*b&c!d|e>f%g@h`i"}"#),
      ("a: b\n  c\n", #"{"a":"b c"}"#),
      ("a: b\n   c\n d\n", #"{"a":"b c d"}"#),
      ("a: b\n\n  c\n", #"{"a":"b\nc"}"#),
      ("a: b\n\n\n  c\n\n\nd: e\n", #"{"a":"b\n\nc","d":"e"}"#),
      ("a:\n  b\n  c\n\n  d\ne: f\n", #"{"a":"b c\nd","e":"f"}"#),
      ("- a\n  b\n- c\n", #"["a b","c"]"#),
      ("- a\n\n b\n", #"["a\nb"]"#),
      ("a\nb\n", #""a b""#),
      ("a\n\nb\n\n# c\n", #""a\nb""#),
      ("--- a\nb\n", #""a b""#),
      ("a: b\n  - c\n", #"{"a":"b - c"}"#),
      ("a: b\n  #c\n", #"{"a":"b"}"#),
      ("a: b\n  \tc\n", #"{"a":"b c"}"#),
      ("a: b\n\n \t\n  c\n", #"{"a":"b\n\nc"}"#),
      (
        #"a: b\#n  c#d\#n  :e\#n  *f &g !h [i] {j} "k" 'l' ,m %n\#n"#,
        #"{"a":"b c#d :e *f &g !h [i] {j} \"k\" 'l' ,m %n"}"#
      ),
      ("a: b\r\n  c\r\n\r\n  d\r\n", #"{"a":"b c\nd"}"#),
      ("a\n ...b\n ---c\n", #""a ...b ---c""#),
      ("a: ${x:-b\n  c}\n", #"{"a":"${x:-b c}"}"#),
      ("a: no\nb: on\nc: yes\nd: off\ne: y\n", #"{"a":"no","b":"on","c":"yes","d":"off","e":"y"}"#),
      (
        "a: 2024-01-01\nb: 12:30:45\nc: 2001-12-14T21:59:43Z\n",
        #"{"a":"2024-01-01","b":"12:30:45","c":"2001-12-14T21:59:43Z"}"#
      ),
      (
        "a: true\nb: True\nc: TRUE\nd: false\ne: False\nf: FALSE\ng: tRUE\n",
        #"{"a":true,"b":true,"c":true,"d":false,"e":false,"f":false,"g":"tRUE"}"#
      ),
      (
        "a: null\nb: Null\nc: NULL\nd: ~\ne:\nf: nULL\ng: ~x\n",
        #"{"a":null,"b":null,"c":null,"d":null,"e":null,"f":"nULL","g":"~x"}"#
      ),
      ("[0, 1, -1, +1, 012, -012, 007, 00, -0, +0]", "[0,1,-1,1,12,-12,7,0,-0,0]"),
      (
        "[1.5, 1.50, -1.5, +1.5, .5, -.5, +.5, 1., -1., 01.5, 00.5, 0.0]",
        "[1.5,1.50,-1.5,1.5,0.5,-0.5,0.5,1.0,-1.0,1.5,0.5,0.0]"
      ),
      ("[1e3, 1E3, 1e+3, 1e-3, 1.5e3, .5e3, 1.e3, 1E400, 1e01]", "[1e3,1E3,1e+3,1e-3,1.5e3,0.5e3,1.0e3,1E400,1e01]"),
      (
        "[0x1F, 0xff, 0x0, 0x00ff, 0o7, 0o17, 0o0, 0xFFFFFFFFFFFFFFFFFFFF, 0o7777777777777777777777777]",
        "[31,255,0,255,7,15,0,1208925819614629174706175,37778931862957161709567]"
      ),
      (
        "[123456789012345678901234567890, 0.1234567890123456789012345678901]",
        "[123456789012345678901234567890,0.1234567890123456789012345678901]"
      ),
      (
        "[0x, 0o, 0o8, 0xG, 0b1, -0x1, +0x1, 0X1, 0O7, 1_000, 1:30, 1e, e1, 1e+, ., +, '-', .e1, -., ..5, 1.5.2, 1.2e3.4, 1 2, 1,2]",
        #"["0x","0o","0o8","0xG","0b1","-0x1","+0x1","0X1","0O7","1_000","1:30","1e","e1","1e+",".","+","-",".e1","-.","..5","1.5.2","1.2e3.4","1 2",1,2]"#
      ),
      (".5", "0.5"),
      ("0x10\n", "16"),
      ("- ~\n-  \n- ''\n", #"[null,null,""]"#),
      ("a: 1\n  2\n", #"{"a":"1 2"}"#),
      ("a: true\n  false\n", #"{"a":"true false"}"#),
      ("a: inf\nb: nan\nc: .Nan\nd: .iNF\ne: +.nan\n", #"{"a":"inf","b":"nan","c":".Nan","d":".iNF","e":"+.nan"}"#),
      ("a: <<\nb: =\n", #"{"a":"<<","b":"="}"#),
    ] as [(String, String)])
  func plain(text: String, json: String) {
    #expect(read(text) == json)
  }

  @Test(
    "quotes keep everything but the folding of lines and escapes",
    arguments: [
      (#"a: ''\#nb: ""\#n"#, #"{"a":"","b":""}"#),
      ("a: 'it''s'\n", #"{"a":"it's"}"#),
      ("a: ''''\n", #"{"a":"'"}"#),
      (#"a: '\n "'\#n"#, #"{"a":"\\n \""}"#),
      (#"a: "'"\#n"#, #"{"a":"'"}"#),
      ("a: 'b # c: d'\n", #"{"a":"b # c: d"}"#),
      (#"a: "b # c: d"\#n"#, #"{"a":"b # c: d"}"#),
      (#"a: "b" # c\#n"#, #"{"a":"b"}"#),
      ("a: 'b' # c\n", #"{"a":"b"}"#),
      (#"a: 'true'\#nb: "1"\#nc: 'null'\#n"#, #"{"a":"true","b":"1","c":"null"}"#),
      (
        #"a: "\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P"\#n"#,
        #"{"a":"\u0000\u0007\b\t\n\u000b\f\r\u001b \"/\\\#u{85} \#u{2028}\#u{2029}"}"#
      ),
      (#"a: "\x41\xe9\u00e9\u65e5\U0001F389"\#n"#, #"{"a":"Aéé日🎉"}"#),
      (#"a: "\\#tb"\#n"#, #"{"a":"\tb"}"#),
      (#"a: "\ud83d\ude00 \uD83D\uDE00"\#n"#, #"{"a":"😀 😀"}"#),
      (#"a: "\u0000\u001f\x7f"\#n"#, #"{"a":"\u0000\u001f\#u{7f}"}"#),
      ("a: 'b\n  c'\n", #"{"a":"b c"}"#),
      ("a: 'b  \n\n   c '\n", #"{"a":"b\nc "}"#),
      ("a: ' b\n\n\n  c\n  '\n", #"{"a":" b\n\nc "}"#),
      (#"a: "b\#n  c"\#n"#, #"{"a":"b c"}"#),
      (#"a: "b \\#n   c"\#n"#, #"{"a":"b c"}"#),
      (#"a: "b\\#n\#n   c"\#n"#, #"{"a":"b\nc"}"#),
      (#"a: "b\n\#n  \ c"\#n"#, #"{"a":"b\n  c"}"#),
      (#"a: "b \t \#n  c"\#n"#, #"{"a":"b \t c"}"#),
      (#"a: "b\ \#n  c"\#n"#, #"{"a":"b  c"}"#),
      (#"a: "b\#t\#n  \#tc\#t"\#n"#, #"{"a":"b c\t"}"#),
      (#"a: "\#n  b\#n\#n  "\#n"#, #"{"a":" b\n"}"#),
      ("a: '\n  b\n\n  '\n", #"{"a":" b\n"}"#),
      (#"a: "b\#r\#n  c\#r\#n\#r\#n  d"\#r\#n"#, #"{"a":"b c\nd"}"#),
      (#"a: "b\\#r\#n  c"\#n"#, #"{"a":"bc"}"#),
      (#"a: "b\#n \#n  c"\#n"#, #"{"a":"b\nc"}"#),
      (#""a\#nb""#, #""a b""#),
      ("'a\n\nb'", #""a\nb""#),
      (#""a\#n\#tb""#, #""a b""#),
      ("a:\n  'b\n  c'\nd: 1\n", #"{"a":"b c","d":1}"#),
      (#"- "a\#n  b"\#n- 'c\#n d'\#n"#, #"["a b","c d"]"#),
      (#"a: "b\#n  # no comment\#n  - c: d"\#n"#, #"{"a":"b # no comment - c: d"}"#),
      (#"a: "é日🎉"\#n"#, #"{"a":"é日🎉"}"#),
      (#"a: "\#u{7f}\#u{80}\#u{feff}\#u{fffe}"\#n"#, #"{"a":"\#u{7f}\#u{80}\#u{feff}\#u{fffe}"}"#),
      ("a: '\u{7f}\u{85}\u{2028}'\n", #"{"a":"\#u{7f}\#u{85}\#u{2028}"}"#),
    ] as [(String, String)])
  func quoted(text: String, json: String) {
    #expect(read(text) == json)
  }
}
