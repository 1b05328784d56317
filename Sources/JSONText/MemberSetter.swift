// Members set in record after record: each is looked through once, and copied once.

/// Sets members of records to constants, or to what other members of the same record hold.
package struct MemberSetter: Sendable {
  package enum Source: Sendable {
    case constant(JSONValue)
    /// The value of the record's member of that name.
    case member(String)
  }

  /// Ranges of `text`, and numbers of members that are looked for.
  private struct Target: Sendable {
    /// `"name":`
    let label: Range<Int>
    /// Empty where the value is that of another member.
    let constant: Range<Int>
    let own: Int
    let source: Int
  }

  /// A member that is looked for: its name in `text`, and where its value is in the current record, if it is there.
  private struct Member: Sendable {
    let name: Range<Int>
    var value = 0..<0
  }

  /// All names, labels and constants.
  private var text: [UInt8] = []
  private var members: [Member] = []
  private var targets: [Target] = []

  /// - Parameter additions: names that differ from each other, in the order in which they are added.
  package init(_ additions: [(name: String, source: Source)]) {
    for addition in additions {
      let own = index(of: addition.name)
      let label = add(addition.name.quotedJSON + [UInt8(ascii: ":")])
      switch addition.source {
      case .constant(let value):
        targets.append(Target(label: label, constant: add(Array(value.bytes)), own: own, source: own))
      case .member(let name):
        targets.append(Target(label: label, constant: 0..<0, own: own, source: index(of: name)))
      }
    }
  }

  private mutating func add(_ bytes: [UInt8]) -> Range<Int> {
    text += bytes
    return (text.count - bytes.count)..<text.count
  }

  private mutating func index(of name: String) -> Int {
    let name = Array(name.utf8)
    if let index = members.firstIndex(where: { Array(text[$0.name]) == name }) { return index }
    members.append(Member(name: add(name)))
    return members.count - 1
  }

  /// Appends records with all members set: those that they have in their places, the others after their last.
  ///
  /// It ends before a line that takes a closer look: its record is no object, has not all members that are read, has one
  /// of them twice, or null, or has a name with an escape.
  /// - Returns: where that line begins, or the lines end; and how many records came before it.
  package mutating func append(_ lines: [UInt8], from start: Int, to output: inout [UInt8]) -> (end: Int, count: Int) {
    lines.withUnsafeBufferPointer { bytes in
      var start = start
      var count = 0
      while start < bytes.count, let end = find(in: CompactText(bytes: bytes), at: start), hasSources(bytes) {
        write(bytes, start..<end, to: &output)
        start = end + 2
        count += 1
      }
      return (start, count)
    }
  }

  /// Finds all members that are looked for; gives the place of the closing bracket, which a line feed follows.
  private mutating func find(in text: CompactText, at start: Int) -> Int? {
    for index in members.indices { members[index].value = 0..<0 }
    guard text.bytes[start] == UInt8(ascii: "{") else { return nil }
    var place = start + 1
    while place < text.bytes.count, text.bytes[place] == UInt8(ascii: "\"") {
      let member = text.member(at: place)
      guard !member.name.hasEscape, note(member.value, of: (place + 1)..<(member.name.end - 1), text.bytes) else {
        return nil
      }
      place = member.value.upperBound
      if place < text.bytes.count, text.bytes[place] == UInt8(ascii: ",") { place += 1 }
    }
    return place + 1 < text.bytes.count && text.bytes[place + 1] == 0x0A ? place : nil
  }

  /// False when the member is there for the second time.
  private mutating func note(_ value: Range<Int>, of name: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in members.indices where members[index].name.count == name.count {
      guard matches(members[index].name, name, bytes) else { continue }
      guard members[index].value.isEmpty else { return false }
      members[index].value = value
    }
    return true
  }

  private func matches(_ own: Range<Int>, _ name: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { text in
      UnsafeBufferPointer(rebasing: text[own]).elementsEqual(UnsafeBufferPointer(rebasing: bytes[name]))
    }
  }

  private func hasSources(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    for target in targets where target.constant.isEmpty {
      let value = members[target.source].value
      if value.isEmpty || bytes[value.lowerBound] == UInt8(ascii: "n") { return false }
    }
    return true
  }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>, _ record: Range<Int>, to output: inout [UInt8]) {
    var copied = record.lowerBound
    while let target = target(behind: copied) {
      let place = members[target.own].value
      output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<place.lowerBound]))
      appendValue(of: target, bytes, to: &output)
      copied = place.upperBound
    }
    output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<record.upperBound]))
    var isFirst = record.count == 1
    for target in targets where members[target.own].value.isEmpty {
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      output.append(contentsOf: text[target.label])
      appendValue(of: target, bytes, to: &output)
    }
    output.append(UInt8(ascii: "}"))
    output.append(0x0A)
  }

  /// The next target that the record has a member for.
  private func target(behind place: Int) -> Target? {
    var next: Target?
    for target in targets where members[target.own].value.lowerBound >= place {
      guard !members[target.own].value.isEmpty else { continue }
      if let found = next, members[found.own].value.lowerBound < members[target.own].value.lowerBound { continue }
      next = target
    }
    return next
  }

  private func appendValue(of target: Target, _ bytes: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    if target.constant.isEmpty {
      output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[members[target.source].value]))
    } else {
      output.append(contentsOf: text[target.constant])
    }
  }
}

extension ArraySlice<UInt8> {
  /// The index of the first line feed, or nil.
  package var firstLineFeed: Int? {
    withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let place = Wide.firstLineFeed(base, from: 0, to: bytes.count)
      return place < bytes.count ? startIndex + place : nil
    }
  }
}
