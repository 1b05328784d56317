import JSONText
import Primitives
import TestSupport
import Testing
import Unwrapping
import Wire

extension Dice {
  fileprivate mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &self) ?? "" }

  fileprivate mutating func string() -> String {
    let parts = [
      "a", "_", "B", "é", "\u{202E}", "🐧", #"\""#, #"\\"#, #"\n"#, #"\u00e9"#, #"\ud83d\ude00"#, "{", "]", ",", ":",
      " ",
    ]
    return "\"" + (0..<Int.random(in: 0...12, using: &self)).map { _ in pick(parts) }.joined() + "\""
  }

  /// Compact JSON text.
  fileprivate mutating func value(depth: Int) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
    case 0: return pick(["null", "true", "false"])
    case 1: return pick(["0", "-0", "1.50", "-12e+30", "1234567890123456789012345", "0.1E-7"])
    case 2, 3, 4: return string()
    case 5: return "[" + list(depth).joined(separator: ",") + "]"
    default: return "{" + list(depth).map { string() + ":" + $0 }.joined(separator: ",") + "}"
    }
  }

  private mutating func list(_ depth: Int) -> [String] {
    (0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth - 1) }
  }

  /// The text with white space around the marks outside strings.
  fileprivate mutating func loosened(_ compact: String) -> String {
    var result = ""
    var isInString = false
    var isEscaped = false
    for scalar in compact.unicodeScalars {
      let isMark = !isInString && "[]{},:".unicodeScalars.contains(scalar)
      if isMark { result += pick(["", "", " ", "\n\t"]) }
      result.unicodeScalars.append(scalar)
      if isMark { result += pick(["", "", " ", "\r\n  "]) }
      if scalar == "\"", !isEscaped { isInString.toggle() }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return result
  }
}

@Suite("Unwrapping, whatever the records", .limitedConcurrency)
struct PropertyTests {
  @Test("without a shape every record comes out as it was sent, without white space", arguments: 1...40)
  func verbatim(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let records = (0..<Int.random(in: 0...12, using: &dice)).map { _ in dice.value(depth: 4) }
    let body = dice.loosened("{\"x\":\(dice.value(depth: 3)),\"d\":[" + records.joined(separator: ",") + "]}")
    let whole = try unwrapped(body, at: ["d"])
    let cut = try unwrapped(body, at: ["d"], chunk: Int.random(in: 1...20, using: &dice))
    let expected = records.map { $0 + "\n" }.joined()
    #expect(try text(of: whole.lines) == expected)
    #expect(try text(of: cut.lines) == expected)
    #expect(whole.body.contentHash == cut.body.contentHash)
    #expect(whole.body.last["."] == records.last.map { Array($0.utf8) })
    #expect(whole.body.recordCount == records.count)
  }

  @Test("a shape that changes nothing changes nothing", arguments: 1...40)
  func idle(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let names = ["id", "nameB", "q\\\"", "\u{e9}"]
    let values = names.map { _ in dice.value(depth: 4) }
    let record = "{" + zip(names, values).map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    let model = ["id", "nameB", "q\"", "\u{e9}"].map { Shape.Member(name: $0, kind: .any, isOptional: false) }
    #expect(try shaped(record, model: model) == record)
    #expect(try shaped(record, dates: [("absent", .seconds)], model: model) == record)
    #expect(try shaped(record, model: model.reversed()).utf8.count == record.utf8.count)
  }

  @Test("a record is reshaped alike wherever it stands, read in one go or in pieces", arguments: 1...12)
  func anywhere(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let values = [
      "1", "2.5", "null", #""x y""#, #""2026-01-02T03:04:05Z""#, "[]", "{}", #"[{"id":1},{"id":2,"z":[]}]"#,
    ]
    let names = [
      #""id""#, #""first_name""#, #""n\u0061me""#, #""tags""#, #""at""#, #""other one, of some length""#, #""""#,
    ]
    let records = (0..<80).map { _ in
      let members = (0..<Int.random(in: 0...7, using: &dice)).map { _ in dice.pick(names) + ":" + dice.pick(values) }
      return "{" + members.joined(separator: ",") + "}"
    }
    let element = Shape.Kind.map(members(("id", .integer), ("z?", .list(.any))))
    let shapes = [
      Shape(keys: nil, model: members(("id?", .any), ("name?", .any), ("tags?", .any), ("?", .any))),
      Shape(keys: nil, model: members(("first_name?", .any), ("tags?", .list(element)))),
      Shape(
        keys: .camelCase, members: [(["at"], .date(.rfc3339))], model: members(("firstName?", .any), ("at?", .date))),
      Shape(keys: .snakeCase, model: nil), Shape(keys: nil, members: [(["at"], .date(.rfc3339))], model: nil),
      Shape(keys: nil, members: [(["id"], .type(.string)), (["name", "x"], .type(.number))], model: nil),
    ]
    for (number, shape) in shapes.enumerated() {
      // Those that are as they must be, each alone.
      let shaped = records.compactMap { record in
        (try? Reshaper(shape).apply(to: JSONValue(parsing: Array(record.utf8)))).map { (record, $0.text) }
      }
      #expect(shaped.count > 4, "\(number)")
      for space in ["", " "] {
        let body = "{\"d\":[" + shaped.map { dice.pick([space, ""]) + $0.0 }.joined(separator: ",") + "]}"
        let expected = shaped.map { $0.1 + "\n" }.joined()
        for chunk in [7, 600, 1_000, .max] {
          let page = try unwrapped(body, at: ["d"], shape: shape, chunk: chunk)
          #expect(try text(of: page.lines) == expected, "\(number), chunks of \(chunk)")
        }
      }
    }
  }

  @Test("restyled records are still valid and compact; snake_case twice is snake_case once", arguments: 1...40)
  func styles(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let record = dice.value(depth: 5)
    for keys in [Shape.Keys.camelCase, .snakeCase] {
      let once = try shaped(record, keys: keys)
      #expect(try JSONValue(parsing: Array(once.utf8)).text == once)
      if keys == .snakeCase { #expect(try shaped(once, keys: keys) == once) }
    }
  }
}
