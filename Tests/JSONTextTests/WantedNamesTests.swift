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

  @Test("a name is found, or said to have an escape, however it is spelled", arguments: ["id", "a_é", "a/b", "x y"])
  func spellings(name: String) {
    let letters = Array(name.unicodeScalars)
    for choice in 0..<(1 << letters.count) {
      let text = letters.enumerated().map { index, letter in
        let code = String(letter.value, radix: 16)
        return choice >> index & 1 == 0 ? "\(letter)" : "\\u" + String(repeating: "0", count: 4 - code.count) + code
      }.joined()
      let bytes = Array((text + "\"" + String(repeating: " ", count: 20)).utf8)
      switch bytes.withUnsafeBufferPointer({ WantedNames(["other", name]).match(0..<text.utf8.count, in: $0) }) {
      case .number(let number): #expect(choice == 0 && number == 1)
      case .escaped: #expect(choice > 0)
      case .none: Issue.record("\(text) is not found")
      }
    }
  }

  @Test("a name with an escape is said to have one, however long", arguments: [0, 3, 15, 16, 17, 60])
  func escaped(offset: Int) {
    let text = Array((String(repeating: "a", count: offset) + "\\n" + String(repeating: "b", count: 30)).utf8)
    for count in [offset + 2, text.count] {
      let match = text.withUnsafeBufferPointer { WantedNames(["\n"]).match(0..<count, in: $0) }
      guard case .escaped = match else {
        Issue.record("\(offset), \(count)")
        continue
      }
    }
  }
}
