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
