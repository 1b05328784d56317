// Lines made up at random, the same ones in every run.

import TestSupport

extension Dice {
  private static let others = ["7\n", "[{\"id\":1}]\n", "null\r\n", "\n", " \"id\"\n"]
  private static let spaces = ["", "", "", " ", "  \t", " \r"]
  private static let spelled = [
    #""id""#, #""a""#, #""copy""#, #""x""#, #""""#, #""a name of more than sixteen bytes""#, #""iD""#, #""ab""#,
    #""é""#,
  ]
  private static let oddlySpelled = [
    #""i\u0064""#, #""na\"me""#, #""a name with \n of more than sixteen bytes""#, #"",\"id""#, #""id""#,
  ]
  private static let values = [
    "1", "10", "-0.5e1", #""""#, #""x,:{}""#, #""\"id\":""#, "null", "true", "[]", "{}", #"{"id":1,"a":[2]}"#,
    #"[1,{"a":2}]"#, #"[[["id"]],{}]"#, #""1""#, "\"" + String(repeating: "long ", count: 30) + "\"",
    #""\\""#, #""\\\",:""#,
  ]

  /// A record, mostly an object, with names of which some are wanted, twice or with escapes, and with white space.
  mutating func line() -> String {
    if one(Array(0..<30)) == 0 { return one(Self.others) }
    // None at all, as most programs write it; behind commas and colons, as Python does; anywhere.
    let style = one(["", " ", nil])
    var line = space(style) + "{"
    for number in 0..<one(Array(0...8)) {
      let name = number == 0 ? #""id""# : one(Array(0..<12)) == 0 ? one(Self.oddlySpelled) : one(Self.spelled)
      line += (number > 0 ? "," : "") + space(style, isUsual: number > 0) + name + space(style) + ":"
      line += space(style, isUsual: true) + one(Self.values) + space(style)
    }
    return line + space(style) + "}" + space(style) + "\n"
  }

  /// Compact text of any kind.
  mutating func value(depth: Int) -> String {
    let count = Int.random(in: 0...4, using: &self)
    switch Int.random(in: 0..<(depth > 0 ? 5 : 2), using: &self) {
    case 0: return one(Self.values)
    case 1: return one(Self.names)
    case 2: return "[" + (0..<count).map { _ in value(depth: depth - 1) }.joined(separator: ",") + "]"
    default:
      return "{" + (0..<count).map { _ in one(Self.names) + ":" + value(depth: depth - 1) }.joined(separator: ",") + "}"
    }
  }

  private static let names = [
    #""a""#, #""id""#, #""i\u0064""#, #""é""#, #""\u00e9""#, #""x\"y""#, #""""#, #""0""#, #""1""#, #""a,:{}""#,
  ]

  private mutating func space(_ style: String?, isUsual: Bool = false) -> String {
    style.map { isUsual ? $0 : "" } ?? one(Self.spaces)
  }
}

extension String {
  var trimmingLineFeed: String { last?.isNewline == true ? String(dropLast()) : self }
}
