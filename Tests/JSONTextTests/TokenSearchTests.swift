// Which lines hold a text.

import Testing

@testable import JSONText

@Suite struct TokenSearchTests {
  private let token = "\"hasNextPage\":true"
  private static let kernels = Kernel.all.map(\.name)
  private func search(_ kernel: String) throws -> TokenSearch {
    let kernel = try #require(Kernel.all.first { $0.name == kernel }).kernel
    return TokenSearch(Array(token.utf8), probes: (4, 8, 14), kernel: kernel)
  }

  @Test("the text is found wherever it begins, and not where a byte of it is missing", arguments: kernels)
  func everyPlace(kernel: String) throws {
    let search = try search(kernel)
    for before in 0...600 {
      let line = String(repeating: "e", count: before) + token
      #expect(search.countLines(of: Array((line + "}\n").utf8)) == 1, "\(before)")
      #expect(search.countLines(of: Array(line.utf8)) == 1, "\(before), at the end")
      #expect(search.countLines(of: Array(line.dropLast().utf8)) == 0, "\(before), cut")
      let rest = String(repeating: "x", count: 600 - before)
      #expect(search.countLines(of: Array((line + rest + "\n").utf8)) == 1, "\(before), with \(rest.count) behind")
      #expect(search.countLines(of: Array((line.replacing("xtP", with: "xtp") + rest + "\n").utf8)) == 0, "\(before)")
    }
  }

  @Test("lines count once each, as a plain search counts them", arguments: kernels)
  func lines(kernel: String) throws {
    let search = try search(kernel)
    var random = RandomNumbers(state: 7)
    for _ in 0..<200 {
      let lines = (0..<Int(random.next() % 30)).map { _ in
        (0..<Int(random.next() % 12)).map { _ in
          [
            token, "\"hasNextPage\":false", "\"hasNextPage\"", "true",
            String(repeating: "é", count: Int(random.next() % 40)),
          ][
            Int(random.next() % 5)]
        }.joined(separator: ",") + "\n"
      }
      let expected = lines.count { $0.contains(token) }
      #expect(search.countLines(of: Array(lines.joined().utf8)) == expected)
    }
    #expect(search.countLines(of: []) == 0)
  }
}

/// The same in every run.
private struct RandomNumbers {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
