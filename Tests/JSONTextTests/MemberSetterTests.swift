// Members set in many records at once are the members that are set one by one.

import TestSupport
import Testing

@testable import JSONText

private typealias Additions = [(name: String, source: MemberSetter.Source)]

@Suite(.limitedConcurrency) struct MemberSetterTests {
  private static let records = [
    #"{}"#, #"{"a":1}"#, #"{"b":"x"}"#, #"{"a":1,"b":"x"}"#, #"{"b":{"a":[1,{"b":2}]},"c":[],"a":"\"\\}"}"#,
    #"{"n":5,"a":1,"b":-1.5e3}"#, #"{"a":"é","n":[1,2],"z":{"n":1}}"#, #"{"b":1,"n":"\u00e9","a":null}"#,
    #"{"a":1,"a":2}"#, #"{"n":1,"a":3,"n":2}"#, #"{"\u0061":1}"#, #"{"\"a\"":1,"a":2}"#, "[1]", "7", #""a""#, "null",
    #"{"a":false,"ab":1,"":0}"#, #"{"":{},"a":true}"#,
  ]

  private static let additions: [Additions] = [
    [("n", .constant(JSONValue(0)))], [("n", .member("a"))], [("a", .member("n")), ("n", .member("a"))],
    [("", .constant(.null)), ("n", .member("a")), ("a", .constant(JSONValue("é\"")))],
  ]

  @Test("Records with their members come out, up to one that takes a closer look", arguments: additions.indices)
  func sets(index: Int) {
    let additions = Self.additions[index]
    var setter = MemberSetter(additions)
    let lines = Self.records.reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0x0A] }
    var output = LineBuffer(capacity: 0)
    var expected: [UInt8] = []
    var start = 0
    for text in Self.records + Self.records {
      let record = JSONValue(validated: Array(text.utf8)[...])
      let line = Array(text.utf8) + [0x0A]
      let (end, count) = setter.append(line, from: 0, to: &output)
      #expect((end, count) == (count == 1 ? line.count : 0, count == 1 ? 1 : 0))
      if count == 1 { expected += set(additions, in: record) ?? [] }
      #expect(output.lines() == expected, "\(text)")
    }
    while start < lines.count {
      start = setter.append(lines, from: start, to: &output).end
      start = lines[start...].firstLineFeed.map { $0 + 1 } ?? lines.count
    }
    #expect(output.lines().count == expected.count / 2 * 3)
  }

  // MARK: Places

  private static let keyed: Additions = [
    ("copy", .member("id")), ("a", .constant(JSONValue("new"))), ("list", .found(.list)), ("n", .found(.count)),
  ]

  @Test("What tokens lead to is what a closer look finds, whatever the records, kernel and chunks", arguments: 0..<10)
  func offsets(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let text = (0..<60).map { _ in dice.line() }.joined()
    let records = lines(try read(text, .portable, chunk: 1_000).lines)
    for (name, kernel) in Kernel.all {
      for size in [100, 1_000, 1_001, 4_096, 100_000] {
        let (lines, output, plain) = try set(text, kernel, chunk: size, depth: size % 3 + 1, Self.keyed)
        #expect(lines == records, "\(name), chunks of \(size)")
        let expected = records.compactMap { set(Self.keyed, in: JSONValue(validated: Array($0.utf8)[...])) }
        #expect(output == expected.flatMap { $0 }, "\(name), chunks of \(size)")
        #expect(plain > 0)
      }
    }
  }

  @Test("What is wrong in NDJSON is the same where places of tokens are wanted", arguments: 0..<100)
  func faults(seed: UInt64) {
    var dice = Dice(state: seed)
    var bytes = (0..<30).flatMap { _ in Array(dice.line().utf8) }
    let offset = Int.random(in: bytes.indices, using: &dice)
    bytes[offset] = Array("{}[]\",:\\\n0x\u{7f}".utf8).randomElement(using: &dice) ?? 0xFF
    for size in [512, 2_000, 100_000] {
      let plain = scanLines(chunks(bytes, of: size))
      for (name, kernel) in Kernel.all {
        #expect(scanLines(chunks(bytes, of: size), kernel: kernel, tokenIndexDepth: 1) == plain, "\(name)")
      }
    }
  }

  // MARK: Reading and setting

  private func read(
    _ text: String, _ kernel: Kernel, chunk: Int
  ) throws -> (lines: [UInt8], tokenIndex: TokenIndex) {
    var scanner = LineScanner(kernel: kernel)
    for chunk in chunks(Array(text.utf8), of: chunk) { try scanner.append(chunk) }
    try scanner.finish()
    return scanner.takeLines()
  }

  /// All lines, what came of them, and how many of them needed no closer look.
  private func set(
    _ text: String, _ kernel: Kernel, chunk: Int, depth: Int, _ additions: Additions
  ) throws -> (lines: [String], output: [UInt8], plain: Int) {
    var setter = MemberSetter(additions, keys: ["id"])
    var scanner = LineScanner(kernel: kernel, tokenIndexDepth: depth)
    var (all, output, plain): ([UInt8], [UInt8], Int) = ([], [], 0)
    for chunk in chunks(Array(text.utf8), of: chunk) + [[]] {
      if chunk.isEmpty { try scanner.finish() } else { try scanner.append(chunk) }
      let (lines, tokenIndex) = scanner.takeLines()
      var gathered = LineBuffer(capacity: 0)
      var start = 0
      while start < lines.count {
        let passed = setter.append(lines, from: start, with: tokenIndex, to: &gathered, find: Self.found)
        plain += passed.count
        guard passed.end < lines.count else { break }
        let end = lines[passed.end...].firstLineFeed ?? lines.count
        gathered.append(set(additions, in: JSONValue(validated: lines[passed.end..<end])) ?? [])
        start = end + 1
      }
      all += lines
      output += gathered.lines()
    }
    return (JSONTextTests.lines(all), output, plain)
  }

  /// Something for each key but that of null.
  private static func found(_ key: JoinedKey) -> [JSONValue] {
    Array(repeating: JSONValue(key.bytes.count), count: key.bytes.count % 13)
  }

  /// The line with members set one by one; nil when it is not an object.
  private func set(_ additions: Additions, in record: JSONValue) -> [UInt8]? {
    var key = JoinedKey()
    let found = record["id"].map { key.append($0) } == true ? Self.found(key) : []
    var changed = record
    for (name, source) in additions {
      let value =
        switch source {
        case .constant(let value): value
        case .member(let member): record[member] ?? .null
        case .found(.list): JSONValue(elements: found)
        case .found(.count): JSONValue(found.count)
        case .found(.only): found.first ?? .null
        }
      guard let next = changed.setting(name, to: value) else { return nil }
      changed = next
    }
    return Array(changed.bytes) + [0x0A]
  }
}
