// Members set in many records at once are the members that are set one by one.

import Testing

@testable import JSONText

@Suite struct MemberSetterTests {
  private static let records = [
    #"{}"#, #"{"a":1}"#, #"{"b":"x"}"#, #"{"a":1,"b":"x"}"#, #"{"b":{"a":[1,{"b":2}]},"c":[],"a":"\"\\}"}"#,
    #"{"n":5,"a":1,"b":-1.5e3}"#, #"{"a":"é","n":[1,2],"z":{"n":1}}"#, #"{"b":1,"n":"\u00e9","a":null}"#,
    #"{"a":1,"a":2}"#, #"{"n":1,"a":3,"n":2}"#, #"{"\u0061":1}"#, #"{"\"a\"":1,"a":2}"#, "[1]", "7", #""a""#, "null",
    #"{"a":false,"ab":1,"":0}"#, #"{"":{},"a":true}"#,
  ]

  private static let additions: [[(name: String, source: MemberSetter.Source)]] = [
    [("n", .constant(JSONValue(0)))], [("n", .member("a"))], [("a", .member("n")), ("n", .member("a"))],
    [("", .constant(.null)), ("n", .member("a")), ("a", .constant(JSONValue("é\"")))],
  ]

  @Test("Records with their members come out, up to one that takes a closer look", arguments: additions.indices)
  func sets(index: Int) {
    let additions = Self.additions[index]
    var setter = MemberSetter(additions)
    let lines = Self.records.reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0x0A] }
    var output: [UInt8] = []
    var expected: [UInt8] = []
    var start = 0
    for text in Self.records + Self.records {
      let record = JSONValue(validated: Array(text.utf8)[...])
      let line = Array(text.utf8) + [0x0A]
      let (end, count) = setter.append(line, from: 0, to: &output)
      #expect((end, count) == (count == 1 ? line.count : 0, count == 1 ? 1 : 0))
      if count == 1 { expected += set(additions, in: record) + [0x0A] }
      #expect(output == expected, "\(text)")
    }
    while start < lines.count {
      start = setter.append(lines, from: start, to: &output).end
      start = lines[start...].firstLineFeed.map { $0 + 1 } ?? lines.count
    }
    #expect(output.count == expected.count / 2 * 3)
  }

  private func set(_ additions: [(name: String, source: MemberSetter.Source)], in record: JSONValue) -> [UInt8] {
    var changed = record
    for (name, source) in additions {
      switch source {
      case .constant(let value): changed = changed.setting(name, to: value) ?? .null
      case .member(let member): changed = changed.setting(name, to: record[member] ?? .null) ?? .null
      }
    }
    return Array(changed.bytes)
  }
}
