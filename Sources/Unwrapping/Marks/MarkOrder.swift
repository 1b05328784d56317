import JSONText
import Primitives

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
          expected: form.expectation, found: quotation(of: Array(value.bytes), 0..<value.bytes.count))
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

extension TimeForm {
  fileprivate var expectation: String {
    switch self {
    case .seconds: "seconds since 1970, as 'as' says"
    case .milliseconds: "milliseconds since 1970, as 'as' says"
    case .rfc3339: "a time (RFC 3339), as 'as' says"
    case .date: "a date such as 2024-01-31, as 'as' says"
    case .pattern(let pattern): "a time of the form '\(pattern.spelling)', as 'as' says"
    }
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
    let words = text.split { !Self.isWordByte($0) }.prefix(4).map { String(decoding: $0, as: UTF8.self).lowercased() }
    guard words.count > 2 else { return nil }
    if Self.isName(words[0], of: Self.weekdays), Self.isDay(words[1]), Self.isName(words[2], of: Self.months) {
      form = "%a, %d %b %Y %H:%M:%S GMT"
    } else if Self.isDay(words[0]), Self.isName(words[1], of: Self.months), Self.isYear(words[2]) {
      form = "%d %b %Y"
    } else if Self.isName(words[0], of: Self.months), Self.isDay(words[1]), Self.isYear(words[2]) {
      form = "%b %d, %Y"
    } else if Self.isDay(words[0]), Self.isDay(words[1]), Self.isYear(words[2]) {
      let mark = text.first { !Self.isWordByte($0) }.map { String(UnicodeScalar($0)) } ?? "/"
      let isDayFirst = Int(words[0]).map { $0 > 12 } == true
      form = [isDayFirst ? "%d" : "%m", isDayFirst ? "%m" : "%d", "%Y"].joined(separator: mark)
    } else {
      return nil
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool { byte.isDigit || byte.isLetter }

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
