import Primitives

/// A date that begins with its day, month or weekday, so that its text has another order than time.
struct UnorderedDate {
  /// A form that may read the date.
  private let form: String

  /// The remedy for a message.
  var remedy: String { "say by 'as' how the API spells it, such as as: '\(form)'" }

  /// Nil for a text that is no such date.
  init?(_ text: [UInt8]) {
    let words = text.split { !Self.isWordByte($0) }.prefix(4).map { String(decoding: $0, as: UTF8.self) }
    guard let first = words.first, words.count >= 2 else { return nil }
    let names = words.map { $0.prefix(3).lowercased() }
    if Self.weekdays.contains(names[0]), words.count > 2 {
      form = "%a, %d %b %Y %H:%M:%S GMT"
    } else if Self.isDay(first), Self.months.contains(names[1]) {
      form = "%d %b %Y"
    } else if Self.months.contains(names[0]), Self.isDay(words[1]) {
      form = "%b %d, %Y"
    } else if Self.isDay(first), words.count > 2, Self.isDay(words[1]), let year = Int(words[2]), year > 31 {
      let mark = text.first { !Self.isWordByte($0) }.map { String(UnicodeScalar($0)) } ?? "/"
      form = ["%m", "%d", "%Y"].joined(separator: mark)
    } else {
      return nil
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool { byte.isDigit || byte.isLetter }

  private static func isDay(_ word: String) -> Bool {
    word.utf8.count <= 2 && Int(word).map { (1...31).contains($0) } == true
  }

  private static let weekdays: Set = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let months: Set = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
}
