// Making JSON values: from Swift's own, from others, and from text of unknown origin.

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

  /// An object of these members, in this order.
  package init(members: [(name: String, value: JSONValue)]) {
    var object = ObjectBuilder(capacity: members.reduce(2) { $0 + $1.name.utf8.count + $1.value.bytes.count + 4 })
    for member in members { object.add(member.name.quotedJSON, member.value) }
    self = object.value()
  }

  /// Validates and compacts a text of unknown origin.
  package init(parsing text: [UInt8], depthLimit: Int = 1_024) throws(JSONFault) {
    var scanner = EnvelopeScanner(content: [], captures: [[]], depthLimit: depthLimit)
    try scanner.append(text)
    try scanner.finish()
    self = scanner.captured.first.flatMap(\.self) ?? .null
  }

  /// An array of these elements.
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

  /// This object with a member set: the first of that name replaced in place and further ones removed, or the member
  /// added after the last. Nil when this is no object.
  package func setting(_ name: String, to value: JSONValue) -> JSONValue? {
    guard kind == .object else { return nil }
    var object = ObjectBuilder(capacity: bytes.count + name.utf8.count + value.bytes.count + 4)
    var isSet = false
    for member in members {
      guard member.isNamed(name) else {
        object.add(member.quotedName, member.value)
        continue
      }
      if !isSet { object.add(member.quotedName, value) }
      isSet = true
    }
    if !isSet { object.add(name.quotedJSON, value) }
    return object.value()
  }
}

extension JSONValue.Member {
  /// Whether the decoded name is this one, without making a string of it where nothing is escaped.
  package func isNamed(_ name: String) -> Bool {
    let inside = quotedName.dropFirst().dropLast()
    return inside.contains(UInt8(ascii: "\\"))
      ? self.name.utf8.elementsEqual(name.utf8) : inside.elementsEqual(name.utf8)
  }
}

/// Puts an object together, member by member.
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
