// All kernels against the portable pass, over chunks of many sizes; and one verdict a document for who judges them too.
//
// Documents come on standard input, each behind its length (4 bytes, the lowest first). For each of them two digits go
// to standard output: whether it is one JSON text, and whether it is NDJSON. `.ci/differential` makes the documents,
// and compares the verdicts with those of Python's `json`.

import Foundation
import JSONText
import TestSupport

/// All that a scanner says; the bytes after a fault's place depend on the chunks and are left out.
struct Outcome: Equatable {
  var records: [UInt8] = []
  var recordCount = 0
  var finding: ContentFinding?
  var captured: [JSONValue?] = []
  var fault: JSONError?
  /// What is wrong with places of tokens.
  var misplaced: String?

  mutating func take(_ taken: (lines: [UInt8], tokenIndex: TokenIndex), _ depth: Int) {
    records += taken.lines
    guard depth > 0, misplaced == nil else { return }
    misplaced = mistake(in: taken.tokenIndex, of: taken.lines, downTo: depth)
  }

  mutating func fail(_ fault: JSONError) {
    self.fault = JSONError(
      reason: fault.reason, offset: fault.offset, line: fault.line, column: fault.column, before: fault.before)
  }
}

let kernels = Kernel.all
let contents: [JSONPath] = [[], ["a"], ["a", "b"], ["0"], ["b", "0"]]
let captures: [[JSONPath]] = [[], [["b"], ["a", "0"]], [["c"], []]]

func forEachChunk(_ text: [UInt8], _ size: Int, _ take: (UnsafeBufferPointer<UInt8>) throws(JSONError) -> Void)
  throws(JSONError)
{
  try text.withUnsafeBufferPointer { (bytes) throws(JSONError) in
    for start in stride(from: 0, to: bytes.count, by: size) {
      try take(UnsafeBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)]))
    }
  }
}

/// - Parameter depth: how deep the places of tokens are looked at too; 0 for none.
func envelope(
  _ text: [UInt8], _ content: JSONPath, _ captures: [JSONPath], _ size: Int, _ kernel: Kernel, _ depth: Int = 0
) -> Outcome {
  var scanner = EnvelopeScanner(
    WantedPaths(content: content, captures: captures), kernel: kernel, tokenIndexDepth: depth)
  var outcome = Outcome()
  do throws(JSONError) {
    try forEachChunk(text, size) { (chunk) throws(JSONError) in
      try scanner.append(chunk)
      outcome.take(scanner.takeLines(), depth)
    }
    try scanner.finish()
    outcome.finding = scanner.finding
    outcome.captured = scanner.metadata.captured
  } catch {
    outcome.fail(error)
  }
  outcome.take(scanner.takeLines(), depth)
  outcome.recordCount = scanner.recordCount
  return outcome
}

func lines(_ text: [UInt8], _ limit: Int, _ size: Int, _ kernel: Kernel, _ depth: Int = 0) -> Outcome {
  var scanner = LineScanner(lineLimit: limit, kernel: kernel, tokenIndexDepth: depth)
  var outcome = Outcome()
  do throws(JSONError) {
    try forEachChunk(text, size) { (chunk) throws(JSONError) in
      try scanner.append(chunk)
      outcome.take(scanner.takeLines(), depth)
    }
    try scanner.finish()
  } catch {
    outcome.fail(error)
  }
  outcome.take(scanner.takeLines(), depth)
  outcome.recordCount = scanner.recordCount
  return outcome
}

/// Says what differs, and ends.
func demand(_ found: Outcome, _ expected: Outcome, _ what: String, _ text: [UInt8]) {
  guard found != expected else { return }
  let path = NSTemporaryDirectory() + "/differs.json"
  _ = FileManager.default.createFile(atPath: path, contents: Data(text))
  FileHandle.standardError.write(Data("\(what) differs on \(path):\n\(found)\n\(expected)\n".utf8))
  exit(1)
}

/// Chunks smaller than a group of blocks never reach a kernel: one of the kernels in turn shows that.
func judge(_ text: [UInt8], _ number: Int) -> Outcome {
  let content = contents[number % contents.count]
  let captures = captures[number / contents.count % captures.count]
  let limit = number % 4 == 0 ? 700 : .max
  let depth = [0, 1, 2, 3, .max][number % 5]
  let whole = max(text.count, 1)
  let expected = envelope(text, content, captures, whole, .portable)
  let expectedLines = lines(text, limit, whole, .portable)
  for (index, (name, kernel)) in kernels.enumerated() {
    let sizes = (number + index) % kernels.count == 0 ? [1, 7, 63, 64, 65, 577, 4_096, whole] : [577, 4_096, whole]
    for size in sizes {
      demand(envelope(text, content, captures, size, kernel, depth), expected, "\(name), chunks of \(size),", text)
      demand(lines(text, limit, size, kernel, depth), expectedLines, "\(name), lines, chunks of \(size),", text)
    }
  }
  return limit == .max ? expectedLines : lines(text, .max, whole, .portable)
}

func main() {
  let input = FileHandle.standardInput.readDataToEndOfFile()
  var verdicts: [UInt8] = []
  var offset = input.startIndex
  var number = 0
  while offset + 4 <= input.endIndex {
    let length = (0..<4).reduce(0) { $0 | Int(input[offset + $1]) << (8 * $1) }
    let text = [UInt8](input[(offset + 4)..<(offset + 4 + length)])
    let lines = judge(text, number)
    let isText = (try? JSONValue(parsing: text)) != nil
    verdicts += [isText ? 0x31 : 0x30, lines.fault == nil ? 0x31 : 0x30]
    offset += 4 + length
    number += 1
  }
  FileHandle.standardOutput.write(Data(verdicts))
}

main()
