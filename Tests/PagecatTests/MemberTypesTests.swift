import JSONText
import Testing

@testable import Engine
@testable import SpecDrafting

@Suite("The types of records that were seen")
struct MemberTypesTests {
  private func value(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

  @Test(
    "are the union of all, and a member may always be missing",
    arguments: [
      ([#"{"a":1}"#, #"{"a":1.5,"b":null}"#], #"{"a":{"type":["null","number"]},"b":{"type":"null"}}"#),
      ([#"{"a":1e0}"#, #"{"a":true}"#], #"{"a":{"type":["null","boolean","number"]}}"#),
      (
        [#"{"t":"2024-01-01T00:00:00Z"}"#, #"{"t":null}"#],
        #"{"t":{"type":["null","string"],"format":"date-time"}}"#
      ),
      ([#"{"t":"2024-01-01T00:00:00Z"}"#, #"{"t":"2024-01-01"}"#], #"{"t":{"type":["null","string"]}}"#),
      ([#"{"t":"2024-01-01t00:00:00z"}"#], #"{"t":{"type":["null","string"]}}"#),
      ([#"{"t":"2016-12-31T23:59:60Z"}"#], #"{"t":{"type":["null","string"]}}"#),
      ([#"{"p":10.0}"#, #"{"p":11}"#], #"{"p":{"type":["null","number"]}}"#),
      (
        [#"{"l":[]}"#, #"{"l":[1,{"x":1}]}"#],
        #"{"l":{"type":["null","array"],"items":{"type":["null","integer","object"],"properties":{"x":{"type":["null","integer"]}}}}}"#
      ),
      ([#"{"l":[]}"#], #"{"l":{"type":["null","array"],"items":{}}}"#),
    ])
  func union(records: [String], properties: String) throws {
    var types = MemberTypes()
    for record in records { _ = types.add(try value(record)) }
    #expect(types.recordSchema.text == #"{"type":"object","properties":"# + properties + "}")
  }

  @Test("say when a record needs another schema")
  func news() throws {
    var types = MemberTypes()
    let records = [
      (#"{"a":1,"t":"2024-01-01T00:00:00Z"}"#, true), (#"{"a":2}"#, false), (#"{"a":"x"}"#, true), (#"{"b":[]}"#, true),
      (#"{"b":[1]}"#, true), (#"{"b":[2]}"#, false), (#"{"a":1.0}"#, true), (#"{"t":"soon"}"#, true),
      (#"{"t":"later"}"#, false),
    ]
    for (record, isNews) in records { #expect(types.add(try value(record)) == isNews, "\(record)") }
  }

  @Test(
    "give a model that they match",
    arguments: [
      (
        [#"{"i":1,"n":1.5,"b":true,"s":"x"}"#, #"{"i":1e1,"n":2,"b":false,"s":""}"#],
        ["i: number", "\"n\": number", "b: boolean", "s: string"]
      ),
      ([#"{"a":1}"#, #"{"b":null}"#], ["a?: integer", "b?: any"]),
      ([#"{"a":1.0,"b":2E3,"c":-4}"#, #"{"a":1,"b":2,"c":5}"#], ["a: number", "b: number", "c: integer"]),
      ([#"{"d":"2024-01-01"}"#, #"{"d":"2024-01-01T00:00:00Z"}"#], ["d: date"]),
      ([#"{"u":"https://h/"}"#, #"{"u":"http://h/x"}"#], ["u: url"]),
      ([#"{"u":"https://h/"}"#, #"{"u":"https://"}"#], ["u: string"]),
      ([#"{"l":[1,2],"e":[],"m":[1,"x"],"z":[null]}"#], ["l: [integer]", "e: any", "m: [any]", "z: any"]),
      (
        [#"{"o":{"x":1}}"#, #"{"o":null}"#, #"{"o":{"x":2,"y z":"v"}}"#],
        ["o?: { x: integer, \"y z?\": string }"]
      ),
      ([#"{"o":{}}"#, #"{"o":{}}"#], ["o: any"]), ([#"{"o":{"a?":1}}"#], ["o: any"]),
      ([#"{"true":1,"1":2,"a: b":3}"#], ["\"true\": integer", "\"1\": integer", "\"a: b\": integer"]),
    ])
  func model(records: [String], lines: [String]) throws {
    var types = MemberTypes()
    for record in records { _ = types.add(try value(record)) }
    #expect(types.modelLines == lines)
  }

  @Test(
    "give none for records that are no objects, or whose names can't stand there",
    arguments: ["1", "{}", #"{"a?":1}"#, #"{"${x}":1}"#])
  func noModel(record: String) throws {
    var types = MemberTypes()
    _ = types.add(try value(record))
    #expect(types.modelLines == nil)
  }
}
