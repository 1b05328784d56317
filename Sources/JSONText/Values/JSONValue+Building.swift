// Makes JSON values from Swift's own, and from others.

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

  private func replacing(_ place: Range<Int>, by value: JSONValue) -> JSONValue {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count - place.count + value.bytes.count)
    text += bytes[..<place.lowerBound]
    text += value.bytes
    text += bytes[place.upperBound...]
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
