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
        #expect(punctuation.places.count <= lines.count, "\(name)")
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
