import TestSupport
import Testing

@testable import JSONText

@Suite("Names that are looked for")
struct WantedNamesTests {
  /// As APIs number and nest them: they differ at their ends, in few bits.
  private static let alike = ["field_%", "member%", "price_change_%h", "a%", "%", "price_change_percentage_%"]
    .map { name in (10..<74).map { name.replacing("%", with: "\($0)") } }

  @Test("names that are alike are spread over the buckets", arguments: alike.dropLast())
  func spread(names: [String]) {
    #expect(WantedNames(names).spread > names.count / 2)
  }

  @Test("the work to prepare for them grows with their number")
  func growth() {
    let growth = growthByEight(from: 2_000) { count in
      #expect(WantedNames((0..<count).map { "field_\($0)" }).known("field_\(count - 1)") == count - 1)
    }
    #expect(growth < 16)
  }

  @Test("each is found, and nothing else, wherever it stands", arguments: alike + [alike.flatMap { $0 }])
  func found(names: [String]) throws {
    let wanted = WantedNames(names)
    for (number, name) in names.enumerated() {
      for (text, isThere) in [(name, true), (name + "x", false), (String(name.dropLast()) + "x", false)] {
        for rest in ["", String(repeating: " ", count: 20)] {
          let bytes = Array((text + "\"" + rest).utf8)
          let match = bytes.withUnsafeBufferPointer { wanted.match(0..<text.utf8.count, in: $0) }
          if case .number(let found) = match {
            #expect(isThere && found == number, "\(text)")
          } else {
            #expect(!isThere, "\(text)")
          }
        }
      }
    }
  }

  @Test("a name with an escape is said to have one, however long", arguments: [0, 3, 15, 16, 17, 60])
  func escaped(place: Int) {
    let text = Array((String(repeating: "a", count: place) + "\\n" + String(repeating: "b", count: 30)).utf8)
    for count in [place + 2, text.count] {
      let match = text.withUnsafeBufferPointer { WantedNames(["a"]).match(0..<count, in: $0) }
      guard case .escaped = match else {
        Issue.record("\(place), \(count)")
        continue
      }
    }
  }
}
