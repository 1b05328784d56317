// What a spec of megabytes costs: as much as a thousand specs of kilobytes, and no more.

import Diagnostics
import PipelineSpec
import TestSupport
import Testing

@Suite("The work for a spec grows with its size")
struct GrowthTests {
  @Test(
    "of many header fields, query items, members, unknown keys, and maps in lists",
    arguments: [
      ("headers:", "\n  h%: a", ""), ("query:", "\n  q%: a", ""), ("query: {", "q%: a, ", "}"),
      ("body:", "\n  m%: a", ""), ("params:", "\n  p%: a", ""), ("description: x", "\nq%: a", ""),
      ("body: [", "{a: [b]}, ", "]"), ("body:", "\n  - a: 1\n    b: 2", ""),
    ])
  func spec(start: String, entry: String, end: String) {
    let growth = growthByEight(from: 1_500) { size in
      let entries = (0..<size).map { entry.replacing("%", with: String($0)) }.joined()
      let text = "endpoint: https://h/\n" + start + entries + end
      let spec = try? Spec(reading: SourceText(name: "a.yaml", bytes: Array(text.utf8)))
      #expect((spec == nil) == (start == "description: x"))
    }
    #expect(growth < 16)
  }
}
