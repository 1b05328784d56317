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
    while let (target, range) = target(after: copied, in: record) {
      pen.put(record.text(of: copied..<range.lowerBound))
      write(target.value, record, found, to: &pen)
      copied = range.upperBound
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
  private func target(after offset: Int, in record: PlacedRecord) -> (Target, Range<Int>)? {
    var next: (target: Target, range: Range<Int>)?
    for target in targets {
      guard let own = record.value(of: target.own), own.lowerBound >= offset else { continue }
      if let next, next.range.lowerBound < own.lowerBound { continue }
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
      let offset = SIMDScan.firstLineFeed(base, from: 0, to: bytes.count)
      return offset < bytes.count ? startIndex + offset : nil
    }
  }
}

// Writes objects that are written often: member by member into one buffer, without a `JSONValue` for any of them.

/// Writes the members of a JSON object.
package struct MemberWriter {
  private var text: [UInt8] = []
  private var isFirst = true

  /// Returns the object with the members that `write` adds.
  package static func object(_ write: (inout MemberWriter) -> Void) -> JSONValue {
    JSONValue(validated: text(write)[...])
  }

  /// Returns the object with the members that `write` adds, and a line feed.
  package static func line(_ write: (inout MemberWriter) -> Void) -> [UInt8] {
    text(write) + CollectionOfOne(UInt8(ascii: "\n"))
  }

  private static func text(_ write: (inout MemberWriter) -> Void) -> [UInt8] {
    var writer = MemberWriter()
    writer.text.reserveCapacity(512)
    writer.nest(write)
    return writer.text
  }

  /// Adds a member.
  ///
  /// - Parameter name: a name that needs no escapes, as for all overloads.
  package mutating func add(_ name: StaticString, _ value: Int) {
    begin(name)
    append(value)
  }

  package mutating func add(_ name: StaticString, _ value: JSONValue) {
    begin(name)
    text += value.bytes
  }

  package mutating func add(_ name: StaticString, _ values: [Int]) {
    begin(name)
    list(values.count) { $1.append(values[$0]) }
  }

  package mutating func add(_ name: StaticString, _ write: (inout MemberWriter) -> Void) {
    begin(name)
    nest(write)
  }

  /// Adds an array of `count` objects.
  ///
  /// The elements are no generic values, since generic code is not specialized across modules.
  package mutating func add(_ name: StaticString, count: Int, _ write: (Int, inout MemberWriter) -> Void) {
    begin(name)
    list(count) { (index, writer) in writer.nest { write(index, &$0) } }
  }

  private mutating func list(_ count: Int, _ write: (Int, inout MemberWriter) -> Void) {
    text.append(UInt8(ascii: "["))
    for index in 0..<count {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      write(index, &self)
    }
    text.append(UInt8(ascii: "]"))
  }

  private mutating func nest(_ write: (inout MemberWriter) -> Void) {
    text.append(UInt8(ascii: "{"))
    isFirst = true
    write(&self)
    isFirst = false
    text.append(UInt8(ascii: "}"))
  }

  private mutating func begin(_ name: StaticString) {
    if !isFirst { text.append(UInt8(ascii: ",")) }
    isFirst = false
    text.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { text += $0 }
    text.append(UInt8(ascii: "\""))
    text.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ value: Int) {
    if value < 0 { text.append(UInt8(ascii: "-")) }
    let start = text.count
    var rest = value.magnitude
    repeat {
      text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var (low, high) = (start, text.count - 1)
    while low < high {
      text.swapAt(low, high)
      (low, high) = (low + 1, high - 1)
    }
  }
}

// MARK: A buffer for lines, which is filled at its end and handed over whole

/// NDJSON that is being built, written through an `UncheckedWriter`.
package struct LineBuffer: Sendable {
  /// Allocated bytes; bytes after `filled` are undefined.
  private var bytes: [UInt8]
  private var filled = 0

  /// Creates an empty buffer.
  ///
  /// - Parameter capacity: expected number of bytes; more are allowed.
  package init(capacity: Int) {
    bytes = Self.room(capacity)
  }

  /// Returns undefined bytes.
  ///
  /// A count of 0 gives `[]`: all empty arrays share one storage, and the initializer would write into it.
  private static func room(_ count: Int) -> [UInt8] {
    count == 0 ? [] : [UInt8](unsafeUninitializedCapacity: count) { $1 = count }
  }

  package mutating func append(_ line: [UInt8]) {
    line.withUnsafeBufferPointer { line in write(atMost: line.count) { $0.put(line) } }
  }

  /// Appends at most `count` bytes, which `body` writes.
  @inline(__always)
  mutating func write(atMost count: Int, _ body: (inout UncheckedWriter) -> Void) {
    if bytes.count - filled < count + UncheckedWriter.slack { grow(by: count) }
    bytes.withUnsafeMutableBufferPointer { room in
      guard let base = room.baseAddress else { return }
      var pen = UncheckedWriter(position: base + filled)
      body(&pen)
      filled = pen.position - base
    }
  }

  private mutating func grow(by count: Int) {
    var larger = Self.room((filled + count + UncheckedWriter.slack) * 3 / 2)
    larger.withUnsafeMutableBufferPointer { room in
      bytes.withUnsafeBufferPointer { _ = room.update(fromContentsOf: $0[..<filled]) }
    }
    bytes = larger
  }

  /// Returns all bytes written.
  package consuming func lines() -> [UInt8] {
    bytes.removeLast(bytes.count - filled)
    return bytes
  }
}

extension [UInt8] {
  /// Appends a part of other bytes like `+=` with a slice, but without reference counting.
  package mutating func append(_ part: Range<Int>, of bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append(contentsOf: UnsafeBufferPointer(rebasing: $0[part])) }
  }
}
