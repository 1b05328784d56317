import JSONText
import Primitives
import TestSupport
import Testing
import Unwrapping

@testable import Engine

@Suite("The marks of a run", .limitedConcurrency)
struct HighWaterMarksTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

  @Test("a line of the journal takes as long with many marks as with few")
  func growth() throws {
    let growth = try growthByEight(from: 250) { size in
      let marks = HighWaterMarks(of: [])
      for number in 1...size {
        try marks.see(HighWaterMark(JSONValue(number)), of: 1, in: "a", by: ExactText("\(number)"))
        #expect(marks.takeChanges().marks.count == 1)
      }
    }
    #expect(growth < 16)
  }

  @Test("a job has one mark, or one of each id, and never both")
  func forms() throws {
    var marks = MarkSet(try json(#"{"a":1,"b":{"x":1,"y":2}}"#))
    marks.merge(try json(#"{"a":{"x":3},"b":{"y":4}}"#))
    #expect(marks.json.text == #"{"a":{"x":3},"b":{"x":1,"y":4}}"#)
    marks.merge(try json(#"{"b":5}"#))
    #expect(marks.json.text == #"{"a":{"x":3},"b":5}"#)
    let (one, other) = (#"["000000000000000a"]"#, #"["000000000000000b"]"#)
    var records = RecordsAtMarks(try json(#"{"a":\#(one)}"#))
    records.merge(try json(#"{"a":\#(other)}"#), isAdded: true)
    #expect(records.json.text == #"{"a":["000000000000000a","000000000000000b"]}"#)
    records.merge(try json(#"{"a":{"x":\#(one)}}"#), isAdded: true)
    #expect(records.json.text == #"{"a":{"x":\#(one)}}"#)
  }
}
