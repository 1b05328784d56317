import Testing

@testable import JSONText

@Suite("Records that come again")
struct SeenRecordsTests {
  /// Adds pages of lines, and returns what was found on each.
  private func found(
    _ names: [String], _ pages: [[String]], limit: Int = SeenRecords.limit
  ) -> [(repeats: [String], changed: Int)] {
    var seen = SeenRecords(paths: names.map { [$0] }, limit: limit)
    return pages.enumerated().map { index, page in
      let text = Array(page.map { $0 + "\n" }.joined().utf8)
      let finding = seen.add(text, page: index + 1)
      let repeats = finding.repeats.map { String(decoding: text[$0].dropLast(), as: UTF8.self) }
      return (repeats, finding.changedCount)
    }
  }

  @Test("a record with a key and bytes of an earlier page is a repeat; one with other bytes has changed")
  func repeats() {
    let (a, b, other) = (#"{"id":1,"v":1}"#, #"{"id":2,"v":1}"#, #"{"id":1,"v":2}"#)
    let found = found(["id"], [[a, b], [b, other], [#"{"id":3}"#], [other, a]])
    #expect(found[1].repeats == [b])
    #expect(found[1].changed == 1)
    #expect(found[2].repeats.isEmpty && found[2].changed == 0)
    #expect(found[3].repeats == [other, a])
  }

  @Test("records of one page are not compared")
  func onePage() {
    let found = found(["id"], [[#"{"id":1}"#, #"{"id":1}"#, #"{"id":1,"v":2}"#], [#"{"id":1}"#]])
    #expect(found[0].repeats.isEmpty && found[0].changed == 0)
    #expect(found[1].repeats.count == 1)
  }

  @Test(
    "a record has no key if a member is missing or null, wherever and however its members are written",
    arguments: [
      #"{"a":1}"#, #"{"a":1,"b":null}"#, "7", "[1]", #"{"b":{"a":1,"b":2}}"#, #"{"c":{"a":1,"b":2}}"#, "null",
    ])
  func noKey(record: String) {
    let found = found(["a", "b"], [[record], [record]])
    #expect(found[1].repeats.isEmpty && found[1].changed == 0)
  }

  @Test(
    "keys of all forms are found",
    arguments: [
      #"{"x":{"a":[1,2]},"a":"é\"}","b":-1.5e3}"#, #"{"b":"","a":true}"#, #"{"a":[1,{"b":2}],"b":{"c":"}"}}"#,
      #"{"\u0061":1,"b":2}"#, #"{"a":1,"a":2,"b":3}"#, #"{"a":"\"","b":2}"#, #"{"a":1,"c":{"b":3},"b":2}"#,
    ])
  func forms(record: String) {
    #expect(found(["a", "b"], [[record], [#"{"a":0,"b":0}"#, record]])[1].repeats == [record])
  }

  @Test("members with any name identify records")
  func names() {
    let record = #"{"ä b":1,"":2}"#
    #expect(found(["ä b", ""], [[record], [record]])[1].repeats == [record])
  }

  @Test("records that were remembered are repeats, but those of the page in progress are not")
  func remembered() {
    var seen = SeenRecords(paths: [["id"]])
    let (one, two) = (Array("{\"id\":1}\n".utf8), Array("{\"id\":2}\n".utf8))
    seen.remember(one)
    #expect(seen.add(one + two, page: 0).repeats == [0..<9])
    #expect(seen.add(two, page: 0).repeats.isEmpty)
    #expect(seen.add(two, page: 1).repeats == [0..<9])
  }

  @Test("another process remembers records by their hashes")
  func hashes() {
    let pages = [[#"{"id":1,"v":1}"#, #"{"v":2}"#], [#"{"id":2,"v":1}"#]].map {
      Array(($0.joined(separator: "\n") + "\n").utf8)
    }
    var seen = SeenRecords(paths: [["id"]], wantsAdded: true)
    let hashes = pages.enumerated().flatMap { seen.add($1, page: $0).added }
    #expect(hashes.count == 4)
    var other = SeenRecords(paths: [["id"]])
    other.remember(hashes)
    #expect(other.add(pages[0] + pages[1], page: 0).repeats == [0..<15, 23..<38])
  }

  @Test("groups keep records with one key apart")
  func groups() {
    var seen = SeenRecords(paths: [["id"]])
    let line = Array("{\"id\":1}\n".utf8)
    let found = [(1, 1), (2, 2), (3, 1)].map { seen.add(line, page: $0, group: $1).repeats }
    #expect(found == [[], [], [0..<9]])
  }

  @Test("a hundred thousand records are told apart, and found again")
  func many() {
    var seen = SeenRecords(paths: [["id"]])
    let pages = (0..<100).map { page in
      Array((0..<1_000).map { "{\"id\":\(page * 1_000 + $0),\"v\":\"\($0 % 7)\"}\n" }.joined().utf8)
    }
    for (index, page) in pages.enumerated() {
      let finding = seen.add(page, page: index)
      #expect(finding.repeats.isEmpty && finding.changedCount == 0)
    }
    for (index, page) in pages.enumerated() {
      let finding = seen.add(page, page: 1_000 + index)
      #expect(finding.repeats.count == 1_000)
    }
  }

  @Test("a record of the page in progress is no earlier one, also where an earlier one has its key")
  func mixed() {
    let (a, b, c) = (#"{"id":1,"v":1}"#, #"{"id":1,"v":2}"#, #"{"id":1,"v":3}"#)
    let found = found(["id"], [[a], [b, b, c, a, c], [c]])
    #expect(found[1].repeats == [a])
    #expect(found[1].changed == 2)
    #expect(found[2].repeats == [c])
  }

  @Test("beyond the limit, only the last records are compared")
  func limit() {
    let page = { (number: Int) in (0..<10).map { #"{"id":\#(number * 10 + $0)}"# } }
    let found = found(["id"], [page(0), page(1), page(2), page(2), page(1), page(0)], limit: 20)
    #expect(found[3].repeats.count == 10)
    #expect(found[4].repeats.count == 10)
    let few = self.found(["id"], [page(0), page(1), page(1), page(0)], limit: 10)
    #expect(few[2].repeats.count == 10)
    #expect(few[3].repeats.isEmpty)
  }

  @Test("the hash of a line depends on each of its bytes, and on its length")
  func lineHashes() {
    var hashes: Set<UInt64> = []
    var count = 0
    for length in 0..<100 {
      let base = [UInt8](repeating: 0x61, count: length)
      for offset in -1..<length {
        var bytes = base
        if offset >= 0 { bytes[offset] ^= 1 }
        bytes.withUnsafeBytes { bytes in
          guard let start = bytes.baseAddress else { return }
          hashes.insert(LineHash.hash(start, bytes.count))
          count += 1
        }
      }
    }
    #expect(hashes.count == count)
  }

  @Test("the hash of a page does not depend on where its lines are cut")
  func cuts() {
    let lines = [#"{"a":1}"#, "7", #"{"a":2}"#].map { Array(($0 + "\n").utf8) }
    var (one, whole) = (RecordHasher(), RecordHasher())
    for line in lines { one.add(line) }
    whole.add(Array(lines.joined()))
    #expect(one.contentHash == whole.contentHash)
    #expect(one.hashes == whole.hashes)
    #expect(one.hashes.count == 2)
    var other = RecordHasher()
    other.add(Array(lines.reversed().joined()))
    #expect(other.contentHash != whole.contentHash)
  }
}
