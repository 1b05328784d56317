// GraphQL connections inside records that say that they have more.

import TestSupport
import Testing

@testable import JSONText

@Suite(.limitedConcurrency) struct ConnectionTests {
  private static let kernels = Kernel.all.map(\.name)
  private static let more = #""hasNextPage":true"#

  private func count(_ text: String, chunk: Int, _ kernel: String, content: JSONPath = ["r"]) throws -> Int {
    let kernel = try #require(Kernel.all.first { $0.name == kernel }).kernel
    var scanner = EnvelopeScanner(WantedPaths(content: content), seeksConnections: true, kernel: kernel)
    for piece in chunks(Array(text.utf8), of: chunk) {
      try scanner.append(piece)
      if piece.count.isMultiple(of: 2) { _ = scanner.takeRecords() }
    }
    try scanner.finish()
    _ = scanner.takeRecords()
    return scanner.connectionCount
  }

  @Test("A connection is found wherever it begins in a block, with white space or without", arguments: kernels)
  func everyPlace(kernel: String) throws {
    for place in 0...70 {
      for text in [Self.more, "\"hasNextPage\" :\n true", #""hasNextPage":\#(String(repeating: " ", count: 70))true"#] {
        let filler = String(repeating: "e", count: place)
        let record = #"{"x":"\#(filler)","p":{\#(text)}}"#
        let body = "{\"r\":[\(record), 1, \(record)]}" + String(repeating: " ", count: 700)
        for chunk in [7, 64, 600, 5_000] {
          #expect(try count(body, chunk: chunk, kernel) == 2, "\(place), \(chunk), \(text)")
        }
      }
    }
  }

  @Test("A connection before much white space counts once", arguments: kernels)
  func beforeSpace(kernel: String) throws {
    for place in 0...70 {
      for count in [600, 3_000] {
        let filler = String(repeating: "e", count: 440 + place)
        let record = #"{"x":"\#(filler)","p":{\#(Self.more)\#(String(repeating: " ", count: count))}}"#
        for chunk in [600, 2_000, 3_000, 5_000] {
          #expect(try self.count("{\"r\":[\(record), \(record)]}", chunk: chunk, kernel) == 2, "\(place), \(chunk)")
        }
      }
    }
  }

  @Test("What looks like a connection with more is none", arguments: kernels)
  func lookalikes(kernel: String) throws {
    let records = [
      #"{"hasNextPage":false}"#, #"{"hasNextPage":null,"b":true}"#, #"{"a\"hasNextPage":true}"#,
      #"{"a":"\"hasNextPage\":true"}"#, #"{"xhasNextPage":true}"#, #"{"HasNextPage":true}"#, #"["hasNextPage",true]"#,
      #"{"hasNextPage":"true"}"#, "true",
    ]
    let body =
      #"{"pageInfo":{\#(Self.more)},"r":[\#(records.joined(separator: ","))],"after":{\#(Self.more)}}"#
      + String(repeating: " ", count: 700)
    for chunk in [5, 130, 5_000] {
      #expect(try count(body, chunk: chunk, kernel) == 0)
      #expect(try count("[true]" + String(repeating: " ", count: 700), chunk: chunk, kernel, content: []) == 0)
      #expect(try count("true", chunk: chunk, kernel, content: []) == 0)
    }
    #expect(try count(#"{"r":{\#(Self.more)}}"#, chunk: 9, kernel) == 1)
  }

  @Test("Each connection counts once, however its text was cut, and as a plain search counts", arguments: kernels)
  func records(kernel: String) throws {
    var dice = Dice(state: 7)
    for round in 0..<150 {
      let records = (0..<Int.random(in: 0..<30, using: &dice)).map { _ in
        let members = (0..<Int.random(in: 0..<9, using: &dice)).map { number in
          let filler = String(repeating: "é", count: Int.random(in: 0..<60, using: &dice))
          return [
            #""p\#(number)":{\#(Self.more)}"#, #""q\#(number)":{"hasNextPage":false}"#, #""t\#(number)":true"#,
            #""s\#(number)":"\#(filler)""#, #""n\#(number)":[[{"x":{\#(Self.more)}}],null,true]"#,
          ][Int.random(in: 0..<5, using: &dice)]
        }
        return "{\(members.joined(separator: ","))}"
      }
      let expected = records.joined().ranges(of: Self.more).count
      let body = #"{"r":[\#(records.joined(separator: ", "))]}"#
      for chunk in [3, 65, 700, 100_000] {
        #expect(try count(body, chunk: chunk, kernel) == expected, "round \(round), chunk \(chunk)")
        let every = try #require(JSONPath(contentPointer: "/r/*"))
        #expect(try count(body, chunk: chunk, kernel, content: every) == expected, "round \(round)")
      }
      #expect(try count(body, chunk: 700, kernel, content: []) == expected)
    }
  }
}
