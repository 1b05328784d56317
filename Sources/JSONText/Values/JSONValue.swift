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

/// Kinds of JSON values.
package enum JSONKind: String, Sendable, Hashable {
  case object, array, string, number, boolean, null

  /// The kind in a sentence: `an array`.
  package var withArticle: String {
    self == .null ? "null" : self == .object || self == .array ? "an \(rawValue)" : "a \(rawValue)"
  }
}

// MARK: Compares two values by what they mean, not by their bytes

extension JSONValue {
  /// Reports that both values are the same: numbers by value, texts as decoded, members in any order.
  ///
  /// The last of duplicate members counts.
  package func isSame(as other: JSONValue) -> Bool {
    if bytes == other.bytes { return true }
    guard kind == other.kind else { return false }
    switch kind {
    case .null: return true
    case .boolean: return false
    case .number, .string: return joinKey == other.joinKey
    case .array:
      var rest = other.elements.makeIterator()
      for element in elements {
        guard let next = rest.next(), element.isSame(as: next) else { return false }
      }
      return rest.next() == nil
    case .object:
      let (own, others) = (valuesByName, other.valuesByName)
      return own.count == others.count && own.allSatisfy { name, value in others[name].map(value.isSame) ?? false }
    }
  }

  /// The members by the bytes of their names: texts would be equal if only their accents are written differently.
  private var valuesByName: [ArraySlice<UInt8>: JSONValue] {
    Dictionary(members.map { (JSONValue(validated: $0.quotedName).joinKey?.bytes[...] ?? [], $0.value) }) { $1 }
  }
}

// MARK: Reads inside a JSON value: its members, its elements, and the value at the end of a path

extension JSONValue {
  /// Members in order, duplicates too; empty for another kind.
  package var members: Members { Members(of: self) }
  /// Elements in order; empty for another kind.
  package var elements: Elements { Elements(of: self) }

  /// Member of that name (the last of duplicates), or nil.
  package subscript(name: String) -> JSONValue? {
    find(name).map { JSONValue(validated: bytes[$0.last]) }
  }

  /// Value at the end of the path, or nil if a step is missing.
  package subscript(path: JSONPath) -> JSONValue? {
    if let tokens, tokens.know(path) {
      return tokens.value(at: path, in: bytes).map { JSONValue(validated: bytes[$0]) }
    }
    var value = self
    for step in path.steps {
      guard let next = value[step] else { return nil }
      value = next
    }
    return value
  }

  /// Values at the end of a path in which `*` is every element or member.
  package func values(at path: JSONPath) -> [JSONValue] {
    guard let wildcard = path.steps.firstIndex(where: \.isEvery) else { return self[path].map { [$0] } ?? [] }
    let rest = JSONPath(Array(path.steps[(wildcard + 1)...]))
    guard let parent = self[JSONPath(Array(path.steps[..<wildcard]))] else { return [] }
    return parent.kind == .array
      ? parent.elements.flatMap { $0.values(at: rest) } : parent.members.flatMap { $0.value.values(at: rest) }
  }

  private subscript(step: JSONStep) -> JSONValue? {
    switch kind {
    case .object: self[step.name]
    case .array: step.index.flatMap(element)
    default: nil
    }
  }

  private func element(at number: Int) -> JSONValue? {
    let origin = bytes.startIndex
    let range: Range<Int>? = bytes.withUnsafeBufferPointer { buffer in
      let text = CompactText(bytes: buffer)
      var start = 1
      var left = number
      while left > 0, start + 1 < buffer.count {
        start = text.valueEnd(at: start) + 1
        left -= 1
      }
      return start + 1 < buffer.count ? origin + start..<origin + text.valueEnd(at: start) : nil
    }
    return range.map { JSONValue(validated: bytes[$0]) }
  }

  /// Returns the ranges in `bytes` of the values of the first and the last member of that name, or nil.
  ///
  /// Names are compared in place: no copy, and no decoding unless a name has a backslash.
  func find(_ name: String) -> (first: Range<Int>, last: Range<Int>)? {
    guard kind == .object else { return nil }
    if let tokens { return tokens.find(name, in: bytes) }
    var name = name
    return name.withUTF8 { name in bytes.withUnsafeBufferPointer { find(name, in: CompactText(bytes: $0)) } }
  }

  private func find(
    _ name: UnsafeBufferPointer<UInt8>, in text: CompactText
  ) -> (first: Range<Int>, last: Range<Int>)? {
    let origin = bytes.startIndex
    var found: (first: Range<Int>, last: Range<Int>)?
    _ = text.forEachMember(at: 0) { start, member in
      if text.string(at: start, member.name, decodesTo: name) {
        let range = origin + member.value
        found = (found?.first ?? range, range)
      }
      return true
    }
    return found
  }

  /// One member: its name's JSON text with quotes, as it is spelled, and its value.
  package struct Member: Sendable {
    package let quotedName: ArraySlice<UInt8>
    package let value: JSONValue

    /// The decoded name; lone surrogate escapes become U+FFFD.
    package var name: String {
      let inside = quotedName.dropFirst().dropLast()
      guard inside.contains(UInt8(ascii: "\\")) else { return String(decoding: inside, as: UTF8.self) }
      return String(decoding: inside.withUnsafeBufferPointer { StringDecoder.decode($0).bytes }, as: UTF8.self)
    }
  }

  package struct Members: Sequence, IteratorProtocol, Sendable {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(of value: JSONValue) {
      bytes = value.bytes
      index = value.kind == .object ? 1 : value.bytes.count
    }

    package mutating func next() -> Member? {
      // At the closing bracket, or past it, there is no member.
      guard index + 1 < bytes.count else { return nil }
      let member = bytes.withUnsafeBufferPointer { CompactText(bytes: $0).member(at: index) }
      let origin = bytes.startIndex
      let name = bytes[origin + index..<origin + member.name.end]
      index = member.value.upperBound + 1
      let value = bytes[origin + member.value.lowerBound..<origin + member.value.upperBound]
      return Member(quotedName: name, value: JSONValue(validated: value))
    }
  }

  package struct Elements: Sequence, IteratorProtocol, Sendable {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(of value: JSONValue) {
      bytes = value.bytes
      index = value.kind == .array ? 1 : value.bytes.count
    }

    package mutating func next() -> JSONValue? {
      guard index + 1 < bytes.count else { return nil }
      let end = bytes.withUnsafeBufferPointer { CompactText(bytes: $0).valueEnd(at: index) }
      let origin = bytes.startIndex
      let element = bytes[origin + index..<origin + end]
      index = end + 1
      return JSONValue(validated: element)
    }
  }
}

// MARK: Makes JSON values from Swift's own, and from others

extension JSONValue {
  package init(_ string: String) {
    self.init(validated: string.quotedJSON[...])
  }

  package init(_ integer: Int) {
    self.init(validated: Array(String(integer).utf8)[...])
  }

  package init(_ boolean: Bool) {
    self.init(validated: Array((boolean ? "true" : "false").utf8)[...])
  }

  package static let null = JSONValue(validated: Array("null".utf8)[...])

  /// Creates an object of these members, in this order.
  package init(members: [(name: String, value: JSONValue)]) {
    var object = ObjectBuilder(capacity: members.reduce(2) { $0 + $1.name.utf8.count + $1.value.bytes.count + 4 })
    for member in members { object.add(member.name.quotedJSON, member.value) }
    self = object.value()
  }

  /// Creates an array of these elements.
  package init(elements: [JSONValue]) {
    var text = [UInt8(ascii: "[")]
    text.reserveCapacity(elements.reduce(2) { $0 + $1.bytes.count + 1 })
    for element in elements {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      text += element.bytes
    }
    text.append(UInt8(ascii: "]"))
    self.init(validated: text[...])
  }

  /// Returns this object with a member set, or nil if this is no object.
  ///
  /// The first member of that name is replaced in place and further ones are removed; a new member is added after the
  /// last.
  package func setting(_ name: String, to value: JSONValue) -> JSONValue? {
    guard kind == .object else { return nil }
    guard let found = find(name) else { return adding(name, value) }
    return found.first == found.last ? replacing(found.first, by: value) : settingFirst(name, to: value)
  }

  private func adding(_ name: String, _ value: JSONValue) -> JSONValue {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + name.utf8.count + value.bytes.count + 4)
    text += bytes[..<(bytes.endIndex - 1)]
    if text.count > 1 { text.append(UInt8(ascii: ",")) }
    text += name.quotedJSON
    text.append(UInt8(ascii: ":"))
    text += value.bytes
    text.append(UInt8(ascii: "}"))
    return JSONValue(validated: text[...])
  }

  private func replacing(_ range: Range<Int>, by value: JSONValue) -> JSONValue {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count - range.count + value.bytes.count)
    text += bytes[..<range.lowerBound]
    text += value.bytes
    text += bytes[range.upperBound...]
    return JSONValue(validated: text[...])
  }

  private func settingFirst(_ name: String, to value: JSONValue) -> JSONValue {
    var object = ObjectBuilder(capacity: bytes.count + value.bytes.count)
    var isSet = false
    for member in members {
      guard member.isNamed(name) else {
        object.add(member.quotedName, member.value)
        continue
      }
      if !isSet { object.add(member.quotedName, value) }
      isSet = true
    }
    return object.value()
  }
}

extension JSONValue.Member {
  /// Reports that the decoded name equals `name`, without making a string of it.
  package func isNamed(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { name in
      quotedName.withUnsafeBufferPointer { text in
        CompactText(bytes: text).string(at: 0, CompactText(bytes: text).string(at: 0), decodesTo: name)
      }
    }
  }
}

/// Builds an object, member by member.
private struct ObjectBuilder {
  private var text = [UInt8(ascii: "{")]

  init(capacity: Int) {
    text.reserveCapacity(capacity)
  }

  mutating func add(_ quotedName: some Collection<UInt8>, _ value: JSONValue) {
    if text.count > 1 { text.append(UInt8(ascii: ",")) }
    text += quotedName
    text.append(UInt8(ascii: ":"))
    text += value.bytes
  }

  consuming func value() -> JSONValue {
    text.append(UInt8(ascii: "}"))
    return JSONValue(validated: text[...])
  }
}
