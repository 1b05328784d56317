// Of wanted values that are missing: the names that stand where theirs would.

import JSONText
import Testing

@Suite struct LackTests {
  private func lacks(_ text: String, _ paths: [JSONPath], watched: Int? = nil) throws -> [Int: [String]] {
    var scanner = EnvelopeScanner(
      WantedPaths(content: ["items"], captures: paths), watchedCount: watched ?? paths.count)
    for byte in text.utf8 { try scanner.append([byte]) }
    try scanner.finish()
    return scanner.metadata.missingMembers.mapValues { ["\($0.depth)"] + $0.names }
  }

  @Test("An object that lacks the next member of a watched path is known by its names")
  func names() throws {
    let text = #"{"items":[{"a":1}],"meta":{"next\u0043ursor":"x","n":{}},"more":null}"#
    #expect(try lacks(text, [["curser"]]) == [0: ["0", "items", "meta", "more"]])
    #expect(
      try lacks(text, [["meta", "next_cursor"], ["Meta", "a"]]) == [
        0: ["1", "nextCursor", "n"], 1: ["0", "items", "meta", "more"],
      ])
    #expect(try lacks(text, [["meta", "n", "a"]]) == [0: ["2"]])
  }

  @Test("Nothing is lacked by a path whose steps are all there, by one into no object, and by one that is not watched")
  func none() throws {
    let text = #"{"more":null,"meta":"x","list":[1],"items":[]}"#
    #expect(try lacks(text, [["more"], ["meta", "a"], ["list", "3"], ["more", "a"]]) == [:])
    #expect(try lacks(text, [["more"], ["curser"]], watched: 1) == [:])
    #expect(try lacks("[1]", [["curser"]]) == [:])
  }

  @Test("A member that is there twice lacks nothing where one of the two has it")
  func twice() throws {
    #expect(try lacks(#"{"a":{"x":1},"a":{"b":2},"items":[]}"#, [["a", "b"]]) == [:])
    #expect(try lacks(#"{"a":{"b":1},"a":{"x":2},"items":[]}"#, [["a", "b"]]) == [:])
  }

  @Test(
    "At most 200 names are kept, and none of over 128 bytes among the later ones; the message of a missing key has 21")
  func bounded() throws {
    let long = String(repeating: "y", count: 200)
    let members = (0..<400).map { "\"x\($0)\":0,\"\(long)\($0)\":0" }.joined(separator: ",")
    let names = try #require(try lacks("{\(members),\"items\":[]}", [["curser"]])[0]).dropFirst()
    #expect(names.count == 200)
    #expect(names.filter { $0.utf8.count > 128 }.count <= 21)
    var scanner = EnvelopeScanner(WantedPaths(content: ["items"], captures: [["curser"]]), watchedCount: 1)
    try scanner.append(Array("{\(members)}".utf8))
    try scanner.finish()
    guard case .missing(_, let available, _, _) = scanner.finding else {
      Issue.record("it was found")
      return
    }
    #expect(available.count == 21)
  }
}
