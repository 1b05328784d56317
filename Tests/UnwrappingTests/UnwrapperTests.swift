import Files
import JSONText
import TestSupport
import Testing
import Unwrapping
import Wire

@Suite("Unwrapper")
struct UnwrapperTests {
  private static let body = """
    \u{FEFF}{ "meta": {"next": "x y", "total": 3 },
      "drinks": [ {"id": 1, "name": "A \\u00e9\\/", "id": 2}, [ ], "s", 12345678901234567890.10 , null,
        {"b": {"c_d": [1, 2 ]}} ], "more" : true }
    """
  private static let lines = """
    {"id":1,"name":"A \\u00e9\\/","id":2}
    []
    "s"
    12345678901234567890.10
    null
    {"b":{"c_d":[1,2]}}

    """

  @Test("without a shape, records are the server's own bytes, however the body is cut")
  func verbatim() throws {
    for chunk in [1, 2, 3, 7, 16, 64, 1_000] {
      let page = try unwrapped(Self.body, at: ["drinks"], chunk: chunk)
      #expect(page.body.recordCount == 6)
      #expect(try text(of: page.lines) == Self.lines)
      #expect(page.body.last["."].map { String(decoding: $0, as: UTF8.self) } == #"{"b":{"c_d":[1,2]}}"#)
      #expect(page.body.last["b.c_d.1"] == Array("2".utf8))
      #expect(page.body.last["id"] == nil)
    }
  }

  @Test("the hash depends on the records only: not on chunks, white space, the shape or what is around them")
  func hash() throws {
    let expected = try unwrapped(Self.body, at: ["drinks"]).body.contentHash
    for chunk in 1...40 {
      #expect(try unwrapped(Self.body, at: ["drinks"], chunk: chunk).body.contentHash == expected)
    }
    let records = Self.lines.split(separator: "\n").joined(separator: " , ")
    let others = try unwrapped("[\(records)]", shape: Shape(keys: .camelCase, model: nil), chunk: 5)
    #expect(others.body.contentHash == expected)
    #expect(try unwrapped("[\(records),1]").body.contentHash != expected)
    #expect(try unwrapped("[[1],2]").body.contentHash != unwrapped("[[1,2]]").body.contentHash)
  }

  @Test("what is not wanted is not there")
  func unwanted() throws {
    var unwrapper = Unwrapper(UnwrapOptions(content: [])) { Spool() }
    try unwrapper.take(Array("[1,2]".utf8))
    let page = try unwrapper.finish()
    #expect(page.body.contentHash == 0)
    #expect(page.body.last.isEmpty)
    #expect(page.body.recordCount == 2)
  }

  static let kinds: [(body: String, kind: String?)] = [
    (#"{"d":[1]}"#, "array"), (#"{"d":{"a":1}}"#, "object"), (#"{"d":{"12":1}}"#, "object with numbers for names"),
    (#"{"d":{"1a":1,"2":2}}"#, "object"), (#"{"d":{}}"#, "object"), (#"{"d":[{"1":2}]}"#, "array"),
    (#"{"d":7}"#, "number"),
    (#"{"d":"x"}"#, "string"), (#"{"d":false}"#, "boolean"), (#"{"d":null}"#, nil),
  ]

  @Test("what the content is, is known in words, and null by itself", arguments: kinds)
  func kindInWords(body: String, kind: String?) throws {
    for chunk in [1, 100] {
      let page = try unwrapped(body, at: ["d"], chunk: chunk)
      #expect(page.body.contentKind?.rawValue == kind)
      #expect(page.body.hasNullContent == (kind == nil))
    }
    #expect(try unwrapped(#"[{"a":[1]}]"#, at: try JSONPath("*.a")).body.contentKind == nil)
  }

  @Test(
    "content that may be missing, and is, is known by its name and those beside it, as are captures that are watched")
  func namesBeside() throws {
    var options = UnwrapOptions(content: ["data", "itmes"], captures: [["nxt"], ["data", "n"]])
    options.watchedCount = 1
    options.isOptional = true
    var unwrapper = Unwrapper(options) { Spool() }
    try unwrapper.take(Array(#"{"next":1,"data":{"items":[1],"total":2}}"#.utf8))
    let page = try unwrapper.finish()
    #expect(page.body.missingContent?.name == "itmes")
    #expect(page.body.missingContent?.names == ["items", "total"])
    #expect(page.body.contentKind == nil && !page.body.hasNullContent)
    #expect(page.body.lacking.keys.sorted() == ["nxt"])
    #expect(page.body.lacking["nxt"]?.depth == 0 && page.body.lacking["nxt"]?.names == ["next", "data"])
    #expect(try unwrapped("[1]").body.missingContent == nil)
  }

  @Test("captures are keyed by the texts of their paths, compact, and absent ones are not there")
  func captures() throws {
    let page = try unwrapped(
      Self.body, at: ["drinks"], captures: [["meta"], ["more"], ["meta", "next"], ["nothing"], ["drinks", "1"]],
      chunk: 3)
    #expect(
      page.body.captured.mapValues { String(decoding: $0, as: UTF8.self) }
        == ["meta": #"{"next":"x y","total":3}"#, "more": "true", "meta.next": #""x y""#, "drinks.1": "[]"])
  }

  @Test(
    "an array gives a record an element, an object or scalar one, null and nothing found none",
    arguments: [
      (#"{"d":[1,2]}"#, "1\n2\n"), (#"{"d":{"a":1}}"#, "{\"a\":1}\n"), (#"{"d":7}"#, "7\n"), (#"{"d":"x"}"#, "\"x\"\n"),
      (#"{"d":null}"#, ""), (#"{"d":[]}"#, ""), (#"{"d":[null]}"#, "null\n"), (#"{"d":false}"#, "false\n"),
    ])
  func contents(body: String, expected: String) throws {
    let page = try unwrapped(body, at: ["d"])
    #expect(try text(of: page.lines) == expected)
    #expect(page.body.recordCount == expected.filter { $0 == "\n" }.count)
    #expect(page.body.last.isEmpty == expected.isEmpty)
  }

  @Test("the last record is the server's own, not the one that comes out")
  func lastAsSent() throws {
    let shape = Shape(keys: nil, model: members(("name", .string)))
    let page = try unwrapped(#"[{"name":"a","id":1},{"id":2,"name":"b"}]"#, shape: shape, chunk: 4)
    #expect(page.body.last["."].map { String(decoding: $0, as: UTF8.self) } == #"{"id":2,"name":"b"}"#)
    #expect(try text(of: page.lines) == "{\"name\":\"a\"}\n{\"name\":\"b\"}\n")
  }

  @Test("a body without the key says which step is missing and what is there instead")
  func missing() throws {
    #expect(
      throws: ContentError.missing(
        content: ["data", "x"], at: ["data"], available: ["items", "total"], kind: .object)
    ) {
      try unwrapped(#"{"data":{"items":[],"total":0}}"#, at: ["data", "x"])
    }
  }

  @Test("a mismatch carries the number of the record in the page, however the body is cut")
  func mismatch() throws {
    let shape = Shape(keys: nil, model: members(("id", .integer)))
    let body = #"{"d":[{"id":1},{"id":2},{"id":"x"},{"id":4}]}"#
    for chunk in [1, 5, 17, 100] {
      #expect(
        throws: ContentError.record(
          3, ModelError(keyPath: "id", expected: "integer", found: #"string "x""#, isOfModel: true))
      ) {
        try unwrapped(body, at: ["d"], shape: shape, chunk: chunk)
      }
    }
  }

  @Test("of two faults the one that stands first is told, however the body is cut")
  func firstFault() throws {
    let shape = Shape(keys: nil, model: members(("id", .integer)))
    for chunk in [1, 3, 8, 100] {
      let lack = ModelError(keyPath: "id", expected: "integer", found: "nothing", isOfModel: true)
      #expect(throws: ContentError.record(1, lack)) {
        try unwrapped("[{},{\"id\":1},oops", shape: shape, chunk: chunk)
      }
      do {
        _ = try unwrapped("[{\"id\":1},oops,{}]", shape: shape, chunk: chunk)
        Issue.record("no fault")
      } catch ContentError.json(let fault) {
        #expect(fault.offset == 10)
      }
    }
  }

  @Test(
    "what is not JSON, or not all of it, is a fault", arguments: ["", " ", "[1", "[1]x", "<html>", "[1,]", "\u{FEFF}"])
  func noJSON(body: String) throws {
    do {
      _ = try unwrapped(body)
      Issue.record("no fault")
    } catch ContentError.json(let fault) {
      #expect((0...body.utf8.count).contains(fault.offset))
    }
  }

  @Test("an empty body is an unexpected end")
  func emptyBody() throws {
    do {
      _ = try unwrapped("")
      Issue.record("no fault")
    } catch ContentError.json(let fault) {
      #expect(fault.reason == .unexpectedEnd)
    }
  }

  @Test("tiny chunks are put together before they are held, and big ones are passed on", arguments: [true, false])
  func coalescing(isShaped: Bool) throws {
    let records = (0..<6_000).map { "{\"id\":\($0),\"name\":\"record\"}" }
    let shape = isShaped ? Shape(keys: nil, model: members(("id", .integer), ("name", .string))) : nil
    let page = try unwrapped("[" + records.joined(separator: ",") + "]", shape: shape, chunk: 500)
    #expect(page.body.recordCount == 6_000)
    var sizes: [Int] = []
    var all: [UInt8] = []
    while let piece = try page.lines.next() {
      #expect(piece.last == UInt8(ascii: "\n"))
      sizes.append(piece.count)
      all += piece
    }
    #expect(String(decoding: all, as: UTF8.self) == records.map { $0 + "\n" }.joined())
    #expect(sizes.dropLast().allSatisfy { (65_536..<67_000).contains($0) })
  }

  @Test("places of tokens come out with the records that they are of, as long as those are held in memory")
  func tokenIndex() throws {
    let record = #"{"id":1,"tags":["a",{"b":2}],"name":"\#(String(repeating: "n", count: 900))"}"#
    let body = Array(("[" + Array(repeating: record, count: 300).joined(separator: ", ") + "]").utf8)
    for (depth, limit) in [(1, 1 << 30), (2, 1 << 30), (0, 1 << 30), (2, 100_000)] {
      let spool = Spool(memoryLimit: limit)
      var options = UnwrapOptions(content: [])
      options.tokenIndexDepth = depth
      var unwrapper = Unwrapper(options) { spool }
      for start in stride(from: 0, to: body.count, by: 20_000) {
        try unwrapper.take(Array(body[start..<min(start + 20_000, body.count)]))
      }
      let page = try unwrapper.finish()
      var (lines, known): ([UInt8], Int) = ([], 0)
      while let piece = try page.nextLines() {
        #expect(piece.count == lineCount(of: piece.lines))
        let isKnown = !piece.tokenIndex.isEmpty
        if isKnown { #expect(mistake(in: piece.tokenIndex, of: piece.lines, downTo: depth) == nil) }
        known += isKnown ? piece.lines.count / (record.utf8.count + 1) : 0
        lines += piece.lines
      }
      #expect(lines == Array(String(repeating: record + "\n", count: 300).utf8))
      // With too little memory, those of the first piece.
      #expect(depth == 0 ? known == 0 : limit > body.count ? known == 300 : (50..<150).contains(known))
    }
  }

  @Test("what is matched by is found in places of tokens, and where none are known")
  func matching() throws {
    let records = [#"{"x":{"id":7},"id":1}"#, "[1]", #"{"id":1.0,"id":2}"#, #"{"i\u0064":"a"}"#]
    let lines = Array(records.map { $0 + "\n" }.joined().utf8)
    var known = TokenIndex(depth: 1)
    known.look(at: 0, in: lines)
    for tokenIndex in [TokenIndex(), known] {
      var table = MatchTable(pairs: [(["id"], ["id"])])
      table.add(lines: lines, tokenIndex)
      for (key, found) in [("1", 1), ("2", 1), (#""a""#, 1), ("7", 0)] {
        let record = try JSONValue(parsing: Array("{\"id\":\(key)}".utf8))
        #expect(table.matches(for: record).count == found, "\(key)")
      }
    }
  }
}
