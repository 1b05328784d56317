// Places of tokens that were found on the way are those that are found byte by byte.

import TestSupport
import Testing

@testable import JSONText

@Suite(.limitedConcurrency) struct TokenIndexTests {
  private static let sizes = [1, 7, 63, 64, 65, 700, 4_096, 100_000]

  @Test("Places of all tokens are known, whatever the records, kernel and chunks", arguments: 0..<8)
  func offsets(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let text = Array((0..<60).map { _ in dice.line() }.joined().utf8)
    let depth = [1, 2, 3, .max][Int(seed % 4)]
    for (name, kernel) in Kernel.all {
      for size in Self.sizes {
        try check(text, depth, kernel, chunk: size, name)
      }
    }
  }

  @Test(
    "Records at the depths where the walk changes hands have their places too", arguments: [1, 2, 60, 62, 63, 64, 70])
  func deep(depth: Int) throws {
    let deep = String(repeating: #"{"a":["#, count: 33) + String(repeating: "]}", count: 33)
    let text = Array(String(repeating: #"{"id":1,"deep":\#(deep),"x":[1,2]}"# + "\n[[]]\n", count: 30).utf8)
    for (name, kernel) in Kernel.all {
      for size in [700, text.count] { try check(text, depth, kernel, chunk: size, name) }
    }
  }

  @Test("Of a very long record no places are kept, of those around it they are", arguments: Kernel.all.map(\.name))
  func long(name: String) throws {
    let kernel = try #require(Kernel.all.first { $0.name == name }).kernel
    let short = String(repeating: #"{"a":1}"# + "\n", count: 2)
    let long = "[" + String(repeating: "1,", count: 9 << 17) + "0]\n"
    for size in [200_000, 5_000_000] {
      var scanner = LineScanner(kernel: kernel, tokenIndexDepth: 1)
      var (known, most) = (0, 0)
      for chunk in chunks(Array((short + long + short).utf8), of: size) {
        try scanner.append(chunk)
        let (lines, tokenIndex) = scanner.takeLines()
        most = max(most, tokenIndex.offsets(in: lines).count)
        for record in TokenIndexedRecords(lines, tokenIndex) where record.tokens != nil {
          known += 1
          #expect(record.kind == .array || record["a"]?.integer == 1)
        }
      }
      // Read in one go it is as any other.
      #expect(known == (size > long.utf8.count ? 5 : 4))
      #expect(size > long.utf8.count || most < 11 << 17)
    }
  }

  @Test("Records of an envelope have their places, wherever its paths lead", arguments: 0..<6)
  func envelopes(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let records = (0..<60).map { _ in dice.line().trimmingLineFeed }.filter { !$0.isEmpty }
    let list = "[" + records.joined(separator: ", ") + "]"
    let texts = [#"{"id":\#(list),"a":\#(list),"x":{"id":[\#(list)]}}"#, "[\(list),[],[{}],\(list)]"]
    let contents: [JSONPath] = [[], ["a"], ["x", "id"], ["x"], ["0"], JSONPath(wildcards: ["*"])]
    for text in texts {
      for (index, content) in contents.enumerated() {
        let captures: [JSONPath] = index % 2 == 0 ? [] : [["id", "3"], ["a", "1", "id"]]
        let depth = [1, 2, .max][(index + Int(seed)) % 3]
        for (name, kernel) in Kernel.all {
          for size in [64, 700, 100_000] {
            var scanner = EnvelopeScanner(
              WantedPaths(content: content, captures: captures), kernel: kernel, tokenIndexDepth: depth)
            for chunk in chunks(Array(text.utf8), of: size) {
              try scanner.append(chunk)
              let (lines, tokenIndex) = scanner.takeLines()
              expectPlaces(tokenIndex, lines, depth, "\(name), chunks of \(size)")
            }
          }
        }
      }
    }
  }

  @Test("A closer look finds all places, also beyond what a word can hold", arguments: 0..<20)
  func look(seed: UInt64) {
    var dice = Dice(state: seed)
    for _ in 0..<50 {
      let text = Array(("7\n" + dice.value(depth: 4) + "\n").utf8)
      for depth in [1, 2, .max] {
        var tokenIndex = TokenIndex(depth: depth, [], span: [1 << 32, 50, 7, 1][Int(seed % 4)])
        for _ in 0..<2 {
          tokenIndex.look(at: 2, in: text)
          #expect(tokenIndex.offsets(in: text) == tokens(of: text, downTo: depth).filter { $0 > 1 }.dropLast())
        }
      }
    }
  }

  @Test("A record's first token is found from every one before it, however many were passed over", arguments: 0..<4)
  func skipping(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let text = Array((0..<40).map { _ in dice.line() }.joined().utf8)
    var scanner = LineScanner(tokenIndexDepth: 2)
    try scanner.append(text)
    try scanner.finish()
    let (lines, tokenIndex) = scanner.takeLines()
    let offsets = tokenIndex.offsets(in: lines)
    // Few expectations: each costs more than what it looks at.
    let wrong = zip(offsets, offsets.indices).first { start, expected in
      stride(from: 0, through: expected, by: 7).contains { number in
        var found = number
        return tokenIndex.opening(ofRecordAt: start, from: &found) != expected || found != expected
      }
    }
    #expect(wrong == nil)
    var beyond = 0
    #expect(tokenIndex.opening(ofRecordAt: lines.count, from: &beyond) == nil)
    #expect(beyond == offsets.count)
  }

  @Test("A path leads by tokens where it leads by the text", arguments: 0..<20)
  func paths(seed: UInt64) {
    var dice = Dice(state: seed)
    let steps = ["a", "id", "é", "x\"y", "", "0", "1", "2", "01"]
    for _ in 0..<50 {
      let text = Array(dice.value(depth: 4).utf8)
      let value = JSONValue(validated: text[...])
      let lines = Array("{}\n".utf8) + text + Array("\n".utf8)
      var tokenIndex = TokenIndex(depth: 2)
      tokenIndex.look(at: 3, in: lines)
      var records = TokenIndexedRecords(lines, tokenIndex)
      _ = records.next()
      guard let record = records.next() else { continue }
      #expect(record == value)
      #expect((record.tokens != nil) == (value.kind == .object || value.kind == .array))
      for _ in 0..<20 {
        let path = JSONPath((0..<Int.random(in: 1...3, using: &dice)).map { _ in dice.one(steps) })
        #expect(record[path] == value[path], "\(path) in \(value.text)")
        let name = dice.one(steps)
        #expect(record[name] == value[name], "\(name) in \(value.text)")
        #expect(record.setting(name, to: value) == value.setting(name, to: value), "\(name) in \(value.text)")
      }
    }
  }

  /// An expectation costs more than what it would look at, so only a mistake becomes one.
  private func expectPlaces(_ tokenIndex: TokenIndex, _ lines: [UInt8], _ depth: Int, _ comment: Comment) {
    guard let mistake = mistake(in: tokenIndex, of: lines, downTo: depth) else { return }
    Issue.record("\(comment): \(mistake)")
  }

  /// All at once, and taken after each chunk.
  private func check(_ text: [UInt8], _ depth: Int, _ kernel: Kernel, chunk size: Int, _ name: String) throws {
    for takes in [false, true] {
      var scanner = LineScanner(kernel: kernel, tokenIndexDepth: depth)
      for chunk in chunks(text, of: size) + [[]] {
        if chunk.isEmpty { try scanner.finish() } else { try scanner.append(chunk) }
        guard takes || chunk.isEmpty else { continue }
        let (lines, tokenIndex) = scanner.takeLines()
        expectPlaces(tokenIndex, lines, depth, "\(name), chunks of \(size)")
      }
    }
  }
}
