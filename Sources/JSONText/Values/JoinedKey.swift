// Keys of joins: numbers by value at any length, strings by their decoded text, never across kinds.

extension JSONValue {
  /// Key that is equal for two values exactly if a join takes them for equal (`1`, `1.0` and `1e0` are).
  ///
  /// Null has no key. Kinds other than numbers and strings compare by their bytes.
  package var joinKey: JoinKey? {
    var key: [UInt8] = []
    return bytes.withUnsafeBufferPointer { JoinKey.append($0, to: &key) } ? JoinKey(bytes: key) : nil
  }

  /// Key of one value; its first byte tells the kinds apart.
  package struct JoinKey: Hashable, Sendable {
    package let bytes: [UInt8]
  }
}

/// Key of several values that must all be equal, as the bytes of one key; it is meant to be reused.
package struct JoinedKey: Hashable, Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  package mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends a value; returns false for null, which equals nothing.
  package mutating func append(_ value: JSONValue) -> Bool {
    value.bytes.withUnsafeBufferPointer { append($0) }
  }

  /// Appends a value by its text.
  ///
  /// - Parameter text: a value's compact text.
  mutating func append(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = bytes.count
    guard JSONValue.JoinKey.append(text, to: &bytes) else { return false }
    // The length follows the value, so that two values never read like two others.
    withUnsafeBytes(of: UInt64(bytes.count - start).littleEndian) { bytes.append(contentsOf: $0) }
    return true
  }
}

extension JSONValue.JoinKey {
  fileprivate static func append(_ text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) -> Bool {
    guard let first = text.first else { return false }
    switch first {
    case UInt8(ascii: "n"): return false
    case UInt8(ascii: "\""): appendString(text, to: &key)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): appendNumber(text, to: &key)
    default: key.append(contentsOf: text)
    }
    return true
  }

  private static func appendString(_ text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) {
    let inside = UnsafeBufferPointer(rebasing: text[1..<max(text.count - 1, 1)])
    key.append(UInt8(ascii: "\""))
    if CompactText(bytes: text).string(at: 0).hasEscape {
      key += StringDecoder.decode(inside, loneSurrogate: .kept).bytes
    } else {
      key.append(contentsOf: inside)
    }
  }

  private static func appendNumber(_ text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) {
    key.append(UInt8(ascii: "#"))
    // Nearly all keys are only digits, and their first digit is not 0.
    guard text[0] != UInt8(ascii: "0"), text.allSatisfy(Bytes.isDigit) else {
      key += Decimal(text).canonical
      return
    }
    var end = text.count
    while text[end - 1] == UInt8(ascii: "0") { end -= 1 }
    key.append(contentsOf: UnsafeBufferPointer(rebasing: text[..<end]))
    key.append(UInt8(ascii: "e"))
    if end < text.count { key += String(text.count - end).utf8 }
  }
}
