// Finding one's way through JSON text that is known to be valid and compact: where a string or a value ends.
//
// Every index is compared with the end before it is used, so that text that breaks the promise gives wrong answers but
// never reads outside the buffer.

/// A view of valid compact JSON, for the time of one call.
struct CompactText {
  let bytes: UnsafeBufferPointer<UInt8>

  /// The extent of the string whose opening quote is at `start`.
  func string(at start: Int) -> StringExtent {
    var index = start + 1
    var hasEscape = false
    while true {
      index = bytes.baseAddress.map { SIMDScan.firstQuoteOrBackslash($0, from: index, to: bytes.count) } ?? 0
      guard index < bytes.count else { return StringExtent(end: bytes.count, hasEscape: hasEscape) }
      if bytes[index] == UInt8(ascii: "\"") { return StringExtent(end: index + 1, hasEscape: hasEscape) }
      hasEscape = true
      index += 2
    }
  }

  /// The index after the value that begins at `start`.
  func valueEnd(at start: Int) -> Int {
    guard start < bytes.count else { return bytes.count }
    switch bytes[start] {
    case UInt8(ascii: "\""): return string(at: start).end
    case UInt8(ascii: "{"), UInt8(ascii: "["): return containerEnd(at: start)
    default: return scalarEnd(at: start)
    }
  }

  private func containerEnd(at start: Int) -> Int {
    var depth = 0
    var index = start
    while true {
      index = bytes.baseAddress.map { SIMDScan.firstQuoteOrBracket($0, from: index, to: bytes.count) } ?? 0
      guard index < bytes.count else { return bytes.count }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index = string(at: index).end
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      default: depth -= 1
      }
      index += 1
      if depth == 0 { return index }
    }
  }

  private func scalarEnd(at start: Int) -> Int {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return index
      default: index += 1
      }
    }
    return index
  }

  /// The member whose name's opening quote is at `start`: its name's extent, and its value's range.
  func member(at start: Int) -> (name: StringExtent, value: Range<Int>) {
    let name = string(at: start)
    let valueStart = min(name.end + 1, bytes.count)
    return (name, valueStart..<valueEnd(at: valueStart))
  }

  /// Whether the string from `start` to the extent's end decodes to `name`.
  func string(at start: Int, _ extent: StringExtent, decodesTo name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard start + 1 < extent.end else { return false }
    let raw = UnsafeBufferPointer(rebasing: bytes[start + 1..<extent.end - 1])
    guard extent.hasEscape else { return raw.count == name.count && raw.elementsEqual(name) }
    return StringDecoder.decode(raw).bytes.elementsEqual(name)
  }
}
