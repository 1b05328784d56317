// Members set in record after record: each is looked through once at most, and copied once.

/// Sets members of records to constants, to what other members of the same record hold, or to what a join finds.
package struct MemberSetter: Sendable {
  package enum Source: Sendable {
    case constant(JSONValue)
    /// The value of the record's member of that name.
    case member(String)
    /// What the record's keys find.
    case found(Found)
  }

  /// What becomes of the values that were found: a list of them, the only one (or null), or how many they are.
  package enum Found: Sendable {
    case list, only, count
  }

  /// Ranges of `text`, and numbers of members that are looked for.
  fileprivate struct Target: Sendable {
    enum Value: Sendable {
      case constant(Range<Int>)
      case member(Int)
      case found(Found)
    }

    /// `,"name":`
    let label: Range<Int>
    let own: Int
    let value: Value
  }

  /// Members that are looked for.
  private var names = WantedNames()
  /// Those whose values are the key of a join.
  private var keys: [Int] = []
  /// All labels and constants, and behind them what may be read with them.
  private var text: [UInt8] = []
  private var targets: [Target] = []
  private var key = JoinedKey()

  /// - Parameters:
  ///   - additions: names that differ from each other, in the order in which they are added.
  ///   - keys: members of a record that are the key by which values are found for it; without any, none is looked for.
  package init(_ additions: [(name: String, source: Source)], keys: [String] = []) {
    for addition in additions {
      let own = index(of: addition.name)
      let label = add([UInt8(ascii: ",")] + addition.name.quotedJSON + [UInt8(ascii: ":")])
      let value: Target.Value =
        switch addition.source {
        case .constant(let value): .constant(add(Array(value.bytes)))
        case .member(let name): .member(index(of: name))
        case .found(let found): .found(found)
        }
      targets.append(Target(label: label, own: own, value: value))
    }
    self.keys = keys.map { index(of: $0) }
    text += Array(repeating: 0, count: UncheckedWriter.slack)
  }

  private mutating func add(_ bytes: [UInt8]) -> Range<Int> {
    text += bytes
    return (text.count - bytes.count)..<text.count
  }

  private mutating func index(of name: String) -> Int {
    names.number(of: Array(name.utf8))
  }

  /// Appends records with all members set: those that they have in their places, the others after their last.
  ///
  /// It ends before a line that takes a closer look: its record is no object, has not all members that are copied, has
  /// one that is looked for twice, or null, or has a name with an escape; or more was found for it than the only one.
  /// - Parameters:
  ///   - tokenIndex: where the tokens of these lines stand, down to the records' members at least, as far as it is known.
  ///   - find: the values that belong to a record with that key.
  /// - Returns: where that line begins, or the lines end; and how many records came before it.
  package mutating func append(
    _ lines: [UInt8], from start: Int, with tokenIndex: TokenIndex = TokenIndex(), to output: inout LineBuffer,
    find: (JoinedKey) -> [JSONValue] = { _ in [] }
  ) -> (end: Int, count: Int) {
    // Out of self for the time of the call.
    var key = JoinedKey()
    swap(&key, &self.key)
    defer { swap(&key, &self.key) }
    return withMembers { members in
      Self.withRecords(lines, names, tokenIndex) { records in
        var start = start
        var count = 0
        while let record = records.record(at: start),
          let found = members.found(for: record, &key, find), members.areThere(in: record, found)
        {
          output.write(atMost: members.length(in: record, found)) { members.write(record, found, to: &$0) }
          start = record.end + 2
          count += 1
        }
        return (start, count)
      }
    }
  }

  private func withMembers<Result>(_ body: (SetMembers) -> Result) -> Result {
    targets.withUnsafeBufferPointer { targets in
      keys.withUnsafeBufferPointer { keys in
        text.withUnsafeBufferPointer { body(SetMembers(targets: targets, keys: keys, text: $0)) }
      }
    }
  }

  private static func withRecords<Result>(
    _ lines: [UInt8], _ names: WantedNames, _ tokenIndex: TokenIndex, _ body: (inout PlacedRecords) -> Result
  ) -> Result {
    tokenIndex.withText(lines) { text in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * names.texts.count) { row in
        var records = PlacedRecords(text, names, row: row)
        return body(&records)
      }
    }
  }
}

/// What a setter sets, for the time of one call: nothing is counted or copied a record but its own bytes.
private struct SetMembers {
  typealias Target = MemberSetter.Target

  let targets: UnsafeBufferPointer<Target>
  let keys: UnsafeBufferPointer<Int>
  let text: UnsafeBufferPointer<UInt8>

  @inline(__always)
  func found(for record: PlacedRecord, _ key: inout JoinedKey, _ find: (JoinedKey) -> [JSONValue]) -> [JSONValue]? {
    if keys.isEmpty { return [] }
    key.clear()
    for index in keys {
      guard let value = record.value(of: index), key.append(record.text(of: value)) else { return [] }
    }
    return find(key)
  }

  /// Whether all is there that is set, and as it is.
  func areThere(in record: PlacedRecord, _ found: [JSONValue]) -> Bool {
    for target in targets {
      switch target.value {
      case .member(let index):
        guard let value = record.value(of: index), record.bytes[value.lowerBound] != UInt8(ascii: "n") else {
          return false
        }
      case .found(.only) where found.count > 1: return false
      case .found, .constant: break
      }
    }
    return true
  }

  /// The most bytes that the line may have.
  func length(in record: PlacedRecord, _ found: [JSONValue]) -> Int {
    var length = record.end - record.start + 2
    for target in targets {
      length += target.label.count
      switch target.value {
      case .constant(let range): length += range.count
      case .member(let index): length += record.value(of: index)?.count ?? 0
      case .found(.count): length += 20
      case .found: length += found.reduce(4) { $0 + $1.bytes.count + 1 }
      }
    }
    return length
  }

  func write(_ record: PlacedRecord, _ found: [JSONValue], to pen: inout UncheckedWriter) {
    var copied = record.start
    while let (target, place) = target(behind: copied, in: record) {
      pen.put(record.text(of: copied..<place.lowerBound))
      write(target.value, record, found, to: &pen)
      copied = place.upperBound
    }
    pen.put(record.text(of: copied..<record.end))
    // Without its comma where nothing comes before it.
    var isFirst = record.end == record.start + 1
    for target in targets where record.value(of: target.own) == nil {
      pen.put(isFirst ? target.label.dropFirst() : target.label, of: text)
      isFirst = false
      write(target.value, record, found, to: &pen)
    }
    pen.put(UInt8(ascii: "}"))
    pen.put(UInt8(ascii: "\n"))
  }

  /// The next target that the record has a member for.
  private func target(behind place: Int, in record: PlacedRecord) -> (Target, Range<Int>)? {
    var next: (target: Target, place: Range<Int>)?
    for target in targets {
      guard let own = record.value(of: target.own), own.lowerBound >= place else { continue }
      if let next, next.place.lowerBound < own.lowerBound { continue }
      next = (target, own)
    }
    return next
  }

  private func write(_ value: Target.Value, _ record: PlacedRecord, _ found: [JSONValue], to pen: inout UncheckedWriter)
  {
    switch value {
    case .constant(let range): pen.put(range, of: text)
    case .member(let index): if let value = record.value(of: index) { pen.put(value, of: record.bytes) }
    case .found(.only): pen.put(found.first ?? .null)
    case .found(.count): pen.put(number: found.count)
    case .found(.list): pen.put(list: found)
    }
  }
}

extension UncheckedWriter {
  fileprivate mutating func put(_ value: JSONValue) {
    value.bytes.withUnsafeBufferPointer { put($0) }
  }

  fileprivate mutating func put(number: Int) {
    if number < 10 { put(UInt8(ascii: "0") + UInt8(number)) } else { put(Array(String(number).utf8)) }
  }

  fileprivate mutating func put(list: [JSONValue]) {
    put(UInt8(ascii: "["))
    for (index, element) in list.enumerated() {
      if index > 0 { put(UInt8(ascii: ",")) }
      put(element)
    }
    put(UInt8(ascii: "]"))
  }
}

extension ArraySlice<UInt8> {
  /// The index of the first line feed, or nil.
  package var firstLineFeed: Int? {
    withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let place = SIMDScan.firstLineFeed(base, from: 0, to: bytes.count)
      return place < bytes.count ? startIndex + place : nil
    }
  }
}
