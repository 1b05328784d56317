// Reads inside a JSON value: its members, its elements, and the value at the end of a path.

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
    let place: Range<Int>? = bytes.withUnsafeBufferPointer { buffer in
      let text = CompactText(bytes: buffer)
      var start = 1
      var left = number
      while left > 0, start + 1 < buffer.count {
        start = text.valueEnd(at: start) + 1
        left -= 1
      }
      return start + 1 < buffer.count ? origin + start..<origin + text.valueEnd(at: start) : nil
    }
    return place.map { JSONValue(validated: bytes[$0]) }
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
    var index = 1
    while index + 1 < text.bytes.count {
      let member = text.member(at: index)
      if text.string(at: index, member.name, decodesTo: name) {
        let place = origin + member.value.lowerBound..<origin + member.value.upperBound
        found = (found?.first ?? place, place)
      }
      index = member.value.upperBound + 1
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
