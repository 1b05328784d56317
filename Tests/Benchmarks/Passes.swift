// The JSON pass in memory, each kernel against simdjson's validating DOM parse with the same instructions.
//
//     swift run -c release Benchmarks passes FOLDER [PEER]
//
// FOLDER has what `make-data.py` writes, PEER is the built `simdjson-peer.cpp`. Both stand warm, in the same run.

import Dispatch
import Foundation
import JSONText

struct Passes {
  /// What `read` gives at once.
  private static let chunkSize = 128 << 10
  private static let rounds = 9
  /// A kernel's peer, and what must be reached of its figure.
  private static let peers = ["AVX-512": "icelake", "AVX2": "haswell", "SSE2": "westmere"]
  private static let files = ["big", "compact", "pretty", "uni", "nums"]

  let folder: String
  let peer: String?

  func run() throws {
    Self.printSearch()
    for file in Self.files {
      let path = "\(folder)/\(file).json"
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
      let text = [UInt8](bytes)
      for (name, kernel) in Kernel.all.reversed() {
        let peerRate = peer.flatMap { peer in Self.peers[name].flatMap { Self.domRate(peer, path, $0) } }
        let rate = Self.rate(text) { Self.unwrap($0, kernel) }
        let ratio = peerRate.map { ", \(format(rate / $0)) times simdjson's \(format($0))" } ?? ""
        print("\(file), \(name): \(format(rate)) MB/s\(ratio)")
      }
    }
    let lines = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/big.ndjson")))
    for (name, kernel) in Kernel.all.reversed() {
      print("big.ndjson, \(name): \(format(Self.rate(lines) { Self.readLines($0, kernel) })) MB/s")
    }
  }

  private static func rate(_ text: [UInt8], _ pass: ([UInt8]) -> Int) -> Double {
    Double(text.count) / median((0..<rounds).map { _ in time { pass(text) } }) / 1e6
  }

  /// What it costs to look for lists inside records that were cut.
  private static func printSearch() {
    let names = ["hasmore", "hasnextpage", "istruncated", "more", "next", "odatanextlink", "totalcount", "truncated"]
    for (name, record) in graphs {
      let text = Array(String(repeating: record + "\n", count: 100_000_000 / record.utf8.count).utf8)
      for (kernelName, kernel) in Kernel.all.reversed() {
        let search = NameSearch(names.map { ($0, [.yes, .text, .number]) }, kernel: kernel)
        var found = 0
        let chunks = stride(from: 0, to: text.count, by: chunkSize).map { start in
          Array(text[start..<min(start + chunkSize, text.count)])
        }
        let seconds = (0..<rounds).map { _ in
          time {
            for chunk in chunks { found += search.lines(of: chunk).count }
            return text.count
          }
        }
        print(
          "\(name), \(kernelName): \(format(Double(text.count) / median(seconds) / 1e6)) MB/s searched, \(found) lines")
      }
    }
  }

  private static let graphs = [
    (
      "issues with labels and comments",
      #"{"id":"I_kwDOAJ7","number":1234,"title":"Crash when a page is empty","closed":false,"locked":false,"author":null,"#
        + #""createdAt":"2024-01-31T00:00:00Z","labels":{"nodes":[{"name":"bug","isDefault":true}],"#
        + #""pageInfo":{"hasNextPage":false,"endCursor":null}},"comments":{"totalCount":2,"nodes":[{"body":"Me too."},"#
        + #"{"body":"Fixed."}],"pageInfo":{"endCursor":"Y3Vyc29yOnYyOpHOAAE","hasNextPage":true}}}"#
    ),
    ("records of small flags", #"{"a":true,"b":false,"c":true,"d":null,"e":true}"#),
    (
      "wide records with three connections",
      #"{"id":"PR_kwDOAJ7","number":1234,"title":"Let a page be empty, and say so","isDraft":true,"merged":true,"#
        + #""url":"https://api.example.com/acme/library/pull/1234","bodyText":"It was a page without records that ended "#
        + #"the stream, although the server said that there were more of them. Now it does not.","additions":120,"#
        + #""reviews":{"nodes":[{"state":"APPROVED","author":{"login":"ann"},"submittedAt":"2024-01-31T00:00:00Z"}],"#
        + #""pageInfo":{"hasNextPage":true,"endCursor":"Y3Vyc29yOnYyOpHOAAE"}},"files":{"totalCount":3,"nodes":[{"#
        + #""path":"Sources/Page.swift","additions":100},{"path":"Tests/PageTests.swift","additions":20}],"pageInfo":{"#
        + #""hasNextPage":true,"endCursor":"Mg"}},"labels":{"nodes":[{"name":"bug","isDefault":true}],"pageInfo":{"#
        + #""hasNextPage":true,"endCursor":"MQ"}}}"#
    ),
  ]

  private static func time(_ work: () -> Int) -> Double {
    let begun = DispatchTime.now().uptimeNanoseconds
    guard work() > 0 else { fatalError("nothing came out") }
    return Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9
  }

  /// Bytes that came out.
  private static func unwrap(_ text: [UInt8], _ kernel: Kernel) -> Int {
    var scanner = EnvelopeScanner(WantedPaths(content: ["coins"]), kernel: kernel)
    var count = 0
    do {
      for start in stride(from: 0, to: text.count, by: chunkSize) {
        try text[start..<min(start + chunkSize, text.count)].withUnsafeBufferPointer { (chunk) throws(JSONError) in
          try scanner.append(chunk)
        }
        count += scanner.takeRecords().count
      }
      try scanner.finish()
    } catch {
      fatalError("\(error)")
    }
    return count + scanner.takeRecords().count
  }

  private static func readLines(_ text: [UInt8], _ kernel: Kernel) -> Int {
    var scanner = LineScanner(kernel: kernel)
    var count = 0
    do {
      for start in stride(from: 0, to: text.count, by: chunkSize) {
        try text[start..<min(start + chunkSize, text.count)].withUnsafeBufferPointer { (chunk) throws(JSONError) in
          try scanner.append(chunk)
        }
        count += scanner.takeRecords().count
      }
      try scanner.finish()
    } catch {
      fatalError("\(error)")
    }
    return count + scanner.takeRecords().count
  }

  /// The peer prints `haswell dom 2329 slices 3548 MB/s`.
  private static func domRate(_ peer: String, _ path: String, _ instructions: String) -> Double? {
    let output = NSTemporaryDirectory() + "/peer-\(getpid()).txt"
    defer { try? FileManager.default.removeItem(atPath: output) }
    guard Child.run([peer, path, "coins", instructions], output: output).code == 0 else { return nil }
    let words = (try? String(contentsOfFile: output, encoding: .utf8))?.split(separator: " ") ?? []
    return words.count > 2 ? Double(words[2]) : nil
  }
}
