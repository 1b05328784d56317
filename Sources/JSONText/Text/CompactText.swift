// Finds the ends of strings and values in JSON text that is known to be valid and compact.
//
// Every index is compared with the end before it is used. Invalid text gives wrong results, but no read outside the
// buffer.

/// View of valid compact JSON, for the time of one call.
struct CompactText {
  let bytes: UnsafeBufferPointer<UInt8>

  /// Returns the extent of the string that has its opening quote at `start`.
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

  /// Returns the index after the value that begins at `start`.
  func valueEnd(at start: Int) -> Int {
    guard start < bytes.count else { return bytes.count }
    switch bytes[start] {
    case UInt8(ascii: "\""): return string(at: start).end
    case UInt8(ascii: "{"), UInt8(ascii: "["): return containerEnd(at: start)
    default: return scalarEnd(at: start)
    }
  }

  /// Returns the value that begins at `start`.
  func value(at start: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[start..<max(start, valueEnd(at: start))])
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

  /// Returns the extent of the name with its opening quote at `start`, and the range of the member's value.
  func member(at start: Int) -> (name: StringExtent, value: Range<Int>) {
    let name = string(at: start)
    let valueStart = min(name.end + 1, bytes.count)
    return (name, valueStart..<valueEnd(at: valueStart))
  }

  /// Reports that the string from `start` to the extent's end decodes to `name`.
  func string(at start: Int, _ extent: StringExtent, decodesTo name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard start + 1 < extent.end else { return false }
    let raw = UnsafeBufferPointer(rebasing: bytes[start + 1..<extent.end - 1])
    guard extent.hasEscape else { return raw.count == name.count && raw.elementsEqual(name) }
    return StringDecoder.decode(raw).bytes.elementsEqual(name)
  }
}
