// Whatever the bytes and however they are cut, the scanners say the same, and what they accept can be looked at.
//
// Built by itself, as one module with the room's sources, from the top of the repository:
//
//     swiftc -O -parse-as-library -swift-version 6 -sanitize=fuzzer,address -package-name pagecat \
//       Sources/JSONText/*.swift Tests/Fuzz/JSON/JSONFuzz.swift -o jsonfuzz
//     ./jsonfuzz -max_len=4096 -dict=Tests/Fuzz/JSON/json.dict NEW_FINDS_FOLDER Tests/Fuzz/JSON/corpus

#if canImport(JSONText)
  @testable import JSONText
#endif

/// libFuzzer calls this with each input: the first byte chooses the path and the line limit, the rest is the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = bytes.first else { return 0 }
  let text = Array(bytes.dropFirst())
  checkEnvelope(text, content: contents[Int(choice) % contents.count])
  checkLines(text, limit: choice & 0x10 == 0 ? .max : Int(choice >> 5) * 8)
  checkValue(text)
  return 0
}

/// Said in optimised code too.
private func demand(_ isTrue: Bool, _ what: String = "a property of the scanners", line: UInt = #line) {
  if !isTrue { failed(what, line: line) }
}

private func failed(_ what: String, line: UInt = #line) -> Never {
  fatalError("line \(line): \(what)")
}

private let contents: [JSONPath] =
  [[], ["a"], ["a", "b"], ["0"], ["a", "1", "b"], [""], ["é", "0"]]
  + [["*"], ["a", "*"], ["*", "a"], ["*", "*"], ["a", "*", "b", "*"]].map { JSONPath(wildcards: $0) }
private let captures: [JSONPath] = [[], ["a"], ["a", "0"], ["a", "b"], ["b"], ["0", "a"], ["a"]]

/// All that a scanner says; the bytes after a fault's place depend on the chunks and are left out.
private struct Outcome: Equatable {
  var records: [UInt8] = []
  var recordCount = 0
  var finding: ContentFinding?
  var captured: [JSONValue?] = []
  var fault: JSONError?

  mutating func fail(_ fault: JSONError) {
    demand(!fault.rendered.isEmpty)
    self.fault = JSONError(
      reason: fault.reason, offset: fault.offset, line: fault.line, column: fault.column, before: fault.before)
  }
}

private func chunks(_ text: [UInt8], of size: Int) -> [ArraySlice<UInt8>] {
  stride(from: 0, to: text.count, by: size).map { text[$0..<min($0 + size, text.count)] }
}

private func forEachCut(_ text: [UInt8], _ outcome: (Int) -> Outcome) -> Outcome {
  let whole = outcome(max(text.count, 1))
  for size in [1, 7, 63, 64, 65] { demand(outcome(size) == whole, "chunks of \(size)") }
  return whole
}

private func checkEnvelope(_ text: [UInt8], content: JSONPath) {
  // Both with captures, which keep the reader from cutting, and without.
  let bare = forEachCut(text) { envelope(text, content, captures: [], size: $0) }
  var full = forEachCut(text) { envelope(text, content, captures: captures, size: $0) }
  if full.fault == nil { checkCaptured(full.captured, content, bare) }
  full.captured = bare.captured
  demand(full == bare, "captures change nothing else")
  let lines = bare.records.split(separator: 0x0A, omittingEmptySubsequences: false)
  demand(lines.count == bare.recordCount + 1 && lines.last?.isEmpty == true)
  for line in lines.dropLast() { check(JSONValue(validated: line)) }
}

private func envelope(_ text: [UInt8], _ content: JSONPath, captures: [JSONPath], size: Int) -> Outcome {
  var scanner = EnvelopeScanner(WantedPaths(content: content, captures: captures), depthLimit: 70)
  var outcome = Outcome()
  do throws(JSONError) {
    for chunk in chunks(text, of: size) {
      try scanner.append(Array(chunk))
      outcome.records += scanner.takeRecords()
    }
    try scanner.finish()
    outcome.finding = scanner.finding
    outcome.captured = scanner.metadata.captured
  } catch {
    outcome.fail(error)
  }
  outcome.records += scanner.takeRecords()
  outcome.recordCount = scanner.recordCount
  return outcome
}

/// The captured values are what one finds by looking into the captured whole.
private func checkCaptured(_ values: [JSONValue?], _ content: JSONPath, _ outcome: Outcome) {
  guard let root = values.first, let root else { failed("the whole text is captured") }
  for (path, value) in zip(captures, values) {
    // Of duplicate members on the way an earlier one may have led further.
    if let found = root[path] { demand(value == found, "\(path)") }
  }
  if content.hasEvery {
    checkEvery(root, content, outcome)
  } else if let found = root[content], outcome.finding == .found {
    let expected = found.kind == .array ? found.elements.map { Array($0.bytes) } : [Array(found.bytes)]
    demand(Array(expected.joined(separator: [0x0A])) + (expected.isEmpty ? [] : [0x0A]) == outcome.records)
  }
  check(root)
}

/// Where no object has a member twice, the records are what one finds by walking the captured whole.
private func checkEvery(_ root: JSONValue, _ content: JSONPath, _ outcome: Outcome) {
  guard !hasDuplicates(root) else { return }
  var records: [UInt8] = []
  let isWhole = collect(root, content.steps[...], &records)
  demand(records == outcome.records, "every element's content comes out")
  demand(isWhole == (outcome.finding == .found), "an element without content is told")
}

private func hasDuplicates(_ value: JSONValue) -> Bool {
  let names = value.members.map(\.name)
  return Set(names).count < names.count || value.elements.contains { hasDuplicates($0) }
    || value.members.contains { hasDuplicates($0.value) }
}

/// False when the way ends early somewhere.
private func collect(_ value: JSONValue, _ steps: ArraySlice<JSONStep>, _ records: inout [UInt8]) -> Bool {
  guard let step = steps.first else {
    let found = value.kind == .array ? Array(value.elements) : value.isNull ? [] : [value]
    for record in found { records += Array(record.bytes) + [0x0A] }
    return true
  }
  guard step.isEvery else {
    return value[JSONPath([step.name])].map { collect($0, steps.dropFirst(), &records) } ?? false
  }
  guard value.kind == .array || value.kind == .object else { return false }
  var isWhole = true
  for part in Array(value.elements) + value.members.map(\.value) {
    isWhole = collect(part, steps.dropFirst(), &records) && isWhole
  }
  return isWhole
}

private func checkLines(_ text: [UInt8], limit: Int) {
  let outcome = forEachCut(text) { size in
    var scanner = LineScanner(lineLimit: limit, depthLimit: 70)
    var outcome = Outcome()
    do throws(JSONError) {
      for chunk in chunks(text, of: size) {
        try scanner.append(Array(chunk))
        outcome.records += scanner.takeRecords()
      }
      try scanner.finish()
    } catch {
      outcome.fail(error)
    }
    outcome.records += scanner.takeRecords()
    outcome.recordCount = scanner.recordCount
    return outcome
  }
  for line in outcome.records.split(separator: 0x0A) {
    guard let value = try? JSONValue(parsing: Array(line)) else { failed("a record is valid") }
    demand(value.bytes == line, "a record is compact")
  }
  let condition = Condition([.init(path: ["a"], tests: [.truthy(readsTexts: false)])])
  let wanted = TokenIndexedRecords(outcome.records).filter { condition.holds(for: $0) }.map { Array($0.bytes) }
  let kept = RecordFilter(condition).kept(of: outcome.records, TokenIndex()).lines
  demand(TokenIndexedRecords(kept).map { Array($0.bytes) } == wanted, "what a condition keeps")
}

private func checkValue(_ text: [UInt8]) {
  guard let value = try? JSONValue(parsing: text) else { return }
  guard let again = try? JSONValue(parsing: Array(value.bytes)) else { failed("compact text is valid") }
  demand(again == value)
  check(value)
  // Promised to be valid but it is not: any answer will do, as long as there is one.
  look(at: JSONValue(validated: text[...].dropFirst()))
}

private func look(at value: JSONValue) {
  _ = (value.joinKey, value.string, value.integer, value.isWholeNumber, value.boolean, value["a"])
  _ = (value[JSONPath(["a", "0"])], value.setting("a", to: .null))
  for element in value.elements { look(at: element) }
  for member in value.members { look(at: member.value) }
}

/// Looks at everything in a value.
private func check(_ value: JSONValue) {
  demand(value.joinKey == value.joinKey && (value.joinKey == nil) == value.isNull)
  if let string = value.string { demand(JSONValue(string).string == string) }
  if let integer = value.integer {
    demand(value.isWholeNumber && JSONValue(integer).joinKey == value.joinKey)
  }
  _ = (value.boolean, value.text, value[JSONPath(["a", "0", "b"])], value["\u{fffd}"])
  for element in value.elements { check(element) }
  for member in value.members {
    demand(value[member.name] != nil && member.isNamed(member.name))
    check(member.value)
  }
  if let changed = value.setting("a", to: .null) {
    demand(changed["a"] == .null && changed.members.filter { $0.isNamed("a") }.count == 1)
  }
}
