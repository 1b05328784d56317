// Places of tokens that were found on the way are those that are found byte by byte.

import TestSupport
import Testing

@testable import JSONText

@Suite struct PunctuationTests {
  private static let sizes = [1, 7, 63, 64, 65, 700, 4_096, 100_000]

  @Test("Places of tokens are right, and a record has all of them or not its first one", arguments: 0..<8)
  func places(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let text = Array((0..<60).map { _ in dice.line() }.joined().utf8)
    let depth = [1, 2, 3, .max][Int(seed % 4)]
    for (name, kernel) in Kernel.all {
      for size in Self.sizes {
        let known = try check(text, depth, kernel, chunk: size, name)
        // The last ones are behind the last group of blocks.
        if size > text.count, kernel != .portable { #expect(known > 20, "\(name)") }
      }
    }
  }

  @Test(
    "Records at the depths where the walk changes hands have their places too", arguments: [1, 2, 60, 62, 63, 64, 70])
  func deep(depth: Int) throws {
    let deep = String(repeating: #"{"a":["#, count: 33) + String(repeating: "]}", count: 33)
    let text = Array(String(repeating: #"{"id":1,"deep":\#(deep),"x":[1,2]}"# + "\n[[]]\n", count: 30).utf8)
    for (name, kernel) in Kernel.all {
      let known = try check(text, depth, kernel, chunk: text.count, name)
      if kernel != .portable { #expect(known > 50, "\(name)") }
    }
  }

  @Test("What is taken in between begins anew, and long records leave nothing behind")
  func taken() throws {
    let long = "[" + String(repeating: #"{"a":1},"#, count: 5_000) + "0]\n"
    let text = Array((String(repeating: #"{"a":1}"# + "\n", count: 200) + long + "{}\n").utf8)
    for (name, kernel) in Kernel.all where kernel != .portable {
      var scanner = LineScanner(kernel: kernel, punctuationDepth: 2)
      for chunk in chunks(text, of: 3_000) {
        try scanner.append(chunk)
        let (lines, punctuation) = scanner.takeLines()
        let (mistake, _) = mistake(in: punctuation, of: lines, downTo: 2)
        #expect(mistake == nil, "\(name)")
        #expect(punctuation.places(in: lines).count <= lines.count, "\(name)")
      }
    }
  }

  @Test("Records of an envelope have their places, wherever its paths lead", arguments: 0..<6)
  func envelopes(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let records = (0..<60).map { _ in dice.line().trimmingLineFeed }.filter { !$0.isEmpty }
    let list = "[" + records.joined(separator: ", ") + "]"
    let texts = [#"{"id":\#(list),"a":\#(list),"x":{"id":[\#(list)]}}"#, "[\(list),[],[{}],\(list)]"]
    let contents: [JSONPath] = [[], ["a"], ["x", "id"], ["x"], ["0"], JSONPath(contentPointer: "/*") ?? []]
    for text in texts {
      for (index, content) in contents.enumerated() {
        let captures: [JSONPath] = index % 2 == 0 ? [] : [["id", "3"], ["a", "1", "id"]]
        let depth = [1, 2, .max][(index + Int(seed)) % 3]
        for (name, kernel) in Kernel.all {
          for size in [64, 700, 100_000] {
            var scanner = EnvelopeScanner(
              content: content, captures: captures, kernel: kernel, punctuationDepth: depth)
            for chunk in chunks(Array(text.utf8), of: size) {
              try scanner.append(chunk)
              let (lines, punctuation) = scanner.takeLines()
              #expect(mistake(in: punctuation, of: lines, downTo: depth).0 == nil, "\(name), chunks of \(size)")
            }
          }
        }
      }
    }
  }

  @Test("Records in an array have their places")
  func known() throws {
    let record = #"{"id":1,"a":[{"id":2}, "\#(String(repeating: "x", count: 900))"]}"#
    let text = Array(
      #"{"a":[\#(record),\#(record),\#(record)],"x":\#(record),"z":1}\#(String(repeating: " ", count: 700))"#.utf8)
    for (name, kernel) in Kernel.all where kernel != .portable {
      var scanner = EnvelopeScanner(content: ["a"], kernel: kernel, punctuationDepth: 2)
      try scanner.append(text)
      try scanner.finish()
      let (lines, punctuation) = scanner.takeLines()
      #expect(mistake(in: punctuation, of: lines, downTo: 2) == (nil, 3), "\(name)")
    }
  }

  @Test("A closer look finds all places, also beyond what a word can hold", arguments: 0..<20)
  func look(seed: UInt64) {
    var dice = Dice(state: seed)
    for _ in 0..<50 {
      let text = Array(("7\n" + dice.value(depth: 4) + "\n").utf8)
      for depth in [1, 2, .max] {
        var punctuation = Punctuation(depth: depth, expecting: 0, span: [1 << 32, 50, 7, 1][Int(seed % 4)])
        for _ in 0..<2 {
          punctuation.look(at: 2, in: text)
          #expect(punctuation.places(in: text) == tokens(of: text, downTo: depth).filter { $0 > 1 }.dropLast())
        }
      }
    }
  }

  @Test("A path leads by tokens where it leads by the text", arguments: 0..<20)
  func paths(seed: UInt64) {
    var dice = Dice(state: seed)
    let steps = ["a", "id", "é", "x\"y", "", "0", "1", "2", "01"]
    for _ in 0..<50 {
      let text = Array(dice.value(depth: 4).utf8)
      let value = JSONValue(validated: text[...])
      let lines = Array("{}\n".utf8) + text + Array("\n".utf8)
      var punctuation = Punctuation(depth: 2)
      punctuation.look(at: 3, in: lines)
      var records = PunctuatedRecords(lines, punctuation)
      _ = records.next()
      guard let record = records.next() else { continue }
      #expect(record == value)
      #expect((record.tokens != nil) == (value.kind == .object || value.kind == .array))
      for _ in 0..<20 {
        let path = JSONPath((0..<Int.random(in: 1...3, using: &dice)).map { _ in dice.one(steps) })
        #expect(record[path] == value[path], "\(path.pointer) in \(value.text)")
        let name = dice.one(steps)
        #expect(record[name] == value[name], "\(name) in \(value.text)")
        #expect(record.setting(name, to: value) == value.setting(name, to: value), "\(name) in \(value.text)")
      }
    }
  }

  /// All at once, and taken after each chunk. Gives how many records have places.
  private func check(_ text: [UInt8], _ depth: Int, _ kernel: Kernel, chunk size: Int, _ name: String) throws -> Int {
    var known = 0
    for takes in [false, true] {
      var scanner = LineScanner(kernel: kernel, punctuationDepth: depth)
      for chunk in chunks(text, of: size) + [[]] {
        if chunk.isEmpty { try scanner.finish() } else { try scanner.append(chunk) }
        guard takes || chunk.isEmpty else { continue }
        let (lines, punctuation) = scanner.takeLines()
        let found = mistake(in: punctuation, of: lines, downTo: depth)
        #expect(found.0 == nil, "\(name), chunks of \(size)")
        known = takes ? known : found.known
      }
    }
    return known
  }
}
