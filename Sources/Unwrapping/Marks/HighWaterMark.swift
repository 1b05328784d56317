// The highest value of the member that gives the age of a record (`incremental.mark`), and the records that have it.

package import JSONText
package import Primitives

/// Highest of the values seen so far that are not later than now.
///
/// Times compare as instants, numbers and texts of digits by value, other text by bytes.
package struct HighWaterMark: Sendable {
  /// Error for a value that can't be compared with the values before it.
  package struct Mixed: Error, Hashable, Sendable {
    package let expected: String
    package let found: String
  }

  package private(set) var value: JSONValue?
  /// Hashes of the records with that value.
  package private(set) var records = RecordHashes()
  /// Hashes of the records whose marks are later than now.
  package private(set) var laterRecords = RecordHashes()
  /// The first mark that is later than now.
  package private(set) var later: JSONValue?
  private let form: TimeForm?
  /// Comparable form of `value`.
  private var highest: MarkOrder?

  /// - Parameters:
  ///   - form: spelling of marks; nil for RFC 3339, numbers and other text.
  ///   - records: hashes of the records with that value.
  package init(_ value: JSONValue? = nil, form: TimeForm? = nil, records: RecordHashes = RecordHashes()) {
    self.value = value
    self.form = form
    self.records = records
    highest = value.flatMap { try? MarkOrder($0, form) }
  }

  /// True if no record with a mark was seen.
  package var isEmpty: Bool { value == nil && later == nil }

  /// Hashes of the records that an inclusive filter sends again in the next run.
  package var repeatedRecords: RecordHashes { records.union(laterRecords) }

  /// Compares a value with the highest so far and keeps the higher; null is ignored.
  package mutating func see(_ other: JSONValue) throws(Mixed) {
    guard !other.isNull else { return }
    try see(other, MarkOrder(other, form), RecordHashes())
  }

  /// Compares a record's mark with the highest so far.
  ///
  /// - Parameter hash: the record's hash; nil if the records at the mark are not wanted.
  mutating func see(
    _ other: JSONValue, _ order: MarkOrder, isLater: Bool, hash: @autoclosure () -> Int?
  ) throws(Mixed) {
    guard !isLater else {
      later = later ?? other
      return laterRecords.insert(hash())
    }
    guard let highest else {
      (value, self.highest) = (other, order)
      return records.insert(hash())
    }
    if try highest.isBelow(order) {
      (value, self.highest, records) = (other, order, RecordHashes())
      records.insert(hash())
    } else if try !order.isBelow(highest) {
      records.insert(hash())
    }
  }

  package mutating func see(_ other: HighWaterMark) throws(Mixed) {
    if let value = other.value, let order = other.highest { try see(value, order, other.records) }
    later = later ?? other.later
    laterRecords = laterRecords.union(other.laterRecords)
  }

  /// Throws if the mark is a word, such as `never`, and the saved one before it is a time, a date or a number.
  package func checkNoWord(after saved: JSONValue) throws(Mixed) {
    guard let highest, let order = try? MarkOrder(saved, form) else { return }
    try highest.checkNoWord(after: order)
  }

  private mutating func see(_ other: JSONValue, _ order: MarkOrder, _ others: RecordHashes) throws(Mixed) {
    guard let highest else { return (value, self.highest, records) = (other, order, others) }
    if try highest.isBelow(order) {
      (value, self.highest, records) = (other, order, others)
    } else if try !order.isBelow(highest) {
      records = records.union(others)
    }
  }
}

/// Hashes of records, as many as a state file may keep.
package struct RecordHashes: Sendable, Hashable {
  /// Most hashes that are kept.
  package static let limit = 10_000
  private var hashes: Set<Int> = []
  /// True if there were more records than hashes that are kept.
  package private(set) var isCut = false

  package init() {}

  /// Reads hashes, as `json` has them; other values are ignored.
  package init(_ json: JSONValue?) {
    for text in (json ?? .null).elements.compactMap(\.string) {
      insert(UInt64(text, radix: 16).map { Int(truncatingIfNeeded: $0) })
    }
  }

  package var isEmpty: Bool { hashes.isEmpty }

  package func contains(_ hash: Int) -> Bool { hashes.contains(hash) }

  package mutating func insert(_ hash: Int?) {
    guard let hash else { return }
    guard hashes.count < Self.limit || hashes.contains(hash) else { return isCut = true }
    hashes.insert(hash)
  }

  package func union(_ other: RecordHashes) -> RecordHashes {
    guard !other.isEmpty || other.isCut else { return self }
    var all = self
    all.isCut = isCut || other.isCut
    for hash in other.hashes { all.insert(hash) }
    return all
  }

  /// Returns the hashes that an older set lacks; nil if the older one has others than this one.
  package func added(to older: RecordHashes) -> RecordHashes? {
    guard older.hashes.isSubset(of: hashes) else { return nil }
    var added = RecordHashes()
    added.hashes = hashes.subtracting(older.hashes)
    return added
  }

  /// The hashes as texts of 16 hexadecimal digits, in order.
  package var json: JSONValue {
    JSONValue(
      elements: hashes.map { UInt64(bitPattern: Int64($0)) }.sorted().map { hash in
        let digits = String(hash, radix: 16)
        return JSONValue(String(repeating: "0", count: 16 - digits.utf8.count) + digits)
      })
  }
}

/// The handling of marks: finds the highest mark, and compares each mark with the saved one.
package struct MarkReading: Sendable {
  /// Path of the mark in a record.
  let path: JSONPath
  let form: TimeForm?
  /// The saved mark; nil if there is none, or if no record is compared with it.
  private let known: MarkOrder?
  /// True if a record with exactly the mark `known` is new, as with the `start` of the first run.
  private let keepsEqual: Bool
  /// True if known records are left out.
  private let leavesOutKnown: Bool
  /// The saved mark, and the records at it and above it in the last run, which are left out if they come again.
  ///
  /// Without a mark, all of that run's records were later than its end.
  private let repeated: (mark: MarkOrder?, records: RecordHashes)?
  /// True if the hashes of the records at the highest mark are wanted.
  let wantsHashes: Bool
  /// The moment at which the page arrives, in Unix seconds; a mark that is later counts as none.
  package var now = Int.max

  /// - Parameter repeated: hashes of the records at the saved mark and above it in the last run.
  package init(
    path: JSONPath, form: TimeForm? = nil, known: JSONValue? = nil, keepsEqual: Bool = false, leavesOut: Bool = false,
    repeated: (mark: JSONValue?, records: RecordHashes)? = nil, wantsHashes: Bool = false
  ) throws(HighWaterMark.Mixed) {
    (self.path, self.form, self.keepsEqual, leavesOutKnown) = (path, form, keepsEqual, leavesOut)
    self.wantsHashes = wantsHashes
    self.known = try known.flatMap { (known) throws(HighWaterMark.Mixed) in try MarkOrder(known, form) }
    self.repeated = try repeated.flatMap { (repeated) throws(HighWaterMark.Mixed) in
      guard !repeated.records.isEmpty else { return nil }
      let mark = try repeated.mark.flatMap { (mark) throws(HighWaterMark.Mixed) in try MarkOrder(mark, form) }
      return (mark, repeated.records)
    }
  }

  /// True if some records may be left out.
  var leavesOut: Bool { leavesOutKnown || repeated != nil }

  /// Reports that a record with this mark came in an earlier run, or is too old.
  func isKnown(_ mark: MarkOrder) throws(HighWaterMark.Mixed) -> Bool {
    guard let known else { return false }
    let (a, b) = (mark.asTime(beside: known), known.asTime(beside: mark))
    return keepsEqual ? try b.isAbove(a) : try !b.isBelow(a)
  }

  /// Reports that the record is left out: it is known, or the last run has written the same bytes.
  func isLeftOut(_ mark: MarkOrder, isKnown: Bool, hash: @autoclosure () -> Int) throws(HighWaterMark.Mixed) -> Bool {
    if isKnown && leavesOutKnown { return true }
    guard let repeated else { return false }
    if let saved = repeated.mark, try mark.asTime(beside: saved).isBelow(saved.asTime(beside: mark)) { return false }
    return repeated.records.contains(hash())
  }

  /// Reports that a mark is a time after now, or a date or a time without a zone more than a day after now.
  func isLater(_ mark: MarkOrder) -> Bool {
    guard now != .max else { return false }
    let isWithoutZone =
      switch form {
      case .date, .pattern: true
      case .seconds, .milliseconds, .rfc3339, nil: false
      }
    return mark.isTime(after: now, toleratingDay: isWithoutZone)
  }
}

extension [UInt8] {
  /// Returns whole lines without the records with these numbers, from 0, in order.
  func leavingOut(_ numbers: [Int]) -> [UInt8] {
    var kept: [UInt8] = []
    var (start, number, leftOut) = (0, 0, numbers[...])
    while start < count {
      let end = (self[start...].firstIndex(of: JSONByte.lineFeed) ?? count - 1) + 1
      if leftOut.first == number { leftOut.removeFirst() } else { kept += self[start..<end] }
      (start, number) = (end, number + 1)
    }
    return kept
  }
}

/// Reads the marks of a page's records.
struct MarkPass: Sendable {
  private let reading: MarkReading?
  private(set) var highest: HighWaterMark
  /// Number of records whose mark was read.
  private var count = 0
  /// True if a record is not above the saved mark.
  private(set) var hasKnown = false
  /// True if a record above the saved mark follows one that is not.
  private(set) var hasNewAfterKnown = false

  /// - Parameter reading: nil reads no marks.
  init(_ reading: MarkReading?) {
    self.reading = reading
    highest = HighWaterMark(form: reading?.form)
  }

  /// Reads the marks of whole lines, and returns the numbers of the records to leave out, from 0.
  mutating func read(_ lines: [UInt8], _ tokenIndex: TokenIndex) throws(ContentError) -> [Int] {
    guard let reading else { return [] }
    var known: [Int] = []
    for (index, record) in TokenIndexedRecords(lines, tokenIndex).enumerated() {
      count += 1
      do {
        guard let value = record[reading.path], !value.isNull else { continue }
        let mark = try MarkOrder(value, reading.form)
        var hash: Int?
        func hashed() -> Int {
          let found = hash ?? Array(record.bytes).fingerprint
          hash = found
          return found
        }
        try highest.see(
          value, mark, isLater: reading.isLater(mark), hash: reading.wantsHashes ? hashed() : nil)
        let isKnown = try reading.isKnown(mark)
        hasNewAfterKnown = hasNewAfterKnown || hasKnown && !isKnown
        hasKnown = hasKnown || isKnown
        if try reading.isLeftOut(mark, isKnown: isKnown, hash: hashed()) { known.append(index) }
      } catch {
        throw .record(
          count, ModelError(keyPath: reading.path.description, expected: error.expected, found: error.found))
      }
    }
    return known
  }
}

/// Comparable form of a mark; only values of one kind compare with each other.
enum MarkOrder: Sendable {
  case time(Timestamp)
  case number(JSONValue)
  case text([UInt8])

  /// - Parameter form: spelling of marks; nil for RFC 3339, numbers and other text.
  init(_ value: JSONValue, _ form: TimeForm?) throws(HighWaterMark.Mixed) {
    guard value.kind == .number || value.kind == .string else {
      throw HighWaterMark.Mixed(expected: "text or a number for 'mark'", found: value.kind.rawValue)
    }
    let bytes = value.kind == .string ? value.bytes.dropFirst().dropLast() : value.bytes
    let text = value.string.map { Array($0.utf8) } ?? Array(bytes)
    if let form {
      guard let time = form.timestamp(of: text[...]) else {
        throw HighWaterMark.Mixed(
          expected: form.expectation(of: "as"), found: quotation(of: Array(value.bytes), 0..<value.bytes.count))
      }
      self = .time(time)
    } else if value.kind == .number {
      self = .number(value)
    } else {
      self = Timestamp(rfc3339: text[...], offsetColonIsOptional: true).map { .time($0) } ?? .text(text)
      if case .text(let text) = self, let found = UnorderedDate(text) {
        throw HighWaterMark.Mixed(
          expected: "a mark whose text has the order of time; \(found.remedy)",
          found: quotation(of: Array(value.bytes), 0..<value.bytes.count))
      }
    }
  }

  private var name: String {
    switch self {
    case .time: "a time (RFC 3339)"
    case .number: "a number"
    case .text: "text that is no time"
    }
  }

  /// Reports that this value is below another one.
  ///
  /// - Throws: `Mixed` if the other one is of another kind than this.
  func isBelow(_ other: MarkOrder) throws(HighWaterMark.Mixed) -> Bool {
    switch (self, other) {
    case (.time(let a), .time(let b)): return a < b
    case (.number(let a), .number(let b)): return a.isSmaller(than: b)
    case (.text(let a), .text(let b)):
      if Self.isWord(b, beside: a) {
        throw HighWaterMark.Mixed(expected: "\(Self.ordered), as the marks before", found: Self.word)
      }
      if Self.isWord(a, beside: b) {
        throw HighWaterMark.Mixed(expected: "text, as the marks before", found: Self.ordered)
      }
      return Self.precedes(a, b)
    case (.number(let a), .text(let b)) where Self.number(b) != nil: return a.isSmaller(than: Self.number(b) ?? a)
    case (.text(let a), .number(let b)) where Self.number(a) != nil: return (Self.number(a) ?? b).isSmaller(than: b)
    default: throw HighWaterMark.Mixed(expected: "\(name), as the marks before", found: other.name)
    }
  }

  private static let (ordered, word) = ("a date or a number", "text that is neither")

  /// Reports that a text, such as `never`, stands beside a date or a number, and would be after all of them.
  private static func isWord(_ text: [UInt8], beside other: [UInt8]) -> Bool {
    guard let first = text.first, first > UInt8(ascii: "9") else { return false }
    // An id may begin with a letter, or be digits only by chance.
    return isDated(other) || other.allSatisfy(\.isDigit) && !text.contains(where: \.isDigit)
  }

  /// Reports that a text begins with a year, as `2024-01-31 10:00`, `2024/01` and `2024-W05` do.
  private static func isDated(_ text: [UInt8]) -> Bool {
    text.count > 4 && text.prefix(4).allSatisfy(\.isDigit) && [UInt8(ascii: "-"), UInt8(ascii: "/")].contains(text[4])
  }

  /// Throws if this mark is a word, and the saved one is a time, a date or a number: later runs would find nothing.
  ///
  /// Other changes of kind are the server's: a saved word gives way to a date.
  func checkNoWord(after saved: MarkOrder) throws(HighWaterMark.Mixed) {
    guard case .text(let text) = self else { return }
    let isWord =
      switch saved {
      case .time: text.first.map { $0 > UInt8(ascii: "9") } ?? false
      case .number: Self.isWord(text, beside: [UInt8(ascii: "0")])
      case .text(let other): Self.isWord(text, beside: other)
      }
    if isWord { throw HighWaterMark.Mixed(expected: "\(Self.ordered), as the saved mark", found: Self.word) }
  }

  /// Returns the number that a text of digits spells; nil for other texts.
  private static func number(_ text: [UInt8]) -> JSONValue? {
    guard !text.isEmpty, text.allSatisfy(\.isDigit) else { return nil }
    let digits = text.drop { $0 == UInt8(ascii: "0") }
    return JSONValue(validated: digits.isEmpty ? [UInt8(ascii: "0")] : digits)
  }

  /// Texts of digits only compare as numbers, other texts by bytes.
  private static func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.allSatisfy(\.isDigit), b.allSatisfy(\.isDigit) else { return a.lexicographicallyPrecedes(b) }
    let zero = UInt8(ascii: "0")
    let (a, b) = (a.drop { $0 == zero }, b.drop { $0 == zero })
    return a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
  }

  /// Reports that this value is above another one.
  ///
  /// - Throws: `Mixed` if the other value is of another kind than this one, whose kind is the expected one.
  func isAbove(_ other: MarkOrder) throws(HighWaterMark.Mixed) -> Bool {
    if try isBelow(other) { return false }
    return try other.isBelow(self)
  }

  /// Reports that the value is a time after a moment in Unix seconds, or a text that begins with a date after it.
  ///
  /// - Parameter toleratingDay: true for times without a zone; a text always gets a day more.
  func isTime(after moment: Int, toleratingDay: Bool) -> Bool {
    let day = 86_400
    switch self {
    case .time(let time): return time.seconds > moment + (toleratingDay ? day : 0)
    case .number: return false
    case .text(let text):
      // Also for `9999-99-99`: dates compare as texts.
      let start = text.prefix(10)
      let shape = start.map { $0.isDigit ? UInt8(ascii: "0") : $0 }
      guard shape.elementsEqual("0000-00-00".utf8), let last = Timestamp(seconds: moment + day)?.date.text else {
        return false
      }
      return last.utf8.lexicographicallyPrecedes(start)
    }
  }

  /// Returns a date as the first second of its day, if it is compared with a time.
  func asTime(beside other: MarkOrder) -> MarkOrder {
    guard case .text(let text) = self, case .time = other, let date = CivilDate(text[...]) else { return self }
    return .time(Timestamp(midnightOf: date))
  }
}

/// A date that begins with its day, month or weekday, so that its text has another order than time.
struct UnorderedDate {
  /// A form that may read the date.
  private let form: String

  /// The remedy for a message.
  var remedy: String { "say by 'as' how the API spells it, such as as: '\(form)'" }

  /// Nil for a text that is no such date.
  init?(_ text: [UInt8]) {
    let words = text.split { !$0.isLetterOrDigit }.prefix(4).map { String(decoding: $0, as: UTF8.self).lowercased() }
    guard words.count > 2 else { return nil }
    if Self.isName(words[0], of: Self.weekdays), Self.isDay(words[1]), Self.isName(words[2], of: Self.months) {
      form = "%a, %d %b %Y %H:%M:%S GMT"
    } else if Self.isDay(words[0]), Self.isName(words[1], of: Self.months), Self.isYear(words[2]) {
      form = "%d %b %Y"
    } else if Self.isName(words[0], of: Self.months), Self.isDay(words[1]), Self.isYear(words[2]) {
      form = "%b %d, %Y"
    } else if Self.isDay(words[0]), Self.isDay(words[1]), Self.isYear(words[2]) {
      let mark = text.first { !$0.isLetterOrDigit }.map { String(UnicodeScalar($0)) } ?? "/"
      let isDayFirst = Int(words[0]).map { $0 > 12 } == true
      form = [isDayFirst ? "%d" : "%m", isDayFirst ? "%m" : "%d", "%Y"].joined(separator: mark)
    } else {
      return nil
    }
  }

  private static func isDay(_ word: String) -> Bool {
    word.utf8.count <= 2 && Int(word).map { (1...31).contains($0) } == true
  }

  private static func isYear(_ word: String) -> Bool {
    word.utf8.count == 4 && Int(word).map { (1_000...2_999).contains($0) } == true
  }

  /// Reports that a word is one of the names, or its first three letters.
  private static func isName(_ word: String, of names: [String]) -> Bool {
    names.contains { $0 == word || $0.prefix(3) == word }
  }

  private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
  private static let months = MonthName.all.map { $0.lowercased() }
}
