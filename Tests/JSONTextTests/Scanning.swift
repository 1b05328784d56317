// Runs the scanners over texts cut in every way, and compares all that comes out.

import Testing

@testable import JSONText

/// All that a scanner says about an input.
struct Outcome: Equatable, CustomStringConvertible {
  var records: [String] = []
  var count = 0
  var finding: ContentFinding?
  var captured: [String?] = []
  var fault: String?

  var description: String {
    "\(records) finding: \(finding.map { "\($0)" } ?? "none") captured: \(captured) fault: \(fault ?? "none")"
  }
}

extension JSONError {
  /// Reason and place, which don't depend on the chunks.
  var brief: String { "\(reason) \(offset) \(line):\(column) after \(before)" }
}

func chunks(_ bytes: [UInt8], of size: Int) -> [[UInt8]] {
  stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
}

func scan(
  _ chunks: [[UInt8]], content: JSONPath, captures: [JSONPath] = [], depthLimit: Int = 1_024, kernel: Kernel = .best
) -> Outcome {
  var scanner = EnvelopeScanner(
    WantedPaths(content: content, captures: captures), depthLimit: depthLimit, kernel: kernel)
  var outcome = Outcome()
  var records: [UInt8] = []
  do throws(JSONError) {
    for chunk in chunks {
      try scanner.append(chunk)
      records += scanner.takeRecords()
    }
    try scanner.finish()
    outcome.finding = scanner.finding
    outcome.captured = scanner.metadata.captured.map { $0?.text }
  } catch {
    outcome.fault = error.brief
  }
  records += scanner.takeRecords()
  outcome.records = lines(records)
  outcome.count = scanner.recordCount
  return outcome
}

func scanLines(
  _ chunks: [[UInt8]], lineLimit: Int = .max, depthLimit: Int = 1_024, kernel: Kernel = .best,
  tokenIndexDepth: Int = 0
) -> Outcome {
  var scanner = LineScanner(
    lineLimit: lineLimit, depthLimit: depthLimit, kernel: kernel, tokenIndexDepth: tokenIndexDepth)
  var outcome = Outcome()
  var records: [UInt8] = []
  do throws(JSONError) {
    for chunk in chunks {
      try scanner.append(chunk)
      records += scanner.takeRecords()
    }
    try scanner.finish()
  } catch {
    outcome.fault = error.brief
  }
  records += scanner.takeRecords()
  outcome.records = lines(records)
  outcome.count = scanner.recordCount
  return outcome
}

/// The lines of NDJSON; the last must have its line feed.
func lines(_ records: [UInt8]) -> [String] {
  guard !records.isEmpty else { return [] }
  var lines = records.split(separator: 0x0A, omittingEmptySubsequences: false)
  #expect(lines.removeLast().isEmpty, "records end with a line feed")
  return lines.map { String(decoding: $0, as: UTF8.self) }
}

/// Scans the bytes as one chunk, and in pieces of many sizes; all must say the same.
func scanEveryWay(
  _ bytes: [UInt8], content: JSONPath = [], captures: [JSONPath] = [], depthLimit: Int = 1_024,
  sourceLocation: SourceLocation = #_sourceLocation
) -> Outcome {
  let whole = scan([bytes], content: content, captures: captures, depthLimit: depthLimit)
  for size in [1, 2, 3, 7, 16, 63, 64, 65] {
    let cut = scan(chunks(bytes, of: size), content: content, captures: captures, depthLimit: depthLimit)
    #expect(cut == whole, "in chunks of \(size)", sourceLocation: sourceLocation)
  }
  for (name, kernel) in Kernel.all {
    let same = scan([bytes], content: content, captures: captures, depthLimit: depthLimit, kernel: kernel)
    #expect(same == whole, "\(name)", sourceLocation: sourceLocation)
  }
  return whole
}

/// The same in two pieces, cut at every place of the first 64.
func expectSameAtEveryCut(
  _ bytes: [UInt8], content: JSONPath = [], captures: [JSONPath] = [],
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let whole = scan([bytes], content: content, captures: captures)
  for cut in 0...min(bytes.count, 64) {
    let halves = scan([Array(bytes[..<cut]), Array(bytes[cut...])], content: content, captures: captures)
    #expect(halves == whole, "cut at \(cut)", sourceLocation: sourceLocation)
  }
}
