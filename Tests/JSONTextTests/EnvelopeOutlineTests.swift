// What stands beside the content of an envelope.

import Testing

@testable import JSONText

@Suite struct EnvelopeOutlineTests {
  /// The members, such as `/meta/total 5`; `…` follows those that are not whole.
  private func outline(_ text: String, _ content: JSONPath, chunk: Int = .max, wants: Bool = true) throws -> [String] {
    var scanner = EnvelopeScanner(WantedPaths(content: content), wantsOutline: wants)
    for piece in chunks(Array(text.utf8), of: min(chunk, text.utf8.count)) { try scanner.append(piece) }
    try scanner.finish()
    return scanner.metadata.outline.map {
      "\(JSONPath(wildcards: $0.path)) \(String(decoding: $0.text, as: UTF8.self))\($0.isWhole ? "" : "…")"
    }
  }

  @Test("Members beside the way to the content are whole values, before it and after it, however the text is cut")
  func besides() throws {
    let text = #"{"a":1,"d":{"b":[ 2, {} ],"items":[{"x":1}],"c":{"y": "é"}},"e":null}"#
    for chunk in [1, 2, 7, 1_000] {
      #expect(
        try outline(text, ["d", "items"], chunk: chunk)
          == ["a 1", "d.b [2,{}]", #"d.c {"y":"é"}"#, "e null"])
    }
    #expect(try outline(text, ["d", "items"], wants: false) == [])
  }

  @Test("Of content at the root, an object's own members are in the outline, and an array's are not")
  func root() throws {
    #expect(try outline(#"{"a":1,"b":[{}]}"#, []) == ["a 1", "b [{}]"])
    #expect(try outline(#"[{"a":1}]"#, []) == [])
    #expect(try outline("5", []) == [])
  }

  @Test("Members of elements at a '*' have a share of their own")
  func inner() throws {
    #expect(
      try outline(
        #"{"d":[{"a":1,"items":[{}],"p":{"q":2}},{"items":[],"a":3},5],"t":4}"#, try JSONPath("d.*.items")
      )
        == ["d.*.a 1", #"d.*.p {"q":2}"#, "d.*.a 3", "t 4"])
    let many = (0..<1_000).map { _ in #"{"a":1,"items":[]}"# }.joined(separator: ",")
    #expect(try outline(#"{"d":[\#(many)],"t":4}"#, try JSONPath("d.*.items")).count == 257)
  }

  @Test("What is too large has its first bytes only, and what it holds is bounded")
  func bounds() throws {
    let long = String(repeating: "x", count: 270_000)
    #expect(
      try outline(#"{"a":[{"b":"\#(long)"}],"c":"\#(long)","d":2,"items":[]}"#, ["items"], chunk: 4_096)
        == [#"a [{…"#, #"c "x…"#, "d 2"])
    let many = (0..<1_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    #expect(try outline("{\(many),\"items\":[]}", ["items"]).count == 256)
    let large = (0..<20).map { "\"m\($0)\":\"\(long.prefix(60_000))\"" }.joined(separator: ",")
    let whole = try outline("{\(large),\"items\":[]}", ["items"]).count { !$0.hasSuffix("…") }
    #expect(whole == 17)
  }

  @Test("A scanner that is used again forgets the outline")
  func reset() throws {
    var scanner = EnvelopeScanner(WantedPaths(content: ["items"]), wantsOutline: true)
    try scanner.append(Array(#"{"a":1,"items":[]}"#.utf8))
    scanner.reset()
    try scanner.append(Array(#"{"items":[],"b":2}"#.utf8))
    try scanner.finish()
    #expect(scanner.metadata.outline.map(\.path) == [["b"]])
  }
}
