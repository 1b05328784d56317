// A valid JSON text, read without building a tree: kinds, members, elements, strings and numbers on demand.

/// One validated and compact JSON value, as its own bytes.
///
/// Reading inside never copies: the results share the storage. The last of duplicate members counts.
package struct JSONValue: Sendable {
  /// The compact text.
  package let bytes: ArraySlice<UInt8>
  /// Tokens of a record, if known; members are then found from token to token.
  let tokens: RecordTokens?

  /// Creates a value from text that is known to be valid.
  ///
  /// - Parameter bytes: a valid compact JSON text, from `EnvelopeScanner`, `LineScanner`, or another value.
  package init(validated bytes: ArraySlice<UInt8>) {
    self.init(validated: bytes, tokens: nil)
  }

  init(validated bytes: ArraySlice<UInt8>, tokens: RecordTokens?) {
    self.bytes = bytes
    self.tokens = tokens
  }

  package var kind: JSONKind {
    guard let first = bytes.first else { return .null }
    return switch first {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
    default: .null
    }
  }

  package var isNull: Bool { kind == .null }

  /// The text as a Swift string (for messages, templates and headers).
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The decoded string; nil for another kind, or for a string with a lone surrogate escape.
  package var string: String? {
    guard kind == .string else { return nil }
    let inside = bytes.dropFirst().dropLast()
    guard inside.contains(UInt8(ascii: "\\")) else { return String(decoding: inside, as: UTF8.self) }
    let decoded = inside.withUnsafeBufferPointer { StringDecoder.decode($0) }
    return decoded.hasLoneSurrogate ? nil : String(decoding: decoded.bytes, as: UTF8.self)
  }

  package var boolean: Bool? {
    kind == .boolean ? bytes.first == UInt8(ascii: "t") : nil
  }

  /// Value of a number that is whole and fits, or nil; `1.0` and `1e3` are whole.
  package var integer: Int? {
    guard kind == .number else { return nil }
    if let plain = plainInteger { return plain }
    return Decimal(bytes).integer
  }

  /// True for a number of any size with a whole value.
  package var isWholeNumber: Bool {
    guard kind == .number else { return false }
    return plainInteger != nil || Decimal(bytes).isWhole
  }

  /// Value of a number of at most 18 digits and nothing else, as nearly all integers are spelled.
  var plainInteger: Int? {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let digits = bytes.dropFirst(isNegative ? 1 : 0)
    guard digits.count <= 18 else { return nil }
    var value = 0
    for digit in digits {
      guard 48...57 ~= digit else { return nil }
      value = value &* 10 &+ Int(digit) &- 48
    }
    return isNegative ? -value : value
  }
}

extension JSONValue: Hashable {
  package static func == (a: JSONValue, b: JSONValue) -> Bool { a.bytes == b.bytes }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(bytes)
  }
}
