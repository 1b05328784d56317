// What a condition holds for.

import JSONText
import Testing

@Suite("Conditions") struct ConditionTests {
  private static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

  private static func among(_ texts: String...) throws -> Condition.Test { .among(try texts.map { try json($0) }) }

  private static func holds(_ test: Condition.Test, for value: String?) throws -> Bool {
    let record = try json(value.map { #"{"x":1,"m":\#($0),"y":[]}"# } ?? #"{"x":1}"#)
    return Condition([Condition.Clause(path: ["m"], tests: [test])]).holds(for: record)
  }

  @Test(
    "a value compares as in joins: numbers by value at any length, texts as decoded, null as missing",
    arguments: [
      ("1", "1", true), ("1", "1.0", true), ("1e2", "100", true), ("100", "1E+2", true), ("-0", "0.0", true),
      ("123456789012345678901234567890", "123456789012345678901234567890.0", true),
      ("123456789012345678901234567890", "123456789012345678901234567891", false),
      ("9007199254740993", "9007199254740992.0", false), ("1", "\"1\"", false), ("\"1\"", "1", false),
      ("1", "2", false),
      ("\"a\"", "\"a\"", true), ("\"a\"", #""\u0061""#, true), ("\"a\"", "\"A\"", false), ("\"\"", "\"\"", true),
      ("\"a\"", #""\ud800""#, false), ("true", "true", true), ("true", "false", false), ("false", "0", false),
      ("null", "null", true), ("null", nil, true), ("null", "0", false), ("1", nil, false), ("1", "[1]", false),
    ] as [(String, String?, Bool)])
  func equality(_ wanted: String, _ value: String?, _ holds: Bool) throws {
    #expect(try Self.holds(Self.among(wanted), for: value) == holds)
    #expect(try Self.holds(Self.among("\"?\"", wanted), for: value) == holds)
    #expect(try Self.holds(.not([Self.among(wanted)]), for: value) == !holds)
  }

  @Test("a value that is given later takes part in its test; without a value there is no test")
  func given() throws {
    let condition = Condition([
      Condition.Clause(path: ["m"], tests: [.given(0, .among), .not([.given(1, .above)])]),
      Condition.Clause(path: ["x"], tests: [.given(2, .has)]),
    ])
    let record = try Self.json(#"{"m":5,"x":"abc"}"#)
    #expect(condition.giving([nil, nil, nil]).holds(for: record))
    #expect(condition.giving([JSONValue(5), JSONValue(5), JSONValue("b")]).holds(for: record))
    #expect(condition.giving([try Self.json("[4,5]"), nil, nil]).holds(for: record))
    #expect(!condition.giving([JSONValue(4), nil, nil]).holds(for: record))
    #expect(!condition.giving([nil, JSONValue(4), nil]).holds(for: record))
    #expect(!condition.giving([nil, nil, JSONValue("d")]).holds(for: record))
  }

  @Test(
    "above and below compare numbers at any length, and hold for nothing else",
    arguments: [
      ("1", "0", false, true), ("1", "1.0", false, false), ("1", "1.5", true, false), ("-1", "-2", false, true),
      ("123456789012345678901234567890", "123456789012345678901234567891", true, false), ("0", "1e-99", true, false),
      ("0", "\"1\"", false, false), ("0", nil, false, false), ("0", "null", false, false), ("0", "[1]", false, false),
    ] as [(String, String?, Bool, Bool)])
  func order(_ bound: String, _ value: String?, _ isAbove: Bool, _ isBelow: Bool) throws {
    #expect(try Self.holds(.above(Self.json(bound)), for: value) == isAbove)
    #expect(try Self.holds(.below(Self.json(bound)), for: value) == isBelow)
  }

  @Test(
    "has looks into texts and lists",
    arguments: [
      ("\"not found\"", true), (#""n\u006ft f"# + "\"", true), ("\"not\"", false), ("\"\"", false), ("5", false),
      (nil, false), (#"["a","not f"]"#, true), (#"["not found"]"#, false), ("[]", false), (#"{"not f":1}"#, false),
      ("\"nnot f\"", true),
    ] as [(String?, Bool)])
  func has(_ value: String?, _ holds: Bool) throws {
    #expect(try Self.holds(.has(JSONValue("not f")), for: value) == holds)
  }

  @Test(
    "a bare path holds for what is there and is not false, 0, an empty text, an empty list or null",
    arguments: [
      ("true", true), ("false", false), ("1", true), ("0", false), ("-0.0", false), ("0e5", false), ("1e-400", true),
      ("\"\"", false), ("\"no\"", true), ("\"false\"", true), ("\"0\"", true), ("[]", false), ("[0]", true),
      ("{}", true),
      ("null", false), (nil, false),
    ])
  func truthy(_ value: String?, _ holds: Bool) throws {
    #expect(try Self.holds(.truthy(readsTexts: false), for: value) == holds)
    let isTextForNo = ["\"false\"", "\"0\""].contains(value)
    #expect(try Self.holds(.truthy(readsTexts: true), for: value) == (holds && !isTextForNo))
  }

  @Test(
    "above and below compare dates and times as instants",
    arguments: [
      ("2024-01-31", "2024-01-31T00:00:01Z", true, false), ("2024-01-31", "2024-01-31T01:00:00+02:00", false, true),
      ("2024-01-31", "2024-01-31", false, false), ("2024-01-31T12:00:00Z", "2024-01-31T12:00:00.5Z", true, false),
      ("2024-01-31T12:00:00.50Z", "2024-01-31T12:00:00.5Z", false, false), ("2024-01-31", "tomorrow", false, false),
      ("2024-01-31", nil, false, false),
    ] as [(String, String?, Bool, Bool)])
  func instants(_ bound: String, _ value: String?, _ isAbove: Bool, _ isBelow: Bool) throws {
    let value = value.map { "\"\($0)\"" }
    #expect(try Self.holds(.above(JSONValue(bound)), for: value) == isAbove)
    #expect(try Self.holds(.below(JSONValue(bound)), for: value) == isBelow)
  }

  @Test("of many values one must pass all tests together, and none what 'not' and null deny")
  func manyValues() throws {
    let record = try Self.json(#"{"a":[{"n":1},{"n":5},{"m":null}],"e":[],"o":{"x":3,"y":4}}"#)
    func holds(_ path: String, _ tests: Condition.Test...) -> Bool {
      Condition([Condition.Clause(path: try! JSONPath(path), tests: tests)]).holds(for: record)
    }
    let (two, four) = (JSONValue(2), JSONValue(4))
    #expect(holds("a.*.n", .above(four)))
    #expect(!holds("a.*.n", .above(two), .below(four)))
    #expect(holds("a.*.n", .not([.above(two), .below(four)])))
    #expect(!holds("a.*.n", .not([.among([JSONValue(5)])])))
    #expect(holds("a.*.n", .above(four), .not([.among([JSONValue(7)])])))
    #expect(holds("a.*.m", .among([.null])))
    #expect(!holds("a.*.n", .among([.null])))
    #expect(holds("e.*", .among([.null])))
    #expect(!holds("e.*", .truthy(readsTexts: false)))
    #expect(holds("o.*", .among([four])))
    #expect(holds("*.x", .among([JSONValue(3)])))
  }

  @Test("one of several alternatives is enough")
  func alternatives() throws {
    let record = try Self.json(#"{"a":5}"#)
    let no = Condition.Clause(path: ["a"], tests: [.among([JSONValue(4)])])
    let yes = Condition.Clause(path: ["a"], tests: [.above(JSONValue(4))])
    #expect(Condition(anyOf: [[no], [yes]]).holds(for: record))
    #expect(!Condition(anyOf: [[no], [yes, no]]).holds(for: record))
  }

  @Test("all clauses must hold, and all tests of each; 'not' is of all its tests together")
  func all() throws {
    let record = try Self.json(#"{"a":5,"b":{"c":["x","y"]}}"#)
    func holds(_ clauses: (JSONPath, [Condition.Test])...) -> Bool {
      Condition(clauses.map { Condition.Clause(path: $0.0, tests: $0.1) }).holds(for: record)
    }
    let (four, six) = (JSONValue(4), JSONValue(6))
    #expect(holds((["a"], [.above(four), .below(six)]), (["b", "c", "1"], [.among([JSONValue("y")])])))
    #expect(!holds((["a"], [.above(four)]), (["b", "d"], [.not([.among([.null])])])))
    #expect(!holds((["a"], [.above(four), .above(six)])))
    #expect(holds((["a"], [.not([.above(four), .above(six)])])))
    #expect(!holds((["a"], [.not([.above(four), .below(six)])])))
    #expect(!Condition([.init(path: ["a"], tests: [.not([.among([.null])])])]).holds(for: JSONValue(5)))
  }
}
