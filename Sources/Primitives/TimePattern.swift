// Patterns of strftime (POSIX, Python's `%f`, and `%Q` as JavaScript's d3 has it), always in UTC and in English.

/// A pattern such as `%d/%m/%Y %H:%M`.
package struct TimePattern: Hashable, Sendable {
  enum Field: Character, Hashable, Sendable, CaseIterable {
    case year = "Y"
    case yearOfCentury = "y"
    case month = "m"
    case shortMonthName = "b"
    case monthName = "B"
    case day = "d"
    case dayOfYear = "j"
    case hour = "H"
    case minute = "M"
    case second = "S"
    case microsecond = "f"
    case offset = "z"
    case zone = "Z"
    case unixSeconds = "s"
    case unixMilliseconds = "Q"
    case shortWeekday = "a"
    case weekday = "A"
  }

  enum Piece: Hashable, Sendable {
    case text(String)
    case field(Field)
  }

  package let spelling: String
  let pieces: [Piece]

  /// Nil without a field, or with one that is not known.
  package init?(_ spelling: String) {
    var pieces: [Piece] = []
    var letters = spelling.makeIterator()
    while let letter = letters.next() {
      guard letter == "%" else {
        pieces.append(.text(String(letter)))
        continue
      }
      guard let name = letters.next() else { return nil }
      if name == "%" {
        pieces.append(.text("%"))
      } else if let field = Field(rawValue: name) {
        pieces.append(.field(field))
      } else {
        return nil
      }
    }
    (self.spelling, self.pieces) = (spelling, pieces)
    if fields.isEmpty { return nil }
  }

  /// The fields, for messages: `%Y %y %m …`.
  package static var fieldNames: String { Field.allCases.map { "%\($0.rawValue)" }.joined(separator: " ") }

  /// True if the pattern gives a time of day, and not its zone.
  var hasNoZone: Bool {
    let zones: Set<Field> = [.offset, .zone, .unixSeconds, .unixMilliseconds]
    return fields.contains(.hour) && zones.isDisjoint(with: fields)
  }

  private var fields: [Field] {
    pieces.compactMap { if case .field(let field) = $0 { field } else { nil } }
  }

  private func says(_ wanted: Field...) -> Bool { fields.contains { wanted.contains($0) } }

  var saysTimeOfDay: Bool { says(.hour, .minute, .second, .microsecond, .unixSeconds, .unixMilliseconds) }

  /// The smallest unit in which written times differ; a second also where they have a fraction.
  var smallestUnit: CivilShift.Unit {
    if says(.second, .microsecond, .unixSeconds, .unixMilliseconds) { return .second }
    if says(.minute) { return .minute }
    if says(.hour) { return .hour }
    if says(.day, .dayOfYear, .shortWeekday, .weekday) { return .day }
    return says(.month, .shortMonthName, .monthName) ? .month : .year
  }

  /// Number of fraction digits that the pattern spells.
  var fractionDigits: Int { says(.microsecond) ? 6 : says(.unixMilliseconds) ? 3 : 0 }

  /// The reason why times of this pattern can't be read, and the remedy; nil if they can.
  ///
  /// A month or a day that the pattern lacks is the first.
  package var readingProblem: (problem: String, remedy: String)? {
    guard says(.year, .yearOfCentury, .unixSeconds, .unixMilliseconds) else {
      return ("says no year", "add %Y, %y, %s or %Q")
    }
    for (piece, next) in zip(pieces, pieces.dropFirst()) {
      guard case .field(let field) = piece, [.unixSeconds, .unixMilliseconds, .microsecond].contains(field) else {
        continue
      }
      guard next.mayBeginWithDigit else { continue }
      return (
        "can't be read: digits follow %\(field.rawValue), which takes all digits",
        field == .unixSeconds ? "milliseconds since 1970 are written %Q" : "put another character between them"
      )
    }
    return nil
  }

  func written(_ time: Timestamp) -> String {
    let (date, second) = time.split
    return pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .field(let field): Self.written(field, date, second, time)
      }
    }.joined()
  }

  private static func written(_ field: Field, _ date: CivilDate, _ second: Int, _ time: Timestamp) -> String {
    switch field {
    case .year: padded(date.year, 4)
    case .yearOfCentury: padded(date.year % 100, 2)
    case .month: padded(date.month, 2)
    case .shortMonthName: String(MonthName.all[date.month - 1].prefix(3))
    case .monthName: MonthName.all[date.month - 1]
    case .day: padded(date.day, 2)
    case .dayOfYear: padded(date.dayOfYear, 3)
    case .hour: padded(second / 3_600, 2)
    case .minute: padded(second / 60 % 60, 2)
    case .second: padded(time.isLeapSecond ? 60 : second % 60, 2)
    case .microsecond: padded(time.fraction(digits: 6), 6)
    case .offset: "+0000"
    case .zone: "UTC"
    case .unixSeconds: String(time.seconds)
    case .unixMilliseconds: TimeForm.milliseconds.written(time)
    case .shortWeekday: String(Weekday.name(of: date).prefix(3))
    case .weekday: Weekday.name(of: date)
    }
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    var text: [UInt8] = []
    text.append(number, width: width)
    return String(decoding: text, as: UTF8.self)
  }
}

// MARK: Reading

extension TimePattern {
  /// The fields of a text while it is read.
  private struct Found {
    var year: Int?
    var month = 1
    var day = 1
    var dayOfYear: Int?
    var (hour, minute, second) = (0, 0, 0)
    var fraction: [UInt8] = []
    var offset = 0
    var unixSeconds: Int?

    var timestamp: Timestamp? {
      if let unixSeconds { return Timestamp(seconds: unixSeconds, fraction: fraction) }
      guard let year else { return nil }
      let clock = ClockTime(hour: hour, minute: minute, second: second)
      guard let dayOfYear else {
        return CivilDate(year: year, month: month, day: day)
          .flatMap { Timestamp($0, clock, fraction: fraction, offset: offset) }
      }
      guard let first = CivilDate(year: year, month: 1, day: 1) else { return nil }
      let date = CivilDate(daysSince1970: first.daysSince1970 + dayOfYear - 1)
      return date.year == year ? Timestamp(date, clock, fraction: fraction, offset: offset) : nil
    }
  }

  /// Reads a text of this pattern and nothing after it; numbers may lack their leading zeros.
  func timestamp(of text: ArraySlice<UInt8>) -> Timestamp? {
    var cursor = ByteCursor(text)
    var found = Found()
    for piece in pieces {
      let isRead =
        switch piece {
        case .text(let text): cursor.takes(text)
        case .field(let field): Self.read(field, &cursor, &found)
        }
      guard isRead else { return nil }
    }
    return cursor.isAtEnd ? found.timestamp : nil
  }

  private static func read(_ field: Field, _ cursor: inout ByteCursor, _ found: inout Found) -> Bool {
    func store(_ number: Int?, _ path: WritableKeyPath<Found, Int>) -> Bool {
      guard let number else { return false }
      found[keyPath: path] = number
      return true
    }
    switch field {
    case .year:
      found.year = cursor.number(digits: 4, in: 1...9_999)
      return found.year != nil
    case .yearOfCentury:
      // As POSIX reads it: 69 is 1969, 68 is 2068.
      found.year = cursor.number(digits: 2, in: 0...99).map { $0 < 69 ? 2_000 + $0 : 1_900 + $0 }
      return found.year != nil
    case .month: return store(cursor.number(upTo: 2, in: 1...12), \.month)
    case .shortMonthName: return store(cursor.month(isShort: true), \.month)
    case .monthName: return store(cursor.month(isShort: false), \.month)
    case .day: return store(cursor.number(upTo: 2, in: 1...31), \.day)
    case .dayOfYear:
      found.dayOfYear = cursor.number(upTo: 3, in: 1...366)
      return found.dayOfYear != nil
    case .hour: return store(cursor.number(upTo: 2, in: 0...23), \.hour)
    case .minute: return store(cursor.number(upTo: 2, in: 0...59), \.minute)
    case .second: return store(cursor.number(upTo: 2, in: 0...60), \.second)
    case .microsecond:
      found.fraction = Array(cursor.digits())
      return !found.fraction.isEmpty
    case .offset: return store(cursor.offset(colonIsOptional: true), \.offset)
    case .zone: return ["UTC", "GMT", "Z"].contains { cursor.takes($0) }
    case .unixSeconds:
      let isNegative = cursor.takes("-")
      let number = Int(String(decoding: cursor.digits(), as: UTF8.self))
      found.unixSeconds = number.map { isNegative ? -$0 : $0 }
      return number != nil
    case .unixMilliseconds:
      let sign: [UInt8] = cursor.takes("-") ? [UInt8(ascii: "-")] : []
      let digits = Array(cursor.digits())
      guard !digits.isEmpty, let time = TimeForm.milliseconds.timestamp(of: (sign + digits)[...]) else { return false }
      (found.unixSeconds, found.fraction) = (time.seconds, time.fraction)
      return true
    // The day says which weekday it is.
    case .shortWeekday: return Weekday.names.contains { cursor.takes(String($0.prefix(3)), ignoringCase: true) }
    case .weekday: return Weekday.names.contains { cursor.takes($0, ignoringCase: true) }
    }
  }
}

extension TimePattern.Piece {
  /// True if a text of this piece may begin with a digit.
  fileprivate var mayBeginWithDigit: Bool {
    switch self {
    case .text(let text): text.utf8.first?.isDigit == true
    case .field(.shortMonthName), .field(.monthName), .field(.shortWeekday), .field(.weekday), .field(.offset),
      .field(.zone):
      false
    case .field: true
    }
  }
}

/// English names of weekdays.
private enum Weekday {
  static let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

  /// 1 January 1970 was a Thursday.
  static func name(of date: CivilDate) -> String {
    let index = date.daysSince1970 % names.count
    return names[index < 0 ? index + names.count : index]
  }
}

extension ByteCursor {
  /// Takes at most `width` digits whose number is in the range.
  fileprivate mutating func number(upTo width: Int, in range: ClosedRange<Int>) -> Int? {
    for width in stride(from: width, to: 0, by: -1) {
      if let number = number(digits: width, in: range) { return number }
    }
    return nil
  }

  /// Takes the English name of a month, in any case, as its number.
  fileprivate mutating func month(isShort: Bool) -> Int? {
    let names = MonthName.all.map { isShort ? String($0.prefix(3)) : $0 }
    return names.firstIndex { takes($0, ignoringCase: true) }.map { $0 + 1 }
  }
}

// The ways to spell a point in time: the one place for the forms of `decode.dates`, of templates, spans and marks.

/// Spelling of a point in time: by a name such as `seconds`, or by a pattern such as `%d/%m/%Y`.
package enum TimeForm: Hashable, Sendable {
  case seconds
  case milliseconds
  case rfc3339
  /// `2024-01-31`, in UTC.
  case date
  case pattern(TimePattern)

  /// Forms by name, in the order of the reference.
  package static let named: [(name: String, form: TimeForm)] = [
    ("seconds", .seconds), ("milliseconds", .milliseconds), ("rfc3339", .rfc3339), ("date", .date),
  ]

  /// Nil for text that is neither a name nor a pattern.
  package init?(_ text: String) {
    if let named = Self.named.first(where: { $0.name == text }) {
      self = named.form
    } else if let pattern = TimePattern(text) {
      self = .pattern(pattern)
    } else {
      return nil
    }
  }

  package var spelling: String {
    if case .pattern(let pattern) = self { return pattern.spelling }
    return Self.named.first { $0.form == self }?.name ?? ""
  }

  /// True if JSON spells it as a number.
  package var isNumber: Bool { self == .seconds || self == .milliseconds }

  /// True if the form gives a time of day, and not its zone.
  package var hasNoZone: Bool { if case .pattern(let pattern) = self { pattern.hasNoZone } else { false } }

  /// True if the form gives no more than the day.
  package var isOfDays: Bool {
    switch self {
    case .date: true
    case .pattern(let pattern): !pattern.saysTimeOfDay
    case .seconds, .milliseconds, .rfc3339: false
    }
  }

  /// The smallest unit in which written times differ; a second also where they have a fraction.
  package var smallestUnit: CivilShift.Unit {
    switch self {
    case .date: .day
    case .pattern(let pattern): pattern.smallestUnit
    case .seconds, .milliseconds, .rfc3339: .second
    }
  }

  /// The reason why times in this form can't be read, and the remedy; nil if they can.
  package var readingProblem: (problem: String, remedy: String)? {
    if case .pattern(let pattern) = self { pattern.readingProblem } else { nil }
  }

  /// Number of fraction digits that the form spells; nil for as many as the time has.
  package var fractionDigits: Int? {
    switch self {
    case .seconds, .date: 0
    case .milliseconds: 3
    case .rfc3339: nil
    case .pattern(let pattern): pattern.fractionDigits
    }
  }

  /// Spells a time; digits that the form has no room for are cut off.
  package func written(_ time: Timestamp) -> String {
    switch self {
    case .seconds: String(time.seconds)
    case .milliseconds: String(time.seconds * 1_000 + time.fraction(digits: 3))
    case .rfc3339: time.rfc3339
    case .date: time.date.text
    case .pattern(let pattern): pattern.written(time)
    }
  }

  /// Reads a time in this form; nil for other text.
  package func timestamp(of text: ArraySlice<UInt8>) -> Timestamp? {
    switch self {
    case .seconds: Timestamp(decimal: text, powerOfTen: 0)
    case .milliseconds: Timestamp(decimal: text, powerOfTen: -3)
    case .rfc3339: Timestamp(rfc3339: text)
    case .date: CivilDate(text).map { Timestamp(midnightOf: $0) }
    case .pattern(let pattern): pattern.timestamp(of: text)
    }
  }
}

extension Timestamp {
  /// The first digits of the fraction as a number.
  func fraction(digits count: Int) -> Int {
    (0..<count).reduce(0) { $0 * 10 + ($1 < fraction.count ? Int(fraction[$1] - 48) : 0) }
  }
}
