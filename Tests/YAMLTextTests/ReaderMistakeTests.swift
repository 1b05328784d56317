// What the reader refuses: `«` and `»` stand around the place that is shown. Each row has the first sentence and its advice.

import Diagnostics
import Testing

@testable import YAMLText

@Suite("What the reader refuses")
struct ReaderMistakeTests {
  @Test(
    "what the subset leaves out is named",
    arguments: [
      (
        "a: «&x» 1\n", "anchors (&name) are not supported",
        #"write the value itself at each place that needs it; if text is meant, put it in quotes: "&x 1""#
      ),
      (
        "«&x» a: 1\n", "anchors (&name) are not supported",
        #"write the value itself at each place that needs it; if text is meant, put it in quotes: "&x a: 1""#
      ),
      (
        "a: «*x»\n", "aliases (*name) are not supported",
        #"write the value itself; if text is meant, put it in quotes: "*x""#
      ),
      (
        "- «*x»\n", "aliases (*name) are not supported",
        #"write the value itself; if text is meant, put it in quotes: "*x""#
      ),
      (
        "a: [«*x», b]\n", "aliases (*name) are not supported",
        #"write the value itself; if text is meant, put it in quotes: "*x""#
      ),
      ("a: «!!str» 1\n", "tags (!name) are not supported", #"if text is meant, put it in quotes: "!!str 1""#),
      ("a: «!t» {b: c}\n", "tags (!name) are not supported", #"if text is meant, put it in quotes: "!t {b: c}""#),
      ("«!t»\na: 1\n", "tags (!name) are not supported", #"if text is meant, put it in quotes: "!t""#),
      ("«<<»: {a: 1}\n", "merge keys ('<<') are not supported", "write the keys themselves"),
      ("{«<<»: {a: 1}}\n", "merge keys ('<<') are not supported", "write the keys themselves"),
      (
        "«%YAML 1.2»\n---\na: 1\n", "a line that begins with '%' is a YAML directive, and these are not supported",
        "put text that begins with '%' in quotes"
      ),
      (
        "«%TAG ! x»\n", "a line that begins with '%' is a YAML directive, and these are not supported",
        "put text that begins with '%' in quotes"
      ),
      (
        "a: 1\n«---»\nb: 2\n", "a second document begins here, and a spec is one document",
        "put it into a file of its own"
      ),
      (
        "---\na: 1\n«---»\n", "a second document begins here, and a spec is one document",
        "put it into a file of its own"
      ),
      (
        "a: 1\n...\n«b: 2»\n", "a second document begins here, and a spec is one document",
        "put it into a file of its own"
      ),
      ("a: 1\n... «b»\n", "only a comment may follow '...'", nil),
      ("«?» a\n: b\n", "keys that begin with '? ' are not supported", "write 'key: value'"),
      ("a: 1\n«?» b\n", "keys that begin with '? ' are not supported", "write 'key: value'"),
      ("{«?» a: b}\n", "keys that begin with '? ' are not supported", "write 'key: value'"),
      ("«{a: 1}»: b\n", "a key must be text, not a map", "put text that begins with '{' in quotes"),
      ("«[a]»: b\n", "a key must be text, not a list", "put text that begins with '[' in quotes"),
      ("a: 1\n«[b]»: c\n", "a key must be text, not a list", "put text that begins with '[' in quotes"),
      ("{«{»a: 1}: b}\n", "a key must be text, not a map or a list", "'{{' begins a map in a map: put text in quotes"),
      ("[«[a]»: b]\n", "a key must be text, not a map or a list", "put text in quotes"),
      ("[«{a: b}»: c]\n", "a key must be text, not a map or a list", "put text in quotes"),
    ] as [(String, String, String?)])
  func feature(marked: String, message: String, advice: String?) {
    expect(marked, message, advice)
  }

  @Test(
    "indentation that is not YAML",
    arguments: [
      ("«\t»a: 1\n", "a tab stands in the indentation", "indent with spaces"),
      ("a:\n«\t»b: 1\n", "a tab stands in the indentation", "indent with spaces"),
      ("a:\n  b: 1\n «\t»c: 2\n", "a tab stands in the indentation", "indent with spaces"),
      ("a:\n  «\t»b: 1\n", "a tab stands in the indentation", "indent with spaces"),
      ("-«\t»- a\n", "a tab stands in the indentation", "indent with spaces"),
      ("- «\t»a: 1\n", "a tab stands in the indentation", "indent with spaces"),
      ("a:\n«\t»- b\n", "a tab stands in the indentation", "indent with spaces"),
      ("a:\n«\t»b\n", "a tab stands in the indentation", "indent with spaces"),
      ("a: b\n«\t»c\n", "a tab stands in the indentation", "indent with spaces"),
      ("a: [\n«\t»b]\n", "a tab stands in the indentation", "indent with spaces"),
      (#"a: "b\#n«\#t»c"\#n"#, "a tab stands in the indentation", "indent with spaces"),
      (#"a: "b\#n«\#t»\#n  c"\#n"#, "a tab stands in the indentation", "indent with spaces"),
      ("|\n«\t»a\n", "a tab stands in the indentation", "indent with spaces"),
      (
        "a:\n  b: 1\n «c: 2»\n", "indented like nothing above it",
        "begin it in column 3 like the line above, or in column 1 like the map around it"
      ),
      (
        "a:\n    b: 1\n  «c: 2»\n", "indented like nothing above it",
        "begin it in column 5 like the line above, or in column 1 like the map around it"
      ),
      (
        "a: 'x'\n  «b: 2»\n", "indented deeper than the line it could belong to, which has its value already",
        "entries of one map begin in the same column"
      ),
      (
        "a:\n  - b\n «- c»\n", "indented like nothing above it",
        "begin it in column 3 like the line above, or in column 1 like the map around it"
      ),
      ("  a: 1\n«b: 2»\n", "indented less than the first line", "indent it like the first line"),
      (
        "- a\n  «b:» c\n", "': ' can't stand in plain text, which began in line 1",
        "put ': ' after the key in line 1; text with ': ' needs quotes"
      ),
      (
        "a: b\n  «c:» d\n", "': ' can't stand in plain text, which began in line 1",
        "begin a key in column 1, as in line 1; text with ': ' needs quotes"
      ),
      (
        "name\n«b:» 1\n", "': ' can't stand in plain text, which began in line 1",
        "put ': ' after the key in line 1; text with ': ' needs quotes"
      ),
      ("{a: 1}\n«b: 2»\n", "text after the end of the document's value", "a spec is one map of keys"),
      ("'a'\n«b»\n", "text after the end of the document's value", "a spec is one map of keys"),
      (
        "a: |\n    b\n  «c: 1»\n", "indented deeper than the line it could belong to, which has its value already",
        "entries of one map begin in the same column"
      ),
      (
        "a: |\n   \n  «b»\n", "an empty line before the text is indented deeper than the text",
        "take the blanks out of the empty line"
      ),
      (
        "a: # c\n  b\n # d\n «c»\n", "indented deeper than the line it could belong to, which has its value already",
        "entries of one map begin in the same column"
      ),
      (
        "a: «[»b,\nc]\n", "this '[' is not closed",
        "close it with ']': line 2 is not indented deeper, so it can't belong to it"
      ),
      (
        "a: [\n  b\n«]»\n", "this must be indented deeper than the key or item that it belongs to",
        "YAML wants every line of '{ }' and '[ ]' indented, also the last"
      ),
      (
        "a: {\n  b: 1\n«}»\n", "this must be indented deeper than the key or item that it belongs to",
        "YAML wants every line of '{ }' and '[ ]' indented, also the last"
      ),
      ("  - a\n «- b»\n", "indented less than the first line", "indent it like the first line"),
    ] as [(String, String, String?)])
  func indent(marked: String, message: String, advice: String?) {
    expect(marked, message, advice)
  }

  @Test(
    "keys, colons and dashes",
    arguments: [
      ("a: 1\n«b»\nc: 2\n", "this stands in a map, and no ': ' follows it", "write 'key: value'"),
      ("a: 1\n«b:2»\n", "this stands in a map, and no key ends with ': '", "put a space after the colon: b: 2"),
      ("«:» a\n", "there is no key before the ':'", #"an empty key is written """#),
      ("a: 1\n«:» b\n", "there is no key before the ':'", #"an empty key is written """#),
      ("[«:» a]\n", "there is no key before the ':'", #"an empty key is written """#),
      ("{«:» a}\n", "there is no key before the ':'", #"an empty key is written """#),
      (#""a"«:»1\#n"#, "a space is missing after the colon", nil),
      ("'a'«:»b: 1\n", "a space is missing after the colon", nil),
      (
        "a: «b: c»\n", "': ' can't stand in plain text",
        #"put the text in quotes, or begin a map on its own line: "b: c""#
      ),
      (
        "a: «b: c: d»\n", "': ' can't stand in plain text",
        #"put the text in quotes, or begin a map on its own line: "b: c: d""#
      ),
      (
        "title: «foo: bar» # c\n", "': ' can't stand in plain text",
        #"put the text in quotes, or begin a map on its own line: "foo: bar""#
      ),
      ("--- «a: 1»\n", "a map can't begin on the line of '---'", "begin it on the next line"),
      ("a: «-» b\n", "a list can't begin on the line of its key", "begin it on the next line, or write [a, b]"),
      ("--- «-» a\n", "a list can't begin on the line of its key", "begin it on the next line, or write [a, b]"),
      (
        "a: 1\n«-» b\n", "a list item stands among the keys of a map",
        "a list stands below a key without a value: 'key:'"
      ),
      ("- a\n«b: 1»\n", "this stands in a list, whose items begin with '- '", nil),
      ("- a\n«-b»\n", "this stands in a list, whose items begin with '- '", "put a space after the '-'"),
      ("- a\n«b»\n", "this stands in a list, whose items begin with '- '", nil),
      ("a: 1\n«a»: 2\n", "the key 'a' is there already, in line 1", "leave one of them out"),
      ("a:\n  b: 1\n  c: 2\n  «'b'»: 3\n", "the key 'b' is there already, in line 2", "leave one of them out"),
      (#"{a: 1, «"a"»: 2}\#n"#, "the key 'a' is there already, in line 1", "leave one of them out"),
      (#"{"a":1,"b":{"a":2},«"\u0061"»:3}\#n"#, "the key 'a' is there already, in line 1", "leave one of them out"),
      ("a:\n - b: 1\n   «b»: 2\n", "the key 'b' is there already, in line 2", "leave one of them out"),
      (#"1: a\#n«"1"»: b\#n"#, "the key '1' is there already, in line 1", "leave one of them out"),
      ("«~»: a\n", "this key is null for YAML", #"put it in quotes: "~""#),
      ("«Null»: a\n", "this key is null for YAML", #"put it in quotes: "Null""#),
      ("«True»: a\n", "this key is a boolean for YAML", #"put it in quotes: "True""#),
      ("«012»: a\n", "this key is a number for YAML", #"put it in quotes: "012""#),
      ("«0x1F»: a\n", "this key is a number for YAML", #"put it in quotes: "0x1F""#),
      ("«1.50»: a\n", "this key is a number for YAML", #"put it in quotes: "1.50""#),
      ("«+1»: a\n", "this key is a number for YAML", #"put it in quotes: "+1""#),
      ("{«1e3»: a}\n", "this key is a number for YAML", #"put it in quotes: "1e3""#),
      ("«.inf»: 1\n", "JSON has no '.inf'", #"if text is meant, put it in quotes: ".inf""#),
      (#"«"a\#n b"»: 1\#n"#, "a key must stand on one line", nil),
      ("{«a\n b»: 1}\n", "a key must stand on one line", nil),
      (#"[«"a\#n b"»: 1]\#n"#, "a key must stand on one line", nil),
    ] as [(String, String, String?)])
  func structure(marked: String, message: String, advice: String?) {
    expect(marked, message, advice)
  }

  @Test(
    "scalars that are not YAML, or not JSON",
    arguments: [
      (#"a: «"»b\#n"#, "this quote is not closed", "close it with \""),
      ("a: «'»b\nc: 1\n", "this quote is not closed", "a text of several lines must be indented deeper than its key"),
      (
        #"a: «"»b\#nc: "d"\#n"#, "this quote is not closed",
        "a text of several lines must be indented deeper than its key"
      ),
      (
        #"«"»a\#n--- b"\#n"#, "this quote is not closed", "a text of several lines must be indented deeper than its key"
      ),
      ("a: 'it'«s here'»\n", "text after a closing quote", "in single quotes an apostrophe is written twice: ''"),
      (#"a: "b" «c»\#n"#, "text after a closing quote", "put the whole text in quotes"),
      (#"a: "b"«#» c\#n"#, "a comment needs a space before '#'", nil),
      ("a: [b]«#»c\n", "a comment needs a space before '#'", nil),
      ("a: [b] «c»\n", "text after the end of a value", "put the whole text in quotes"),
      ("{a: 1} «{b: 2}»\n", "text after the end of a value", "put the whole text in quotes"),
      (
        #"a: "«\q»"\#n"#, #"'\q' is not an escape"#,
        #"a backslash in double quotes is written \\; in single quotes it is itself"#
      ),
      (
        #"a: "C:«\d»ir"\#n"#, #"'\d' is not an escape"#,
        #"a backslash in double quotes is written \\; in single quotes it is itself"#
      ),
      (#"a: "«\x4»g"\#n"#, #"no character has the escape '\x4'"#, #"the highest is \U0010ffff"#),
      (#"a: "«\u12»"\#n"#, #"no character has the escape '\u12'"#, #"the highest is \U0010ffff"#),
      (
        #"a: "«\ud83d»"\#n"#, #"half of a surrogate pair: '\ud83d'"#,
        #"the other half must stand beside it: \ud83d\ude00"#
      ),
      (
        #"a: "«\ude00»"\#n"#, #"half of a surrogate pair: '\ude00'"#,
        #"the other half must stand beside it: \ud83d\ude00"#
      ),
      (
        #"a: "«\ud83d»\n"\#n"#, #"half of a surrogate pair: '\ud83d'"#,
        #"the other half must stand beside it: \ud83d\ude00"#
      ),
      (#"a: "«\U00110000»"\#n"#, #"no character has the escape '\U00110000'"#, #"the highest is \U0010ffff"#),
      (
        #"a: "«\é»"\#n"#, #"'\é' is not an escape"#,
        #"a backslash in double quotes is written \\; in single quotes it is itself"#
      ),
      ("a: «.inf»\n", "JSON has no '.inf'", #"if text is meant, put it in quotes: ".inf""#),
      ("a: [«-.INF», 1]\n", "JSON has no '-.INF'", #"if text is meant, put it in quotes: "-.INF""#),
      ("a: «.nan»\n", "JSON has no '.nan'", #"if text is meant, put it in quotes: ".nan""#),
      (
        "a: | «b»\n", "the text of a block begins on the line after its '|' or '>'",
        "only '-', '+', an indentation from 1 to 9 and a comment may follow on this line"
      ),
      (
        "a: |«0»\n", "the text of a block begins on the line after its '|' or '>'",
        "only '-', '+', an indentation from 1 to 9 and a comment may follow on this line"
      ),
      (
        "a: |«x»\n", "the text of a block begins on the line after its '|' or '>'",
        "only '-', '+', an indentation from 1 to 9 and a comment may follow on this line"
      ),
      (
        "a: |-«-»\n", "the text of a block begins on the line after its '|' or '>'",
        "only '-', '+', an indentation from 1 to 9 and a comment may follow on this line"
      ),
      (
        "a: >1«0»\n", "the text of a block begins on the line after its '|' or '>'",
        "only '-', '+', an indentation from 1 to 9 and a comment may follow on this line"
      ),
      ("«|1»\n a\n", "the whole document can't be a block with an indentation of its own", "leave the number out"),
      ("a: [«|»]\n", "a '|' block can't stand here", #"if text is meant, put it in quotes: "|""#),
      ("a: {b: «>-»}\n", "a '>' block can't stand here", #"if text is meant, put it in quotes: ">-""#),
      (
        "- |+\n«  »", "the text ends with spaces and no line end: it isn't clear whether that is a line",
        "end the file with a line feed"
      ),
      (
        "a: b\n  «c:» d\n", "': ' can't stand in plain text, which began in line 1",
        "begin a key in column 1, as in line 1; text with ': ' needs quotes"
      ),
      ("a: «,b»\n", "no value begins with ','", #"if text is meant, put it in quotes: ",b""#),
      ("a: «]»\n", "no value begins with ']'", #"if text is meant, put it in quotes: "]""#),
      ("a: «}»\n", "no value begins with '}'", #"if text is meant, put it in quotes: "}""#),
    ] as [(String, String, String?)])
  func scalar(marked: String, message: String, advice: String?) {
    expect(marked, message, advice)
  }

  @Test(
    "usual slips, with their remedy",
    arguments: [
      (
        "query: { c: «${input.x}» }\n", "a template inside '{ }' or '[ ]' needs quotes",
        #"write "${input.x}", or input.x where a key takes a path"#
      ),
      ("a: [b-«${x}-c», d]\n", "a template inside '{ }' or '[ ]' needs quotes", #"write "b-${x}-c""#),
      ("a: {«${x}»: 1}\n", "a template inside '{ }' or '[ ]' needs quotes", #"write "${x}""#),
      ("{a: «${x}», b: «${y:-a, b}»}\n", "a template inside '{ }' or '[ ]' needs quotes", #"write "${x}""#),
      ("a: «[»«${x»\n", "this '[' is not closed", "close it with ']'"),
      (
        "a: «*all»\n", "aliases (*name) are not supported",
        #"write the value itself; if text is meant, put it in quotes: "*all""#
      ),
      ("a: «@graph»\n", "plain text can't begin with '@'", #"if text is meant, put it in quotes: "@graph""#),
      ("a: «%7B»\n", "plain text can't begin with '%'", #"if text is meant, put it in quotes: "%7B""#),
      ("a: «`x`»\n", "plain text can't begin with '`'", #"if text is meant, put it in quotes: "`x`""#),
      ("[«@a», b]\n", "plain text can't begin with '@'", #"if text is meant, put it in quotes: "@a""#),
      ("a: {«b:1»}\n", "this key has a colon in it, and no value", "put a space after the colon: { b: 1 }"),
      ("{«a:1», «b:2»}\n", "this key has a colon in it, and no value", "put a space after the colon: { a: 1 }"),
      ("a: {b«:»[1]}\n", "a space is missing after the colon", nil),
      (
        "a: ${x:-a «#b}»\n", "' #' begins a comment, which cuts the template before it",
        #"put the value in quotes: "${x:-a #b}""#
      ),
      ("- «${x»: y}\n", "a template with ': ' in it needs quotes", nil),
      (
        "a: «${x: y}»\n", "': ' can't stand in plain text",
        #"put the text in quotes, or begin a map on its own line: "${x: y}""#
      ),
      ("a: [a, b«[»0]]\n", "',' or ']' is missing here", "text with brackets, braces or commas in it needs quotes"),
      (
        "a: {«{»b}}\n", "a key must be text, not a map or a list",
        #"'{{' begins a map in a map: write a template as "${b}", or put text in quotes"#
      ),
      ("a: [b«}»\n", "'}' can't close the '[' in line 1", "close it with ']'"),
      ("a: «{»b: 1\n", "this '{' is not closed", "close it with '}'"),
      (
        "a: {b: c d«:» e}\n", "this colon can't stand here",
        "put text with ': ' in it in quotes, or a comma between two entries"
      ),
      (#"a: {"b" «"»c"}\#n"#, "':' or ',' is missing here", "write ':' before it"),
      ("[a, «,»b]\n", "nothing stands before this comma", "leave it out"),
      ("[«,»]\n", "nothing stands before this comma", "leave it out"),
      ("{«,»}\n", "nothing stands before this comma", "leave it out"),
      ("a: [b,«#»c\n]\n", "a comment needs a space before '#'", nil),
      ("[«-» a]\n", "a '- ' list can't stand in '[ ]' or '{ }'", #"if text is meant, put it in quotes: "- a""#),
      ("«[»a, b\n", "this '[' is not closed", "close it with ']'"),
      (#"{"a" «1»}\#n"#, "':' or ',' is missing here", "write ':' before it"),
      (#"{"a":1 "b«":»2}\#n"#, #"a '":' stands in plain text"#, "a comma is missing before it, or quotes are"),
      ("[1]«]»\n", "text after the end of a value", "put the whole text in quotes"),
    ] as [(String, String, String?)])
  func slip(marked: String, message: String, advice: String?) {
    expect(marked, message, advice)
  }
}
