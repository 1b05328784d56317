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
    #expect(try Self.holds(.has("not f"), for: value) == holds)
  }

  @Test(
    "exists is for what is there and not null", arguments: [("0", true), ("null", false), (nil, false), ("[]", true)])
  func exists(_ value: String?, _ isThere: Bool) throws {
    #expect(try Self.holds(.exists(true), for: value) == isThere)
    #expect(try Self.holds(.exists(false), for: value) == !isThere)
  }

  @Test("all clauses must hold, and all tests of each; 'not' is of all its tests together")
  func all() throws {
    let record = try Self.json(#"{"a":5,"b":{"c":["x","y"]}}"#)
    func holds(_ clauses: (JSONPath, [Condition.Test])...) -> Bool {
      Condition(clauses.map { Condition.Clause(path: $0.0, tests: $0.1) }).holds(for: record)
    }
    let (four, six) = (JSONValue(4), JSONValue(6))
    #expect(holds((["a"], [.above(four), .below(six)]), (["b", "c", "1"], [.among([JSONValue("y")])])))
    #expect(!holds((["a"], [.above(four)]), (["b", "d"], [.exists(true)])))
    #expect(!holds((["a"], [.above(four), .above(six)])))
    #expect(holds((["a"], [.not([.above(four), .above(six)])])))
    #expect(!holds((["a"], [.not([.above(four), .below(six)])])))
    #expect(!Condition([.init(path: ["a"], tests: [.exists(true)])]).holds(for: JSONValue(5)))
  }
}
