// The search for records in which a member has one of some names.

import TestSupport
import Testing

@testable import JSONText

@Suite(.limitedConcurrency) struct NameSearchTests {
  private static let kernels = Kernel.all.map(\.name)
  private static let names: [(name: String, values: NameSearch.Values)] = [
    ("hasmore", .yes), ("next", [.text, .container]), ("totalcount", .number), ("islast", .no),
    ("odatanextlink", .text),
  ]

  /// Returns the numbers of the lines that are found, from 0.
  private func found(_ lines: [String], _ kernel: String) throws -> [Int] {
    let kernel = try #require(Kernel.all.first { $0.name == kernel }).kernel
    let text = Array(lines.map { $0 + "\n" }.joined().utf8)
    let starts = lines.indices.map { index in lines[..<index].reduce(0) { $0 + $1.utf8.count + 1 } }
    return try NameSearch(Self.names, kernel: kernel).lines(of: text).map { line in
      let number = try #require(starts.firstIndex(of: line.lowerBound))
      #expect(line.upperBound == line.lowerBound + lines[number].utf8.count)
      return number
    }
  }

  @Test("A name is found wherever it begins in a block, however it is spelled", arguments: kernels)
  func everyOffset(kernel: String) throws {
    let members = [
      #""has_more":true"#, #""hasMore":true"#, #""HasMore":true"#, #""has-more":true"#, #""next":"/p2""#,
      #""total_count":12"#, #""isLast":false"#, #""@odata.nextLink":"u""#, #""next":{"href":"u"}"#,
    ]
    for filler in 0...70 {
      let lines = members.map { #"{"x":"\#(String(repeating: "é", count: filler / 2))\#(filler % 2)","p":{\#($0)}}"# }
      #expect(try found(lines, kernel) == Array(members.indices), "\(filler)")
      #expect(try found(lines + Array(repeating: "{}", count: 200), kernel) == Array(members.indices), "\(filler)")
    }
  }

  @Test("A name is found by its end, if it begins as another one does", arguments: kernels)
  func endings(kernel: String) throws {
    let kernel = try #require(Kernel.all.first { $0.name == kernel }).kernel
    let search = NameSearch(Self.names, ending: (name: "truncated", values: .yes), kernel: kernel)
    let lines = [
      #"{"is_authors_truncated":true,"a":[]}"#, #"{"a":[],"b":{"isAuthorsTruncated":false}}"#,
      #"{"a":[],"b":{"isTruncatedAt":true}}"#, #"{"a":[],"b":{"authors_truncated":true}}"#,
    ]
    let text = Array(lines.map { $0 + "\n" }.joined().utf8)
    #expect(search.lines(of: text) == [0..<lines[0].utf8.count])
  }

  @Test("Other values, other names, texts and the record's own members are not found", arguments: kernels)
  func lookalikes(kernel: String) throws {
    let lines = [
      #"{"p":{"has_more":false}}"#, #"{"p":{"has_more":null}}"#, #"{"p":{"next":""}}"#, #"{"p":{"total_count":0}}"#,
      #"{"p":{"isLast":true}}"#, #"{"p":{"had_more":true}}"#, #"{"p":{"has_more_of":true}}"#, #"{"has_more":true}"#,
      #"{"p":{"a":"\"has_more\":true"}}"#, #"{"p":["has_more",true]}"#, #"{"p":{"has_moré":true}}"#, #""has_more""#,
      #"{"p":{}}"#, #"{"total_count":5,"p":{}}"#,
    ]
    #expect(try found(lines, kernel).isEmpty)
    #expect(try found([], kernel).isEmpty)
    #expect(try found([#"{"p@odata.nextLink":"u"}"#], kernel) == [0])
  }

  @Test("All kernels find the same lines as a plain search", arguments: kernels)
  func sameLines(kernel: String) throws {
    var dice = Dice(state: 5)
    for round in 0..<100 {
      let lines = (0..<Int.random(in: 0..<60, using: &dice)).map { _ in
        let members = (0..<Int.random(in: 1..<9, using: &dice)).map { number in
          [
            #""p\#(number)":{"has_more":true}"#, #""q\#(number)":{"has_more":false}"#, #""has":"more","n":"@to @ne""#,
            #""s\#(number)":"\#(String(repeating: "é", count: Int.random(in: 0..<60, using: &dice)))""#, #""total":{}"#,
          ][Int.random(in: 0..<5, using: &dice)]
        }
        return "{\(members.joined(separator: ","))}"
      }
      let expected = lines.indices.filter { lines[$0].contains(#""has_more":true"#) }
      #expect(try found(lines, kernel) == expected, "round \(round)")
    }
  }

  @Test("More hints than fit a call are all looked at", arguments: kernels)
  func manyHints(kernel: String) throws {
    let many =
      #"{"a":["# + Array(repeating: "\"has\"", count: 3_000).joined(separator: ",") + #"],"p":{"has_more":true}}"#
    #expect(try found([many, "{}", many], kernel) == [0, 2])
  }
}
