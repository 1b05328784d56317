// Sets members in record after record: each record is read at most once, and copied once.

/// Sets members of records to constants, to values of other members of the record, or to results of a join.
package struct MemberSetter: Sendable {
  package enum Source: Sendable {
    case constant(JSONValue)
    /// The value of the record's member of that name.
    case member(String)
    /// The records found for the record's key.
    case found(Found)
  }

  /// Form of the values that were found: a list of them, the only value (or null), or their number.
  package enum Found: Sendable {
    case list, only, count
  }

  /// One member to set: ranges of `text`, and numbers of names in `names`.
  fileprivate struct Target: Sendable {
    enum Value: Sendable {
      case constant(Range<Int>)
      case member(Int)
      case found(Found)
    }

    /// Range of `,"name":` in `text`.
    let label: Range<Int>
    let own: Int
    let value: Value
  }

  /// Names of the members that are searched in each record.
  private var names = WantedNames()
  /// Numbers of the members that form the key of a join.
  private var keys: [Int] = []
  /// All labels and constants, then padding for reads past their end.
  private var text: [UInt8] = []
  private var targets: [Target] = []
  private var key = JoinedKey()

  /// Creates a setter.
  ///
  /// - Parameters:
  ///   - additions: distinct names and their sources, in the order in which they are added.
  ///   - keys: members of a record that form its join key; if empty, `find` is not called.
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

  /// Appends records with all members set: existing members are replaced in place, others are added after the last.
  ///
  /// It stops before a line that this fast path can't handle:
  ///
  /// - its record is no object, or has a name with an escape
  /// - a member to copy is missing or null, or a searched member is there twice
  /// - several values were found for the only value.
  ///
  /// - Parameters:
  ///   - tokenIndex: token index of the lines, at least of the records' members, as far as it is known.
  ///   - find: returns the values for a join key.
  /// - Returns: the offset of that line, or of the end of the lines, and the number of records before it.
  package mutating func append(
    _ lines: [UInt8], from start: Int, with tokenIndex: TokenIndex = TokenIndex(), to output: inout LineBuffer,
    find: (JoinedKey) -> [JSONValue] = { _ in [] }
  ) -> (end: Int, count: Int) {
    // The key leaves `self` for the time of the call.
    var key = JoinedKey()
    swap(&key, &self.key)
    defer { swap(&key, &self.key) }
    return withMembers { members in
      PlacedRecords.walk(lines, names, tokenIndex) { records in
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
}

/// Members of a setter for the time of one call, so that no record costs reference counting or other copies.
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

  /// True if every value to set is available in the record, and unambiguous.
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

  /// Returns the most bytes that the line may have.
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
    while let (target, place) = target(after: copied, in: record) {
      pen.put(record.text(of: copied..<place.lowerBound))
      write(target.value, record, found, to: &pen)
      copied = place.upperBound
    }
    pen.put(record.text(of: copied..<record.end))
    // The label loses its comma if no member precedes it.
    var isFirst = record.end == record.start + 1
    for target in targets where record.value(of: target.own) == nil {
      pen.put(isFirst ? target.label.dropFirst() : target.label, of: text)
      isFirst = false
      write(target.value, record, found, to: &pen)
    }
    pen.put(UInt8(ascii: "}"))
    pen.put(UInt8(ascii: "\n"))
  }

  /// Returns the next target that the record has a member for.
  private func target(after place: Int, in record: PlacedRecord) -> (Target, Range<Int>)? {
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
  /// Index of the first line feed, or nil.
  package var firstLineFeed: Int? {
    withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let place = SIMDScan.firstLineFeed(base, from: 0, to: bytes.count)
      return place < bytes.count ? startIndex + place : nil
    }
  }
}
