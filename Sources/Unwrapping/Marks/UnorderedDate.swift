import Primitives

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
