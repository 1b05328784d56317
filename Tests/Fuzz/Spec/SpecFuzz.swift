// Whatever the bytes: the reader reads them or says what is wrong and where, and what it accepts reads back the same.
//
// Built and run by `.ci/fuzz spec`.

@testable import Diagnostics
@testable import JSONText
@testable import PipelineSpec
@testable import YAMLText

/// One input of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let source = SourceText(name: "fuzz", bytes: bytes)
  do {
    check(try Node(reading: source), in: source)
  } catch {
    check(error, in: source)
  }
  checkJSON(bytes)
  do {
    _ = try Spec(reading: source)
  } catch {
    check(error, in: source)
  }
  return 0
}

/// Said in optimised code too.
private func demand(_ isTrue: Bool, _ what: String, line: UInt = #line) {
  if !isTrue { fatalError("line \(line): \(what)") }
}

private func check(_ node: Node, in source: SourceText) {
  let json = node.json
  guard let parsed = try? JSONValue(parsing: Array(json.bytes)) else { fatalError("what is printed is JSON") }
  demand(parsed == json, "it is compact")
  guard let again = try? Node(reading: SourceText(name: "json", bytes: Array(json.bytes))) else {
    fatalError("what is printed can be read")
  }
  demand(again.json == json, "it reads back the same")
  checkRanges(node, within: 0..<source.bytes.count)
}

private func checkRanges(_ node: Node, within outer: Range<Int>) {
  demand(outer.lowerBound <= node.range.lowerBound && node.range.upperBound <= outer.upperBound, "values nest")
  switch node.content {
  case .list(let items): items.forEach { checkRanges($0, within: node.range) }
  case .map(let entries):
    for entry in entries {
      demand(entry.keyRange.upperBound <= entry.value.range.lowerBound, "a value follows its key")
      checkRanges(entry.value, within: node.range)
    }
  default: break
  }
}

private func check(_ mistakes: DiagnosticList, in source: SourceText) {
  demand(!mistakes.all.isEmpty, "a refusal has a reason")
  for mistake in mistakes.all {
    demand(mistake.range.lowerBound >= 0 && mistake.range.upperBound <= source.bytes.count, "it is in the text")
    let rendered = mistake.rendered(in: source)
    demand(rendered.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A || $0 == 0x09 }, "it is safe to print")
  }
}

/// Every JSON text is read as what it says; only duplicate members and halves of surrogate pairs are refused.
private func checkJSON(_ bytes: [UInt8]) {
  guard let value = try? JSONValue(parsing: bytes) else { return }
  do {
    let node = try Node(reading: SourceText(name: "json", bytes: bytes))
    demand(same(node, value), "a JSON text means what JSON says")
  } catch {
    demand(
      error.all.allSatisfy { $0.message.hasPrefix("half of a surrogate pair") || $0.message.hasPrefix("the key '") },
      "a JSON text is accepted: \(error.rendered)")
  }
}

private func same(_ node: Node, _ value: JSONValue) -> Bool {
  switch node.content {
  case .null: value.isNull
  case .boolean(let boolean): value.boolean == boolean
  case .number(let text): value.kind == .number && value.text == text
  case .string(let text): value.string.map { Array($0.utf8) == Array(text.utf8) } ?? false
  case .list(let items):
    value.kind == .array && Array(value.elements).count == items.count && zip(items, value.elements).allSatisfy(same)
  case .map(let entries):
    value.kind == .object && Array(value.members).count == entries.count
      && zip(entries, value.members).allSatisfy { $0.key == $1.name && same($0.value, $1.value) }
  }
}
